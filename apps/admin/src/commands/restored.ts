import { adoptRestored } from '@inventory/db/backup/identity';
import { refuseUnsafeDatabase } from '@inventory/db/migrate/migrate';
import { listServiceConnections } from '@inventory/db/operator/health';
import type { Sql } from '@inventory/postgres/pool';
import { Command } from 'commander';
import { parseMoment } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withOwnersDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';
import { printAudit } from '../cli/print-audit.ts';

export const restored = new Command('restored')
  .description(
    'Give a database that another tool has restored a new identity, and numbers above all that were used, and audit it; ' +
      'run this before the service starts',
  )
  .requiredOption('--to <moment>', 'the time to which it was restored', parseMoment)
  .option('--yes', 'even if an api or a worker is connected')
  .addHelpText('after', example('restored --to 2026-11-21T08:00:00Z'))
  .action(async ({ to, yes }: { to: Date; yes?: true }) => {
    await withOwnersDatabase(async (sql) => {
      await refuseUnsafeDatabase(sql);
      if (!yes) await refuseInUse(sql);
      print(`the database is now ${await adoptRestored(sql, to)}`);
      await printAudit(sql);
    });
  });

/** Skipped numbers are lost, and with the address of a database in use, each run would skip more. */
async function refuseInUse(sql: Sql): Promise<void> {
  const names = await listServiceConnections(sql);
  if (names.length === 0) return;
  throw new CommandError(
    `the service is connected to this database (${names.join(', ')}): stop every api and worker first; ` +
      '--yes skips numbers anyway, and they never come back',
  );
}
