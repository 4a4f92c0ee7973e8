import { readFullLot, readLotHistory } from '@inventory/db/operator/ledger';
import { Command } from 'commander';
import { parseLimit, parseRecNo } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print, printJson } from '../cli/print.ts';
import { fieldLines, tableLines } from '../cli/table.ts';

type Options = { recNo: number; limit: number; json?: true };

export const lotShow = new Command('show')
  .description('Show everything that is stored about a lot, and its history')
  .requiredOption('--rec-no <number>', 'the lot', parseRecNo)
  .option('--limit <number>', 'show at most this many lines of its history, newest first', parseLimit, 50)
  .option('--json', 'print one line of JSON')
  .addHelpText('after', example('lot show --rec-no 6'))
  .action(async ({ recNo, limit, json }: Options) => {
    await withDatabase(async (sql) => {
      const lot = await readFullLot(sql, recNo);
      if (lot === null) throw new CommandError(`there is no lot ${recNo}`);
      const history = await readLotHistory(sql, recNo, limit);
      if (json) return printJson({ ...lot, history });
      for (const line of fieldLines(lot)) print(line);
      print('');
      const rows = history.map((each) => [
        each.transactionNo,
        each.at,
        each.kind,
        each.clientId,
        each.wID,
        each.spot,
        each.delta,
        each.balance,
      ]);
      const head = ['transaction', 'at', 'kind', 'client', 'warehouse', 'spot', 'delta', 'balance'];
      for (const line of tableLines(head, rows)) print(line);
      if (history.length === limit) print('there may be more: raise --limit');
    });
  });
