import { setTimeout } from 'node:timers/promises';
import { gateNamesOf } from '@inventory/db/batch/gates';
import type { Outcome } from '@inventory/domain/stock/outcome';
import type { QueuedRequest } from '@inventory/domain/stock/request';

export type HeldGates = {
  /** From now on requests for these gates are put aside. */
  add(gates: ReadonlySet<string>): void;
  /**
   * Puts a request for a held gate aside and says so; it is applied as soon as that can be done, while
   * somebody may wait for it.
   */
  takes(request: QueuedRequest): boolean;
};

// Longer than any caller waits for an answer.
const waitsMaxMs = 3000;
// A gate that nobody has asked for since is taken for free.
const heldMaxMs = 10_000;
// Gates that are tried at once: each takes a connection that waits for a lock.
const triedMax = 4;

// Between two looks at a gate that is held.
const restMs = 50;
// So often it is looked at before it counts as held.
const looksMax = 5;

export type HeldGatesOptions = {
  /**
   * Applies requests as one database transaction, and returns the outcomes by request id; throws only when
   * nothing was applied. One that is missing is to be decided by another batch: never all of them.
   */
  apply: (requests: QueuedRequest[]) => Promise<ReadonlyMap<string, Outcome>>;
  /** The gates of these requests, by name, that somebody holds at this moment. */
  findHeld: (requests: QueuedRequest[]) => Promise<ReadonlySet<string>>;
  /** The gates, by name, that an error says are held by somebody else; null for any other error. */
  heldGatesOf: (error: unknown) => ReadonlySet<string> | null;
  /** Whether an error says that nothing can be done now, so that cutting the batch would not help. */
  isOutage: (error: unknown) => boolean;
  report: (error: Error, what: string) => void;
};

type Waiting = { request: QueuedRequest; since: number };
type Held = { since: number; waiting: Waiting[]; tried: boolean };

/**
 * Keeps the requests for gates that somebody else holds, an operator's transaction say, apart from all
 * others, which need not wait for that. Each gate has a lane of its own, whose requests are applied as soon
 * as it is free. Nobody is told what becomes of them: the api asks Postgres.
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
        .catch((error: Error) => options.report(error, 'what waited for a gate'))
        .finally(() => {
          held.tried = false;
          // Behind the others: all have their turn.
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
      // Asked before, and not tried: a move would lock the gate it takes from while it waits for the one it
      // goes to.
      const locked = await options.findHeld(young.map(({ request }) => request)).catch(async (error) => {
        await putBack(name, young);
        if (options.isOutage(error)) return null;
        throw error;
      });
      if (locked === null) return;
      const heldOf = ({ request }: Waiting) => gateNamesOf(request).filter((gate) => locked.has(gate));
      const free = young.filter((each) => heldOf(each).length === 0);
      const own = young.filter((each) => heldOf(each).includes(name));
      // The lane may have gone since: the gate was free for a moment.
      if (own.length > 0) laneOf(name).waiting.unshift(...own);
      // Held at one look is also what another batch locks for a moment.
      young = young.filter((each) => heldOf(each).length > 0 && !heldOf(each).includes(name));
      if (look === looksMax) for (const each of young.splice(0)) laneOf(heldOf(each)[0]!).waiting.push(each);
      if (locked.has(name)) held.since = now;
      // Those that came meanwhile are of this lane, and next.
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
      // One that cannot be applied harms only itself.
      else if (free.length > 1) for (const each of free) await applyFree(name, [each]);
      else options.report(error as Error, 'what waited for a gate');
    }
  }

  /** While it is young it is tried again, after a rest. */
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
      // After this turn: those of one batch are tried together.
      setImmediate(tryGates);
      return true;
    },
  };
}

function isForgotten({ since, waiting, tried }: Held, now: number): boolean {
  return now - since > heldMaxMs && waiting.length === 0 && !tried;
}
