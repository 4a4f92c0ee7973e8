const everyMs = 500;

/**
 * Says on a terminal how far a long command is, on one line of standard error; where no terminal is, nothing.
 */
export function showRowCount(what: string, total?: number): { report(done: number): void; end(): void } {
  const { stderr } = process;
  const of = total === undefined ? '' : ` of ${total}`;
  let toldAt = performance.now();
  let told = false;
  return {
    report(done) {
      const now = performance.now();
      if (!stderr.isTTY || now - toldAt < everyMs) return;
      toldAt = now;
      told = true;
      stderr.write(`\r${done}${of} ${what}\u001b[K`);
    },
    end() {
      if (told) stderr.write('\r\u001b[K');
    },
  };
}
