import { listLotsByNumber } from '@inventory/db/operator/ledger';
import { Command } from 'commander';
import { parseId, parseLimit, parseRecNo } from '../cli/arguments.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print, printJson } from '../cli/print.ts';
import { tableLines } from '../cli/table.ts';

type Options = {
  item?: string;
  warehouse?: number;
  spot?: string;
  serial?: string;
  held?: true;
  inStock?: true;
  before?: number;
  limit: number;
  json?: true;
};

export const lotList = new Command('list')
  .description('List lots, newest first')
  .option('--item <shortID>', 'those of this item')
  .option('--warehouse <number>', 'only lots in this warehouse', parseId)
  .option('--spot <text>', 'only lots at this spot')
  .option('--serial <text>', 'only lots with this serial number')
  .option('--held', 'only lots on hold')
  .option('--in-stock', 'only lots in stock')
  .option('--before <number>', 'only lots older than this one', parseRecNo)
  .option('--limit <number>', 'show at most this many', parseLimit, 50)
  .option('--json', 'print one line of JSON')
  .addHelpText(
    'after',
    example('lot list --item WIDGET-100 --in-stock', 'lot list --warehouse 2 --held --json'),
  )
  .action(async (options: Options) => {
    await withDatabase(async (sql) => {
      const lots = await listLotsByNumber(sql, {
        shortId: options.item ?? null,
        wid: options.warehouse ?? null,
        spot: options.spot ?? null,
        serial: options.serial ?? null,
        held: options.held ?? null,
        inStock: options.inStock ?? null,
        before: options.before ?? null,
        limit: options.limit,
      });
      if (options.json) return printJson(lots);
      const rows = lots.map((lot) => [
        lot.recNo,
        lot.shortID,
        lot.wID,
        lot.spot,
        lot.units,
        lot.received,
        lot.serial,
        [lot.hold ? 'held' : '', lot.shipped === null ? '' : 'shipped'].join(''),
      ]);
      const head = ['recNo', 'item', 'warehouse', 'spot', 'units', 'received', 'serial', ''];
      for (const line of tableLines(head, rows)) print(line);
      if (lots.length === options.limit) print(`there may be more: --before ${lots.at(-1)!.recNo}`);
    });
  });
