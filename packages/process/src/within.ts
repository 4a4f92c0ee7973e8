/** It took longer than the caller could wait; what was waited for may still happen. */
export class TooLateError extends Error {
  /** As the errors of a network have one: whoever tells outages by their code counts this among them. */
  readonly code = 'TOO_LATE';
}

/** The result of `promise`, or TooLateError when it takes longer than `timeMs`. */
export async function within<T>(timeMs: number, promise: PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TooLateError(`no answer within ${timeMs} ms`)), timeMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
