/**
 * Runs `step` repeatedly: first after `firstMs`, then after the milliseconds that it returns, counted from
 * its end. Never twice at once. `step` handles its own failures. `stop` waits for a running step.
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
