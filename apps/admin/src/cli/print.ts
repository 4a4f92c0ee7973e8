import { inventoryCommand } from '@inventory/domain/operating/called-as';
import { keepLines, plain, plainJson } from './plain-text.ts';

// All output for people goes through here, so that no stored text can control their terminal.

/** A line for the operator. */
export function print(line: string): void {
  process.stdout.write(`${plain(line)}\n`);
}

/** Lines that we have drawn ourselves, with the colours that they set. */
export function printDrawing(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** A value as one line of JSON, for programs. */
export function printJson(value: unknown): void {
  printJsonText(JSON.stringify(value));
}

/** The same for JSON text. */
export function printJsonText(json: string): void {
  process.stdout.write(`${plainJson(json)}\n`);
}

/** A line on standard error: an error or a warning. */
export function tell(line: string): void {
  process.stderr.write(`${plain(line)}\n`);
}

/** The same for a text of several lines, which may be printed in pieces. */
export function tellText(text: string): void {
  process.stderr.write(keepLines(text));
}

/** Why a migration cannot begin yet. */
export const migrationHeld = 'waiting for a backup or another migration of this database to end';

/** The end of a command's help. */
export function example(...commands: string[]): string {
  return `\nExample:\n${commands.map((command) => `  ${inventoryCommand(command)}`).join('\n')}`;
}
