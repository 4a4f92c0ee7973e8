import type { InventoryError } from '../http/inventory-error.ts';
import { growingMs, pause } from '../http/pauses.ts';

export type Loop = {
  /** Begins, unless it runs already. */
  start(): void;
  /** Ends a pause: the network may be back. */
  hurry(): void;
  /** Resolves when it rests. */
  rested(): Promise<void>;
};

const firstPauseMs = 500;
const longestPauseMs = 30_000;

/**
 * Repeats `work` while `hasWork`, with growing pauses after failures, until the signal is aborted. A pause is
 * never shorter than the service asked for. `tell` hears of each failure, and of each success with null.
 */
export function createLoop(options: {
  hasWork: () => boolean;
  work: () => Promise<void>;
  tell: (error: unknown) => void;
  signal: AbortSignal;
}): Loop {
  const { hasWork, work, tell, signal } = options;
  let running: Promise<void> | null = null;
  let hurrying = new AbortController();

  async function run(): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        // After a failure, another program may have done the work: only the storage knows.
        if (failures === 0 && !hasWork()) break;
        await work();
        failures = 0;
        tell(null);
      } catch (error) {
        if (signal.aborted) break;
        failures += 1;
        tell(error);
        // A network that is back is no reason to hurry the service.
        await pause((error as Partial<InventoryError> | null)?.retryAfterMs ?? 0, signal);
        await pause(growingMs(failures, firstPauseMs, longestPauseMs), hurrying.signal);
        hurrying = new AbortController();
      }
    }
  }

  const loop: Loop = {
    start() {
      running ??= run().finally(() => {
        running = null;
        // Something came at the last moment.
        if (hasWork() && !signal.aborted) loop.start();
      });
    },
    hurry: () => hurrying.abort(),
    rested: async () => {
      await running;
    },
  };
  signal.addEventListener('abort', loop.hurry);
  return loop;
}
