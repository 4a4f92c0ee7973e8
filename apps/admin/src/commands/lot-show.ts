import { readFullLot } from '@inventory/db/operator/ledger';
import { Command } from 'commander';
import { parseRecNo } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';
import { fieldLines } from '../cli/table.ts';

export const lotShow = new Command('show')
  .description('Show a lot with everything that is stored of it')
  .requiredOption('--rec-no <number>', 'the lot', parseRecNo)
  .option('--json', 'print one line of JSON')
  .addHelpText('after', example('lot show --rec-no 6'))
  .action(async ({ recNo, json }: { recNo: number; json?: true }) => {
    await withDatabase(async (sql) => {
      const lot = await readFullLot(sql, recNo);
      if (lot === null) throw new CommandError(`there is no lot ${recNo}`);
      if (json) return print(JSON.stringify(lot));
      for (const line of fieldLines(lot)) print(line);
    });
  });
