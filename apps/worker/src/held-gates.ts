import { gateNamesOf } from '@inventory/db/gates';
import type { QueuedRequest } from '@inventory/queue/envelope';
import type { BatcherOptions } from './batcher.ts';

export type HeldGates = {
  /** From now on requests for these gates are put aside. */
  add(gates: ReadonlySet<string>): void;
  /** Puts a request for a held gate aside and says so; it is applied as soon as that can be done, while somebody may wait for it. */
  takes(request: QueuedRequest): boolean;
};

// Longer than any caller waits for an answer.
const waitsMaxMs = 3000;
// A gate that nobody has asked for since is taken for free.
const heldMaxMs = 10_000;
// Gates that are tried at once: each takes a connection that waits for a lock.
const triedMax = 4;

type Held = { since: number; waiting: { request: QueuedRequest; since: number }[]; tried: boolean };

/**
 * Keeps the requests for gates that somebody else holds, an operator's transaction say, apart from all others, who need not wait for
 * that. Each gate has a lane of its own, where its requests are tried again until it is free. Nobody is told what becomes of them:
 * the api asks Postgres.
 */
export function createHeldGates(
  options: Pick<BatcherOptions, 'apply' | 'heldGatesOf' | 'report'>,
): HeldGates {
  const gates = new Map<string, Held>();

  function tryGates() {
    let tried = [...gates.values()].filter((held) => held.tried).length;
    for (const [name, held] of gates) {
      if (tried >= triedMax) return;
      if (held.tried || held.waiting.length === 0) continue;
      tried += 1;
      held.tried = true;
      void tryGate(name, held).finally(() => {
        held.tried = false;
        tryGates();
      });
    }
  }

  async function tryGate(name: string, held: Held): Promise<void> {
    const now = performance.now();
    const waiting = held.waiting.splice(0).filter(({ since }) => now - since < waitsMaxMs);
    if (waiting.length === 0) return;
    try {
      const outcomes = await options.apply(waiting.map(({ request }) => request));
      held.waiting.unshift(...waiting.filter((_, index) => outcomes[index] === null));
      gates.delete(name);
      // Those that came meanwhile are of no lane now.
      if (held.waiting.length > 0) await tryGate(name, held);
    } catch (error) {
      if (options.heldGatesOf(error) === null)
        return options.report(error as Error, 'what waited for a gate');
      held.since = performance.now();
      held.waiting.unshift(...waiting);
    }
  }

  return {
    add(names) {
      const since = performance.now();
      for (const [name, held] of gates) {
        if (since - held.since > heldMaxMs && held.waiting.length === 0 && !held.tried) gates.delete(name);
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
      if (now - held.since > heldMaxMs && held.waiting.length === 0 && !held.tried) {
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
