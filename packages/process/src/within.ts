import { PlainError } from './plain-error.ts';

/** It took longer than the caller could wait; the awaited work may still be done. */
export class TooLateError extends PlainError {
  /** As the errors of a network have one: whoever tells outages by their code counts this among them. */
  readonly code = 'TOO_LATE';
}

// A timer that is this late: the process stood still, or its machine.
const stoodStillMs = 300;
// Answers that came meanwhile lie there unread, and the work that hangs on them takes another step or two.
const afterStandstillMs = 700;

/**
 * The result of `promise`, or TooLateError when it takes longer than `timeMs`; a little more after a time in
 * which nothing ran here.
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
