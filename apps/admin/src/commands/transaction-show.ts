import { readTransaction } from '@inventory/db/operator/ledger';
import { Command } from 'commander';
import { parseRecNo } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print, printJsonText } from '../cli/print.ts';
import { fieldLines, tableLines } from '../cli/table.ts';

export const transactionShow = new Command('show')
  .description('Show a stock transaction: its request, its answer and the lots that it changed')
  .argument('<number>', 'the transactionNo', parseRecNo)
  .option('--json', 'print one line of JSON')
  .addHelpText('after', example('transaction show 8'))
  .action(async (transactionNo: number, { json }: { json?: true }) => {
    await withDatabase(async (sql) => {
      const found = await readTransaction(sql, transactionNo);
      if (found === null) throw new CommandError(`there is no transaction ${transactionNo}`);
      const { lines, ...fields } = found;
      if (json) {
        // As stored, because quantities with many digits would change if they were read as numbers.
        const { asked, answered, ...rest } = fields;
        const texts = `"asked":${asked ?? 'null'},"answered":${answered ?? 'null'}`;
        return printJsonText(`${JSON.stringify({ ...rest, lines }).slice(0, -1)},${texts}}`);
      }
      for (const line of fieldLines(fields)) print(line);
      if (lines.length === 0) return;
      print('');
      const rows = lines.map(({ line, recNo, shortID, wID, spot, delta }) => [
        line,
        recNo,
        shortID,
        wID,
        spot,
        delta,
      ]);
      for (const line of tableLines(['line', 'recNo', 'item', 'warehouse', 'spot', 'delta'], rows))
        print(line);
    });
  });
