import { listServiceConnections } from '@inventory/db/operator/health';
import { adoptRestored } from '@inventory/db/operator/identity';
import type { Sql } from '@inventory/db/pool';
import { Command } from 'commander';
import { parseMoment } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withOwnersDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';
import { printAudit } from '../cli/print-audit.ts';

export const restored = new Command('restored')
  .description(
    'Make a database that something else than `restore` has restored another one, before the service starts: its ' +
      'numbers go on above all that were given out, and it is audited',
  )
  .requiredOption('--to <moment>', 'the moment that it was restored to', parseMoment)
  .option('--yes', 'also while an api or a worker is connected to it')
  .addHelpText('after', example('restored --to 2026-11-21T08:00:00Z'))
  .action(async ({ to, yes }: { to: Date; yes?: true }) => {
    await withOwnersDatabase(async (sql) => {
      if (!yes) await refuseInUse(sql);
      print(`the database is ${await adoptRestored(sql, to)} now`);
      await printAudit(sql);
    });
  });

/** The numbers never come back: with the address of a database in use, each run would take some away. */
async function refuseInUse(sql: Sql): Promise<void> {
  const names = await listServiceConnections(sql);
  if (names.length === 0) return;
  throw new CommandError(
    `the service is connected to this database (${names.join(', ')}): stop every api and worker first; ` +
      '--yes draws its numbers forward all the same, for good',
  );
}
