import { refuseUnsafeDatabase } from '@inventory/db/migrate';
import { isSeedSize, type SeedSize, seed, transactionsFor } from '@inventory/db/operator/seed';
import { Command } from 'commander';
import { parseId } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withOwnersDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';

type Options = Omit<SeedSize, 'transactions'> & { transactions?: number };

export const seedCommand = new Command('seed')
  .description(
    'Add made-up items, lots and their ledger, beside what is there; other work on stock waits meanwhile',
  )
  .requiredOption('--items <number>', 'items to add', parseId)
  .requiredOption(
    '--warehouses <number>',
    'put the lots in warehouses 1 to this; those missing are added',
    parseId,
  )
  .requiredOption('--lots <number>', 'lots to add', parseId)
  .option(
    '--transactions <number>',
    'entries in the ledger: 1 to 5 times the lots (default: 1.4 times)',
    parseId,
  )
  .addHelpText('after', example('seed --items 1000 --warehouses 4 --lots 100000'))
  .action(async (options: Options) => {
    const size = { ...options, transactions: options.transactions ?? transactionsFor(options.lots) };
    if (!isSeedSize(size)) {
      throw new CommandError('each lot needs a transaction; there may be at most 5 times as many', 2);
    }
    await withOwnersDatabase(async (sql) => {
      await refuseUnsafeDatabase(sql);
      const startedAt = performance.now();
      await seed(sql, size, (step, done) => {
        const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
        print(`${seconds.padStart(7)} s  ${step}  ${Math.floor(done * 100)} %`);
      });
      print(`added ${size.items} items, ${size.lots} lots and ${size.transactions} transactions`);
    });
  });
