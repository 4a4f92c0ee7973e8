// Well below what other requests can wait, even on a machine that is several times slower.
const stretchMs = 2;

/** Yields the event loop if this work has occupied it for a while. Must be called often. */
export type Pacer = () => Promise<void> | undefined;

const resting: (() => void)[] = [];

/**
 * Resolves in a later turn of the event loop. Each rest gets a turn of its own, so other requests wait for
 * one stretch only, however many long tasks run at once.
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

/** `look` is called after each rest; if it throws, the work ends. */
export function createPacer(look = () => {}): Pacer {
  let since = performance.now();
  let isNew = true;
  return () => {
    // If others rest already, new work rests first: its stretch would be added to theirs in this turn.
    const mayGoOn = performance.now() - since < stretchMs && !(isNew && resting.length > 0);
    isNew = false;
    if (mayGoOn) return undefined;
    return rest().then(() => {
      since = performance.now();
      look();
    });
  };
}

/** Runs work that comes in steps, yields between them, and returns its result. */
export async function inSteps<Result>(steps: Iterator<unknown, Result>, pace: Pacer): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await pace();
  }
}
