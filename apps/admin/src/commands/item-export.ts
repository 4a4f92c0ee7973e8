import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Sql } from '@inventory/db/client';
import { catalogColumns, readCatalog } from '@inventory/db/operator/list-items';
import { Command } from 'commander';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';
import { showRowCount } from '../cli/row-count.ts';

export const itemExport = new Command('export')
  .description('Write all items, discontinued ones too, as a file that item import reads')
  .option('--to <file>', 'the file; without it, standard output')
  .addHelpText('after', `\nCSV in UTF-8 with a header.\n${example('item export --to items.csv')}`)
  .action(async ({ to }: { to?: string }) => {
    await withDatabase(async (sql) => {
      const progress = showRowCount('items');
      const { stringify } = await import('csv-stringify');
      const columns = [...catalogColumns];
      const csv = stringify({
        header: true,
        columns,
        cast: { boolean: String, date: (date) => date.toISOString() },
      });
      let count = 0;
      const rows = Readable.from(
        rowsOf(sql, () => {
          count += 1;
          progress.report(count);
        }),
      );
      if (to === undefined) {
        // A reader that has read enough, such as `head`, is no failure.
        await pipeline(rows, csv, process.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'EPIPE') throw error;
        });
        return progress.end();
      }
      // As a whole or not at all: an export that was broken off must not be taken for one.
      const part = `${to}.part`;
      await pipeline(rows, csv, createWriteStream(part, { mode: 0o600 }))
        .then(() => rename(part, to))
        .catch(async (error: NodeJS.ErrnoException) => {
          await rm(part, { force: true });
          if (error.syscall === undefined) throw error;
          throw new CommandError(`${to} cannot be written (${error.code})`);
        });
      progress.end();
      print(`exported ${count} items to ${to}`);
    });
  });

async function* rowsOf(sql: Sql, onRow: () => void) {
  for await (const items of readCatalog(sql, { after: null, discontinuedToo: true, limit: null })) {
    for (const item of items) {
      onRow();
      yield item;
    }
  }
}
