import { useEffect, useState } from 'preact/hooks';
import { state } from '../base/state.js';
import { renewHeld } from '../session/held.js';

/**
 * What is held after a change that it does not show: undefined, so that it is read again, or itself, stale,
 * if that was done less than `afterMs` ago or nobody looks.
 */
export function againAfter(known, afterMs) {
  if (Date.now() - known.readAt >= afterMs && !document.hidden) return undefined;
  return known.isStale ? known : { ...known, isStale: true };
}

/** Reads what is held under this key again, while it is shown and stale, `afterMs` after it was read. */
export function useAgain(key, afterMs) {
  const [, draw] = useState(0);
  useEffect(() => {
    const look = () => {
      const { value } = state.session?.held.get(key) ?? {};
      if (value?.isStale && againAfter(value, afterMs) === undefined) renewHeld(key);
      // The hour or the day may have changed, and the key with it.
      draw((times) => times + 1);
    };
    look();
    const timer = setInterval(look, afterMs);
    return () => clearInterval(timer);
  }, [key]);
}

/** Throws an error again, but not that of a service of 0.1, which knows no such call: `{ isNone: true }`. */
export function orNone(error) {
  if (error.status !== 404) throw error;
  return { readAt: Date.now(), isNone: true };
}
