import { inventoryCommand } from '@inventory/process/called-as';
import { keepLines, plain, plainJson } from './plain-text.ts';

// Everything that is written for people goes through here: whoever wrote a text decides nothing about the
// terminal that shows it.

/** A line for the operator. */
export function print(line: string): void {
  process.stdout.write(`${plain(line)}\n`);
}

/** A value as one line of JSON, for a program. */
export function printJson(value: unknown): void {
  printJsonText(JSON.stringify(value));
}

/** The same of what is JSON already. */
export function printJsonText(json: string): void {
  process.stdout.write(`${plainJson(json)}\n`);
}

/** A line beside the output: an error, a warning. */
export function tell(line: string): void {
  process.stderr.write(`${plain(line)}\n`);
}

/** The same of a text of several lines, as it comes, in pieces. */
export function tellText(text: string): void {
  process.stderr.write(keepLines(text));
}

/** Says why a migration cannot begin yet. */
export function printMigrationHeld(): void {
  print('waiting for a backup, or another migration, that is under way on this database');
}

/** The end of a command's help. */
export function example(...commands: string[]): string {
  return `\nExample:\n${commands.map((command) => `  ${inventoryCommand(command)}`).join('\n')}`;
}
