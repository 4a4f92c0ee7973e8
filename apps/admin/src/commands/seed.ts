import { refuseUnsafeDatabase } from '@inventory/db/migrate/migrate';
import { isSeedSize, type SeedSize, seed, transactionsFor } from '@inventory/db/operator/seed';
import { Command } from 'commander';
import { parseId } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { isDatabaseGiven, withOwnersDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';
import { createProgress, stepText } from '../cli/progress.ts';

type Options = Omit<SeedSize, 'transactions'> & { transactions?: number; yes?: true };

export const seedCommand = new Command('seed')
  .description(
    'Add made-up items and lots with their ledger, for trials; other work on stock waits meanwhile',
  )
  .requiredOption('--items <number>', 'items to add', parseId)
  .requiredOption(
    '--warehouses <number>',
    'put the lots into warehouses 1 to this number; missing ones are added',
    parseId,
  )
  .requiredOption('--lots <number>', 'lots to add', parseId)
  .option(
    '--transactions <number>',
    'entries in the ledger: 1 to 5 times the lots (default: 1.4 times)',
    parseId,
  )
  .option('--yes', 'allow it in the database of DATABASE_URL; the made-up stock stays there for good')
  .addHelpText('after', example('seed --items 1000 --warehouses 4 --lots 100000'))
  .action(async ({ yes, ...options }: Options) => {
    if (isDatabaseGiven() && !yes) {
      throw new CommandError(
        'seed adds made-up stock for good; --yes allows it in the database of DATABASE_URL',
        2,
      );
    }
    const size = { ...options, transactions: options.transactions ?? transactionsFor(options.lots) };
    if (!isSeedSize(size)) {
      throw new CommandError('--transactions must be 1 to 5 times --lots', 2);
    }
    await withOwnersDatabase(async (sql) => {
      await refuseUnsafeDatabase(sql);
      const progress = createProgress();
      await seed(sql, size, (step, done) => progress.show(stepText(step, done))).finally(progress.end);
      print(`added ${size.items} items, ${size.lots} lots and ${size.transactions} transactions`);
    });
  });
