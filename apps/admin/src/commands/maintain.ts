import { removeOutdated } from '@inventory/db/operator/maintain';
import { Command, InvalidArgumentError } from 'commander';
import { withDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';
import { createProgress, stepText } from '../cli/progress.ts';

export const maintain = new Command('maintain')
  .description(
    'Remove Idempotency-Keys, and refused and abandoned transactions, that nobody can ask for any more; once a day, while the service goes on working',
  )
  .option(
    '--days <number>',
    'keep keys for so many days, 7 or more, and refused transactions a day longer',
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
      if (waits)
        print('an old key is in use just now: refused and abandoned transactions are removed the next time');
    });
  });

function parseDays(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) >= 7) return Number(text);
  throw new InvalidArgumentError(
    'It must be a whole number from 7 to 9999: answers are promised for 7 days.',
  );
}
