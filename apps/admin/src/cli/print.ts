/** A line for the operator. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** What a migration that cannot begin waits for. */
export function printMigrationHeld(): void {
  print('waiting for a backup, or another migration, that is under way on this database');
}

/** The end of a command's help. */
export function example(...commands: string[]): string {
  return `\nExample:\n${commands.map((command) => `  pnpm inventory ${command}`).join('\n')}`;
}
