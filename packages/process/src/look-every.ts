/**
 * Calls `look` every `everyMs`, never twice at once, until the returned function is called. `look` handles
 * its own failures.
 */
export function lookEvery(everyMs: number, look: () => Promise<void>): () => void {
  let looking = false;
  const run = async () => {
    if (looking) return;
    looking = true;
    try {
      await look();
    } finally {
      looking = false;
    }
  };
  const timer = setInterval(() => void run(), everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
