import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { CommandError } from './command-error.ts';
import { plain } from './plain-text.ts';

/**
 * Asks the operator to type `word` before something is done that cannot be undone. On a terminal it always
 * asks; `isMeant` (--yes) is the answer where there is none. Throws CommandError unless they agree.
 */
export async function confirm(what: string, word: string, isMeant: boolean): Promise<void> {
  if (!process.stdin.isTTY) {
    if (isMeant) return;
    throw new CommandError(`${what}: there is no terminal to ask on; confirm with --yes`, 2);
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const ended = once(lines, 'close').then(() => '');
    const question = plain(`${what}. Type ${word} to continue: `);
    // Ctrl-C and Ctrl-D mean no.
    const answer = await Promise.race([lines.question(question).catch(() => ''), ended]);
    if (answer.trim() !== word) throw new CommandError('nothing was done');
  } finally {
    lines.close();
  }
}
