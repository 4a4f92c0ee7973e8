/**
 * Runs `step` again and again: the first time after `firstMs`, and then as long after its end as it returns,
 * milliseconds. Never twice at once; `step` handles its own failures. `stop` waits for the one under way.
 */
export function runAgain(firstMs: number, step: () => Promise<number>): { stop(): Promise<void> } {
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
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
