import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { CommandError } from './command-error.ts';
import { plain } from './plain-text.ts';

/**
 * Has the operator type `word` before something is done that cannot be taken back. On a terminal they are
 * always asked; `isMeant` (--yes) speaks for them where there is none. Fails with CommandError when they do
 * not agree. /
 */
export async function confirm(what: string, word: string, isMeant: boolean): Promise<void> {
  if (!process.stdin.isTTY) {
    if (isMeant) return;
    throw new CommandError(`${what}: --yes says that it is meant, where there is no terminal to ask on`, 2);
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const ended = once(lines, 'close').then(() => '');
    const question = plain(`${what}. Type ${word} to go on: `);
    // Ctrl-C and Ctrl-D are answers, too.
    const answer = await Promise.race([lines.question(question).catch(() => ''), ended]);
    if (answer.trim() !== word) throw new CommandError('nothing was done');
  } finally {
    lines.close();
  }
}
