import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type CatalogItem, catalogColumns, readCatalog } from '@inventory/db/operator/list-items';
import type { Sql } from '@inventory/postgres/pool';
import { Command } from 'commander';
import { parseLimit } from '../cli/arguments.ts';
import { createCsvWriter } from '../cli/csv.ts';
import { withDatabase } from '../cli/database.ts';
import { keepLines } from '../cli/plain-text.ts';
import { example, print, printJson } from '../cli/print.ts';
import { createProgress, rowsText } from '../cli/progress.ts';
import { printTable } from '../cli/table.ts';
import { writeTarget } from '../cli/write-target.ts';

type ListOptions = { after?: string; discontinued?: boolean; limit: number; json?: boolean };

export const itemList = new Command('list')
  .description('List items by shortID')
  .option('--after <shortID>', 'only those after this one')
  .option('--discontinued', 'include discontinued items')
  .option('--limit <number>', 'show at most this many', parseLimit, 50)
  .option('--json', 'print one line of JSON')
  .addHelpText('after', example('item list --limit 20', 'item list --after WIDGET-100 --discontinued --json'))
  .action(async ({ after = '', discontinued = false, limit, json }: ListOptions) => {
    await withDatabase(async (sql) => {
      const items: CatalogItem[] = [];
      const choice = { after: after === '' ? null : after, discontinuedToo: discontinued, limit };
      for await (const some of readCatalog(sql, choice)) items.push(...some);
      if (json) return printJson(items);
      const rows = items.map((item) => [
        item.shortID,
        item.partNo,
        item.description,
        item.category,
        item.uOM,
        item.discontinued ? 'discontinued' : '',
      ]);
      const head = ['item', 'partNo', 'description', 'category', 'uOM', ''];
      printTable(head, rows);
      if (items.length === limit) print(`there may be more: --after ${items.at(-1)!.shortID}`);
    });
  });

export const itemExport = new Command('export')
  .description('Export all items, including discontinued ones, to a file that item import reads')
  .option('--to <file>', 'the file; - for standard output', '-')
  .addHelpText(
    'after',
    `
CSV in UTF-8 with a header. A text that a spreadsheet would take for a formula gets a ' before it, which item import removes again.
${example('item export --to >items.csv')}`,
  )
  .action(async ({ to }: { to: string }) => {
    await withDatabase(async (sql) => {
      const progress = createProgress();
      let count = 0;
      const rows = rowsOf(sql, () => {
        count += 1;
        // On standard output, the progress would disturb what the terminal shows.
        if (to !== '-') progress.show(rowsText(count, 'items'));
      });
      // All or nothing: an interrupted export must not look like a complete one.
      const target = { what: 'export', replaces: true, isText: true };
      await writeTarget(to, target, (output) => writeCsv(rows, output)).finally(progress.end);
      if (to !== '-') print(`exported ${count} items to ${to}`);
    });
  });

async function writeCsv(rows: AsyncIterable<object>, output: Writable): Promise<void> {
  const csv = (await createCsvWriter(catalogColumns)).setEncoding('utf8');
  const isStandard = output === process.stdout;
  const shown = async function* (texts: AsyncIterable<string>) {
    for await (const text of texts) yield isStandard && process.stdout.isTTY ? keepLines(text) : text;
  };
  await pipeline(rows, csv, shown, output, { end: !isStandard }).catch((error: NodeJS.ErrnoException) => {
    // A reader that has read enough, such as `head`, is no failure.
    if (error.code !== 'EPIPE') throw error;
  });
}

async function* rowsOf(sql: Sql, onRow: () => void) {
  for await (const items of readCatalog(sql, { after: null, discontinuedToo: true, limit: null })) {
    for (const item of items) {
      onRow();
      yield item;
    }
  }
}
