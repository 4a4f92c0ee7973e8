import { removeOutdated } from '@inventory/db/operator/maintain';
import { Command, InvalidArgumentError } from 'commander';
import { withDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';
import { createProgress, stepText } from '../cli/progress.ts';

export const maintain = new Command('maintain')
  .description(
    'Remove expired Idempotency-Keys and old refused and abandoned transactions now; the workers also do it every hour',
  )
  .option(
    '--days <number>',
    'keep keys for this many days, at least 7, and refused transactions one day longer',
    parseDays,
    8,
  )
  .addHelpText('after', example('maintain'))
  .action(async ({ days }: { days: number }) => {
    await withDatabase(async (sql) => {
      const progress = createProgress();
      const { keys, transactions, waits } = await removeOutdated(sql, days, (step, done) =>
        progress.show(stepText(step, done)),
      ).finally(progress.end);
      print(`removed ${keys} keys and ${transactions} refused and abandoned transactions`);
      if (waits) print('an old key is in use: run this again to remove refused and abandoned transactions');
    });
  });

function parseDays(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) >= 7) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 7 to 9999: callers are promised 7 days.');
}
