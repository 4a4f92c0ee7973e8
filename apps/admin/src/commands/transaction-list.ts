import { listTransactions } from '@inventory/db/operator/ledger';
import { transactionKinds } from '@inventory/domain/contract/transaction';
import { Command, Option } from 'commander';
import { parseLimit, parseName, parseRecNo } from '../cli/arguments.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print, printJson, tell } from '../cli/print.ts';
import { tableLines } from '../cli/table.ts';

type Options = {
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
    new Option('--kind <kind>', 'only transactions of this kind').choices([
      ...transactionKinds,
      'batch',
      'hold',
      'release',
    ]),
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
  .action(async ({ kind, client, status, before, limit, json }: Options) => {
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
      for (const line of tableLines(head, rows)) print(line);
      if (transactions.length === limit) {
        print(`there may be more: --before ${transactions.at(-1)!.transactionNo}`);
      }
    });
  });
