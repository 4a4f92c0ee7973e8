/** A line for the operator. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The end of a command's help. */
export function example(...commands: string[]): string {
  return `\nExample:\n${commands.map((command) => `  pnpm inventory ${command}`).join('\n')}`;
}
