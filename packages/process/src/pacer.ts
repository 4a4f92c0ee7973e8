// Well below what others may be kept waiting for, on a machine that is some times slower too.
const stretchMs = 2;

/** Yields the event loop if this work has occupied it for a while. Must be called often. */
export type Pacer = () => Promise<void> | undefined;

const resting: (() => void)[] = [];

/**
 * Resolves in a later turn of the event loop, each rest in a turn of its own: however much long work goes
 * on at once, what others ask waits for one stretch.
 */
function rest(): Promise<void> {
  return new Promise((resolve) => {
    if (resting.push(resolve) === 1) setImmediate(wakeNext);
  });
}

function wakeNext() {
  resting.shift()!();
  if (resting.length > 0) setImmediate(wakeNext);
}

/** `look` is called after each such turn; what it throws ends the work. */
export function createPacer(look = () => {}): Pacer {
  let since = performance.now();
  let isNew = true;
  return () => {
    // The first stretch of new work would add to those of the same turn.
    const mayGoOn = performance.now() - since < stretchMs && !(isNew && resting.length > 0);
    isNew = false;
    if (mayGoOn) return undefined;
    return rest().then(() => {
      since = performance.now();
      look();
    });
  };
}

/** The result of work that comes in steps, with turns for others between them. */
export async function inTurns<Result>(steps: Iterator<unknown, Result>, pace: Pacer): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await pace();
  }
}
