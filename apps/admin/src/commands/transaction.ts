import { listTransactions, readTransaction } from '@inventory/db/operator/ledger';
import { kindNames } from '@inventory/domain/kinds/kinds';
import { Command, Option } from 'commander';
import { parseLimit, parseName, parseRecNo } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print, printJson, printJsonText, tell } from '../cli/print.ts';
import { printFields, printTable } from '../cli/table.ts';

type ListOptions = {
  kind?: string;
  client?: string;
  status?: string;
  before?: number;
  limit: number;
  json?: true;
};

export const transactionList = new Command('list')
  .description('List stock transactions, including refused and abandoned ones, newest first')
  .addOption(
    new Option('--kind <kind>', 'only transactions of this kind').choices([...kindNames, 'release', 'batch']),
  )
  .option('--client <name>', 'only transactions of this client', parseName)
  .addOption(
    new Option('--status <status>', 'only transactions with this status').choices([
      'applied',
      'refused',
      'abandoned',
    ]),
  )
  .option('--before <number>', 'only transactions older than this one', parseRecNo)
  .option('--limit <number>', 'show at most this many', parseLimit, 50)
  .option('--json', 'print one line of JSON')
  .addHelpText(
    'after',
    `\nSearches the newest million (before --before), and warns if there are more.\n${example('transaction list --client demo --limit 20', 'transaction list --kind issue --status refused --json')}`,
  )
  .action(async ({ kind, client, status, before, limit, json }: ListOptions) => {
    await withDatabase(async (sql) => {
      const { transactions, complete } = await listTransactions(sql, {
        before: before ?? null,
        kind: kind ?? null,
        clientId: client ?? null,
        status: status ?? null,
        limit,
      });
      if (!complete) tell('warning: only the newest million was searched; --before searches older ones');
      if (json) return printJson(transactions);
      const rows = transactions.map((each) => [
        each.transactionNo,
        each.at,
        each.kind,
        each.status,
        each.clientId,
        each.itemID,
      ]);
      const head = ['transactionNo', 'at', 'kind', 'status', 'client', 'item'];
      printTable(head, rows);
      if (transactions.length === limit) {
        print(`there may be more: --before ${transactions.at(-1)!.transactionNo}`);
      }
    });
  });

export const transactionShow = new Command('show')
  .description('Show a stock transaction: its request, its answer and the lots that it changed')
  .argument('<number>', 'the transactionNo', parseRecNo)
  .option('--json', 'print one line of JSON')
  .addHelpText('after', example('transaction show 14'))
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
      printFields(fields);
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
      printTable(['line', 'recNo', 'item', 'warehouse', 'spot', 'delta'], rows);
    });
  });
