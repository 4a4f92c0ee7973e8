import { Command } from 'commander';
import { noteMade } from '../backup/note-made.ts';
import { parseMoment, parseName } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';

export const backedUp = new Command('backed-up')
  .description('Record a backup that another tool made, so that doctor and the metrics show its age')
  .requiredOption('--by <name>', 'the tool that made it, such as pgbackrest', parseName)
  .option('--at <time>', 'the time of its contents (default: now)', parseMoment)
  .addHelpText(
    'after',
    example('backed-up --by pgbackrest', 'backed-up --by snapshot --at 2026-11-21T08:00:00Z'),
  )
  .action(async ({ by, at }: { by: string; at?: Date }) => {
    await withDatabase(async (sql) => {
      const noted = await noteMade(sql, { takenAt: at ?? null, bytes: null, madeBy: by });
      if (typeof noted === 'string') throw new CommandError(`the backup was not recorded: ${noted}`);
      print(`recorded a backup of ${noted.toISOString()}`);
    });
  });
