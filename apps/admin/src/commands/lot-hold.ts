import { holdLot } from '@inventory/db/operator/holds';
import { Command } from 'commander';
import { parseReason, parseRecNo } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { explainHoldRefusal } from '../cli/explain-refusal.ts';
import { example, print } from '../cli/print.ts';

export const lotHold = new Command('hold')
  .description('Put a lot on hold: it stays in stock, and nothing is taken from it until it is released')
  .requiredOption('--rec-no <number>', 'the lot', parseRecNo)
  .requiredOption('--reason <text>', 'why', parseReason)
  .addHelpText('after', example('lot hold --rec-no 6 --reason "damaged in transit"'))
  .action(async ({ recNo, reason }: { recNo: number; reason: string }) => {
    await withDatabase(async (sql) => {
      const outcome = await holdLot(sql, { recNo, reason });
      if (outcome !== 'held') throw new CommandError(explainHoldRefusal(outcome, recNo));
      print(`lot ${recNo} is on hold`);
    });
  });
