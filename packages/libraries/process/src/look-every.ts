/**
 * Calls `look` every `everyMs`, never twice at once: a long look skips the next ones. `look` handles its own
 * failures. The returned function ends this and resolves when no look is running.
 */
export function lookEvery(everyMs: number, look: () => unknown): () => Promise<void> {
  return runAgain(everyMs, async () => {
    const startedAt = performance.now();
    await look();
    return everyMs - ((performance.now() - startedAt) % everyMs);
  });
}

/**
 * Runs `step` repeatedly: first after `firstMs`, then after the milliseconds that it returns, counted from
 * its end. Otherwise like {@link lookEvery}.
 */
export function runAgain(firstMs: number, step: () => Promise<number>): () => Promise<void> {
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const run = async () => {
    const restMs = await step();
    if (!isStopped) wait(restMs);
  };
  function wait(restMs: number) {
    timer = setTimeout(() => {
      running = run();
    }, restMs);
    timer.unref();
  }
  wait(firstMs);
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  };
}
