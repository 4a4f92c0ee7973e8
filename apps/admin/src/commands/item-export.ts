import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { catalogColumns, readCatalog } from '@inventory/db/operator/list-items';
import type { Sql } from '@inventory/db/postgres/pool';
import { Command } from 'commander';
import { createCsvWriter } from '../cli/csv.ts';
import { withDatabase } from '../cli/database.ts';
import { keepLines } from '../cli/plain-text.ts';
import { example, print } from '../cli/print.ts';
import { createProgress, rowsText } from '../cli/progress.ts';
import { writeTarget } from '../cli/write-target.ts';

export const itemExport = new Command('export')
  .description('Export all items, including discontinued ones, to a file that item import reads')
  .option('--to <file>', 'the file; - for standard output', '-')
  .addHelpText(
    'after',
    `
CSV in UTF-8 with a header. A text that a spreadsheet would take for a formula gets a ' before it, which item import removes again.
${example('item export --to items.csv')}`,
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
