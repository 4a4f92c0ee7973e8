import { PlainError } from './plain-error.ts';

/** It took longer than the caller could wait; the awaited work may still be done. */
export class TooLateError extends PlainError {
  /** A code, as network errors have: code that recognises outages by it includes this error. */
  readonly code = 'TOO_LATE';
}

// If a timer is this late, the process or its machine stood still.
const stoodStillMs = 300;
// Answers that arrived meanwhile are unread, and the work that waits for them takes another step or two.
const afterStandstillMs = 700;

/**
 * Returns the result of `promise`, or fails with TooLateError after `timeMs`, or a little later if the
 * process stood still.
 */
export function within<T>(timeMs: number, promise: PromiseLike<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new TooLateError(`no answer within ${timeMs} ms`));
    const dueAt = performance.now() + timeMs;
    let timer = setTimeout(() => {
      if (performance.now() - dueAt < stoodStillMs) giveUp();
      else timer = setTimeout(giveUp, afterStandstillMs);
    }, timeMs);
    promise.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
