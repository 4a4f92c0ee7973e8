import { setTimeout } from 'node:timers/promises';
import { GatesHeldError } from '@inventory/db/batch/apply-batch';
import type { QueuedRequest } from '@inventory/domain/request';
import { isOutage } from '@inventory/postgres/pool';
import type { StockBatches } from './stock-batches.ts';

type Batches = Pick<StockBatches, 'apply' | 'findHeld' | 'gatesOf'>;

// Longer than any caller waits for an answer.
const waitsMaxMs = 3000;
// A gate without requests for this long is assumed to be free.
const heldMaxMs = 10_000;
// Gates that are tried at once. Each takes a connection that waits for a lock.
const triedMax = 4;

// The pause between two looks at a held gate.
const restMs = 50;
// A gate counts as held after this many looks.
const looksMax = 5;

type Waiting = { request: QueuedRequest; since: number };
type Held = { since: number; waiting: Waiting[]; tried: boolean };

/**
 * Keeps requests for held gates (locked by an operator's transaction, for example) apart from all others,
 * which need not wait. Each gate has a lane of its own, and its requests are applied once it is free. The
 * worker does not report their outcomes: the api asks Postgres.
 */
export class HeldGates {
  readonly #batches: Batches;
  readonly #report: (error: Error, what: string) => void;
  readonly #gates = new Map<string, Held>();

  constructor(batches: Batches, report: (error: Error, what: string) => void) {
    this.#batches = batches;
    this.#report = report;
  }

  /** From now on, requests for these gates are put aside. */
  add(names: ReadonlySet<string>): void {
    const since = performance.now();
    for (const [name, held] of this.#gates) {
      if (isForgotten(held, since)) this.#gates.delete(name);
    }
    for (const name of names) {
      const held = this.#gates.get(name);
      if (held === undefined) this.#gates.set(name, { since, waiting: [], tried: false });
      else held.since = since;
    }
  }

  /**
   * Puts a request aside if its gate is held, and returns whether it did. The request is applied once that is
   * possible, while its caller may still wait.
   */
  takes(request: QueuedRequest): boolean {
    if (this.#gates.size === 0) return false;
    const now = performance.now();
    const name = this.#batches.gatesOf(request).find((each) => this.#gates.has(each));
    if (name === undefined) return false;
    const held = this.#gates.get(name)!;
    if (isForgotten(held, now)) {
      this.#gates.delete(name);
      return false;
    }
    held.waiting.push({ request, since: now });
    // After this event-loop turn, so that the requests of one batch are tried together.
    setImmediate(() => this.#tryGates());
    return true;
  }

  #tryGates() {
    let tried = [...this.#gates.values()].filter((held) => held.tried).length;
    for (const [name, held] of this.#gates) {
      if (tried >= triedMax) return;
      if (held.tried || held.waiting.length === 0) continue;
      tried += 1;
      held.tried = true;
      void this.#tryGate(name, held)
        .catch((error: Error) => this.#report(error, 'requests for a held gate'))
        .finally(() => {
          held.tried = false;
          // To the end, so that all gates get their turn.
          if (this.#gates.get(name) === held) {
            this.#gates.delete(name);
            this.#gates.set(name, held);
          }
          this.#tryGates();
        });
    }
  }

  async #tryGate(name: string, held: Held): Promise<void> {
    const now = performance.now();
    let young = held.waiting.splice(0).filter(({ since }) => now - since < waitsMaxMs);
    for (let look = 1; young.length > 0; look++) {
      // Looks first instead of trying to lock: a move would lock its source gate while it waits for its
      // destination.
      const locked = await this.#batches
        .findHeld(young.map(({ request }) => request))
        .catch(async (error) => {
          await this.#putBack(name, young);
          if (isOutage(error)) return null;
          throw error;
        });
      if (locked === null) return;
      const heldOf = ({ request }: Waiting) =>
        this.#batches.gatesOf(request).filter((gate) => locked.has(gate));
      const free = young.filter((each) => heldOf(each).length === 0);
      const own = young.filter((each) => heldOf(each).includes(name));
      // The lane may be gone, because the gate was free for a moment.
      if (own.length > 0) this.#laneOf(name).waiting.unshift(...own);
      // A gate that is held at only one look may just be locked by another batch for a moment.
      young = young.filter((each) => heldOf(each).length > 0 && !heldOf(each).includes(name));
      if (look === looksMax)
        for (const each of young.splice(0)) this.#laneOf(heldOf(each)[0]!).waiting.push(each);
      if (locked.has(name)) held.since = now;
      // Requests that came meanwhile belong to this lane and are next.
      else if (this.#gates.get(name) === held && held.waiting.length === 0) this.#gates.delete(name);
      if (free.length > 0) await this.#applyFree(name, free);
      if (locked.size > 0) await setTimeout(restMs);
    }
  }

  async #applyFree(name: string, free: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#batches.apply(free.map(({ request }) => request));
      const left = free.filter(({ request }) => !outcomes.has(request.requestId));
      if (left.length > 0) this.#laneOf(name).waiting.unshift(...left);
    } catch (error) {
      if (error instanceof GatesHeldError) this.#laneOf(name).waiting.unshift(...free);
      else if (isOutage(error)) await this.#putBack(name, free);
      // A request that cannot be applied must harm only itself.
      else if (free.length > 1) for (const each of free) await this.#applyFree(name, [each]);
      else this.#report(error as Error, 'requests for a held gate');
    }
  }

  /** Tries young requests again after a pause. */
  async #putBack(name: string, some: readonly Waiting[]): Promise<void> {
    this.#laneOf(name).waiting.unshift(...some);
    await setTimeout(restMs);
  }

  #laneOf(name: string): Held {
    const known = this.#gates.get(name);
    if (known !== undefined) return known;
    const made: Held = { since: performance.now(), waiting: [], tried: false };
    this.#gates.set(name, made);
    return made;
  }
}

function isForgotten({ since, waiting, tried }: Held, now: number): boolean {
  return now - since > heldMaxMs && waiting.length === 0 && !tried;
}
