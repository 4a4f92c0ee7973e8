import { setImmediate } from 'node:timers/promises';

// Well below the time that other work may wait, even on a machine that is several times slower.
const stretchMs = 5;

/** Yields the event loop if this work has occupied it for a while. Must be called often. */
export type Pacer = () => Promise<void> | undefined;

/** `look` is called after each yield. If it throws, the work ends. */
export function createPacer(look = () => {}): Pacer {
  let since = performance.now();
  return () => {
    if (performance.now() - since < stretchMs) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
      look();
    });
  };
}
