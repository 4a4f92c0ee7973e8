import { setTimeout } from 'node:timers/promises';
import { gateNamesOf } from '@inventory/db/batch/gates';
import type { QueuedRequest } from '@inventory/domain/request';
import type { Outcome } from '@inventory/domain/stock/outcome';

export type HeldGates = {
  /** From now on, requests for these gates are put aside. */
  add(gates: ReadonlySet<string>): void;
  /**
   * Puts a request aside if its gate is held, and returns whether it did. The request is applied once that is
   * possible, while its caller may still wait.
   */
  takes(request: QueuedRequest): boolean;
};

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

export type HeldGatesOptions = {
  /**
   * Applies requests as one database transaction and returns the outcomes by request id. Throws only if
   * nothing was applied. A missing request must be decided by another batch; at least one request is decided.
   */
  apply: (requests: QueuedRequest[]) => Promise<ReadonlyMap<string, Outcome>>;
  /** Returns the names of those gates that are held at this moment. */
  findHeld: (requests: QueuedRequest[]) => Promise<ReadonlySet<string>>;
  /**
   * Returns the names of the gates that are held elsewhere according to an error; null for any other error.
   */
  heldGatesOf: (error: unknown) => ReadonlySet<string> | null;
  /** Whether an error means that nothing works now, so that cutting the batch would not help. */
  isOutage: (error: unknown) => boolean;
  report: (error: Error, what: string) => void;
};

type Waiting = { request: QueuedRequest; since: number };
type Held = { since: number; waiting: Waiting[]; tried: boolean };

/**
 * Keeps requests for held gates (locked by an operator's transaction, for example) apart from all others,
 * which need not wait. Each gate has a lane of its own, and its requests are applied once it is free. The
 * worker does not report their outcomes: the api asks Postgres.
 */
export function createHeldGates(options: HeldGatesOptions): HeldGates {
  const gates = new Map<string, Held>();

  function tryGates() {
    let tried = [...gates.values()].filter((held) => held.tried).length;
    for (const [name, held] of gates) {
      if (tried >= triedMax) return;
      if (held.tried || held.waiting.length === 0) continue;
      tried += 1;
      held.tried = true;
      void tryGate(name, held)
        .catch((error: Error) => options.report(error, 'requests for a held gate'))
        .finally(() => {
          held.tried = false;
          // To the end, so that all gates get their turn.
          if (gates.get(name) === held) {
            gates.delete(name);
            gates.set(name, held);
          }
          tryGates();
        });
    }
  }

  async function tryGate(name: string, held: Held): Promise<void> {
    const now = performance.now();
    let young = held.waiting.splice(0).filter(({ since }) => now - since < waitsMaxMs);
    for (let look = 1; young.length > 0; look++) {
      // Looks first instead of trying to lock: a move would lock its source gate while it waits for its
      // destination.
      const locked = await options.findHeld(young.map(({ request }) => request)).catch(async (error) => {
        await putBack(name, young);
        if (options.isOutage(error)) return null;
        throw error;
      });
      if (locked === null) return;
      const heldOf = ({ request }: Waiting) => gateNamesOf(request).filter((gate) => locked.has(gate));
      const free = young.filter((each) => heldOf(each).length === 0);
      const own = young.filter((each) => heldOf(each).includes(name));
      // The lane may be gone, because the gate was free for a moment.
      if (own.length > 0) laneOf(name).waiting.unshift(...own);
      // A gate that is held at only one look may just be locked by another batch for a moment.
      young = young.filter((each) => heldOf(each).length > 0 && !heldOf(each).includes(name));
      if (look === looksMax) for (const each of young.splice(0)) laneOf(heldOf(each)[0]!).waiting.push(each);
      if (locked.has(name)) held.since = now;
      // Requests that came meanwhile belong to this lane and are next.
      else if (gates.get(name) === held && held.waiting.length === 0) gates.delete(name);
      if (free.length > 0) await applyFree(name, free);
      if (locked.size > 0) await setTimeout(restMs);
    }
  }

  async function applyFree(name: string, free: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await options.apply(free.map(({ request }) => request));
      const left = free.filter(({ request }) => !outcomes.has(request.requestId));
      if (left.length > 0) laneOf(name).waiting.unshift(...left);
    } catch (error) {
      if (options.heldGatesOf(error) !== null) laneOf(name).waiting.unshift(...free);
      else if (options.isOutage(error)) await putBack(name, free);
      // A request that cannot be applied must harm only itself.
      else if (free.length > 1) for (const each of free) await applyFree(name, [each]);
      else options.report(error as Error, 'requests for a held gate');
    }
  }

  /** Tries young requests again after a pause. */
  async function putBack(name: string, some: readonly Waiting[]): Promise<void> {
    laneOf(name).waiting.unshift(...some);
    await setTimeout(restMs);
  }

  function laneOf(name: string): Held {
    const known = gates.get(name);
    if (known !== undefined) return known;
    const made: Held = { since: performance.now(), waiting: [], tried: false };
    gates.set(name, made);
    return made;
  }

  return {
    add(names) {
      const since = performance.now();
      for (const [name, held] of gates) {
        if (isForgotten(held, since)) gates.delete(name);
      }
      for (const name of names) {
        const held = gates.get(name);
        if (held === undefined) gates.set(name, { since, waiting: [], tried: false });
        else held.since = since;
      }
    },
    takes(request) {
      if (gates.size === 0) return false;
      const now = performance.now();
      const name = gateNamesOf(request).find((each) => gates.has(each));
      if (name === undefined) return false;
      const held = gates.get(name)!;
      if (isForgotten(held, now)) {
        gates.delete(name);
        return false;
      }
      held.waiting.push({ request, since: now });
      // After this event-loop turn, so that the requests of one batch are tried together.
      setImmediate(tryGates);
      return true;
    },
  };
}

function isForgotten({ since, waiting, tried }: Held, now: number): boolean {
  return now - since > heldMaxMs && waiting.length === 0 && !tried;
}
