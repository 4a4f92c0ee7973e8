/** An answer, read whole. `body`: the object or list in its JSON text; null if there is none. */
export type Answer = { status: number; headers: Headers; text: string; body: object | null };

/**
 * Runs one attempt under a limit of time and the caller's signal. It ends at the first of both, also when
 * what it waits for goes on for others. `silence`: the message of the error when the time is over.
 */
export async function attempt<Result>(
  limitMs: number,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<Result>,
  silence = 'no answer in time',
): Promise<Result> {
  const controller = new AbortController();
  const { signal: own } = controller;
  const follow = () => controller.abort(signal?.reason);
  const giveUp = () => controller.abort(new DOMException(silence, 'TimeoutError'));
  const timer = setTimeout(giveUp, Math.max(limitMs, 0));
  signal?.addEventListener('abort', follow);
  if (signal?.aborted) follow();
  const ended = new Promise<never>((_, reject) => {
    const end = () => reject(own.reason);
    if (own.aborted) end();
    own.addEventListener('abort', end);
  });
  try {
    return await Promise.race([run(own), ended]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', follow);
  }
}
