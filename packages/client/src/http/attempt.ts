/** An answer, read whole. */
export type Answer = { status: number; headers: Headers; text: string };

/**
 * Runs one attempt under a limit of time and the caller's signal. It ends at the first of both, also when what it waits
 * for goes on for others.
 */
export async function attempt<Result>(
  limitMs: number,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const follow = () => controller.abort(signal?.reason);
  const timer = setTimeout(
    () => controller.abort(new DOMException('no answer in time', 'TimeoutError')),
    Math.max(limitMs, 0),
  );
  if (signal?.aborted) follow();
  signal?.addEventListener('abort', follow);
  const ended = new Promise<never>((_, reject) => {
    const end = () => reject(controller.signal.reason);
    if (controller.signal.aborted) end();
    else controller.signal.addEventListener('abort', end);
  });
  try {
    return await Promise.race([run(controller.signal), ended]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', follow);
  }
}
