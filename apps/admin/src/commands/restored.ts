import { adoptRestored } from '@inventory/db/operator/identity';
import { Command } from 'commander';
import { parseMoment } from '../cli/arguments.ts';
import { withOwnersDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';
import { printAudit } from '../cli/print-audit.ts';

export const restored = new Command('restored')
  .description(
    'Make a database that something else than `restore` has restored another one, before the service starts: its ' +
      'numbers go on above all that were given out, and it is audited',
  )
  .requiredOption('--to <moment>', 'the moment that it was restored to', parseMoment)
  .addHelpText('after', example('restored --to 2026-11-21T08:00:00Z'))
  .action(async ({ to }: { to: Date }) => {
    await withOwnersDatabase(async (sql) => {
      print(`the database is ${await adoptRestored(sql, to)} now`);
      await printAudit(sql);
    });
  });
