import { releaseLot } from '@inventory/db/operator/holds';
import { Command } from 'commander';
import { parseRecNo } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { explainHoldRefusal } from '../cli/explain-refusal.ts';
import { example, print } from '../cli/print.ts';

export const lotRelease = new Command('release')
  .description('Take a lot off hold')
  .requiredOption('--rec-no <number>', 'the lot', parseRecNo)
  .addHelpText('after', example('lot release --rec-no 7'))
  .action(async ({ recNo }: { recNo: number }) => {
    await withDatabase(async (sql) => {
      const outcome = await releaseLot(sql, recNo);
      if (outcome !== 'released') throw new CommandError(explainHoldRefusal(outcome, recNo));
      print(`lot ${recNo} is released`);
    });
  });
