import { adoptRestored } from '@inventory/db/operator/identity';
import { Command } from 'commander';
import { parseMoment } from '../cli/arguments.ts';
import { withOwnersDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';
import { printAudit } from '../cli/print-audit.ts';

export const restored = new Command('restored')
  .description(
    'After something else than `restore` has restored the database, before the service starts on it: make it another one, with numbers above all that were given out, and audit it',
  )
  .requiredOption('--to <moment>', 'the moment that it was restored to', parseMoment)
  .addHelpText('after', example('restored --to 2026-11-21T08:00:00Z'))
  .action(async ({ to }: { to: Date }) => {
    await withOwnersDatabase(async (sql) => {
      print(`the database is ${await adoptRestored(sql, to)} now`);
      await printAudit(sql);
    });
  });
