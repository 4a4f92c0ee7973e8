import { Command } from 'commander';
import { noteMade } from '../backup/note-made.ts';
import { parseMoment, parseName } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';

export const backedUp = new Command('backed-up')
  .description('Note that something else has made a backup, so that doctor and the metrics know its age')
  .requiredOption('--by <name>', 'what made it, such as pgbackrest', parseName)
  .option('--at <time>', 'the moment that it holds; now unless told', parseMoment)
  .addHelpText(
    'after',
    example('backed-up --by pgbackrest', 'backed-up --by snapshot --at 2026-11-21T08:00:00Z'),
  )
  .action(async ({ by, at }: { by: string; at?: Date }) => {
    await withDatabase(async (sql) => {
      const noted = await noteMade(sql, { takenAt: at ?? null, bytes: null, madeBy: by });
      if (typeof noted === 'string') throw new CommandError(`the backup was not noted: ${noted}`);
      print(`noted a backup of ${noted.toISOString()}`);
    });
  });
