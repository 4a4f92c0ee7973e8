import { setImmediate } from 'node:timers/promises';

// Well below what others may be kept waiting for, on a machine that is some times slower too.
const stretchMs = 5;

/** Lets others have a turn of the event loop, if this work has kept it for a while; to be called often. */
export type Pacer = () => Promise<void> | undefined;

/** `look` is called after each such turn; what it throws ends the work. */
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
