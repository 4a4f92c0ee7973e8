import { inventory as program } from '@inventory/admin/program';
import type { Command } from 'commander';

/** A command, its help text, and the examples in it, without `./inventory`. */
export type Help = { command: string; description: string; text: string; examples: string[] };

/** The help of each command, beginning with the command line as a whole. */
export function readHelps(command: Command = program, above: readonly string[] = []): Help[] {
  const names = above.concat(command === program ? [] : command.name());
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  const after = text.split(/\nExamples?:\n/)[1] ?? '';
  const examples = [...after.matchAll(/^ {2}\.\/inventory (.*)$/gm)].map(([, line]) => line!);
  const own = { command: names.join(' '), description: command.description(), text, examples };
  return [own, ...command.commands.flatMap((each) => readHelps(each, names))];
}
