import { releaseLot } from '@inventory/db/holds';
import { Command } from 'commander';
import { parseRecNo } from '../arguments.ts';
import { CommandError } from '../command-error.ts';
import { withDatabase } from '../database.ts';
import { explainHoldRefusal } from '../hold-refusal.ts';
import { example, print } from '../print.ts';

export const lotRelease = new Command('release')
  .description('Take a lot off hold')
  .requiredOption('--rec-no <number>', 'the lot', parseRecNo)
  .addHelpText('after', example('lot release --rec-no 17'))
  .action(async ({ recNo }: { recNo: number }) => {
    await withDatabase(async (sql) => {
      const outcome = await releaseLot(sql, recNo);
      if (outcome !== 'released') throw new CommandError(explainHoldRefusal(outcome, recNo));
      print(`lot ${recNo} is released`);
    });
  });
