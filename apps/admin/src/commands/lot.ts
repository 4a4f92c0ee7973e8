import { type HoldRefusal, holdLot, releaseLot } from '@inventory/db/operator/holds';
import { listLotsByNumber, readFullLot, readLotHistory } from '@inventory/db/operator/ledger';
import { Command } from 'commander';
import { parseId, parseLimit, parseReason, parseRecNo } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print, printJson } from '../cli/print.ts';
import { printFields, printTable } from '../cli/table.ts';

type ShowOptions = { recNo: number; limit: number; json?: true };

export const lotShow = new Command('show')
  .description('Show everything that is stored about a lot, its history and its holds')
  .requiredOption('--rec-no <number>', 'the lot', parseRecNo)
  .option('--limit <number>', 'show at most this many lines of its history, newest first', parseLimit, 50)
  .option('--json', 'print one line of JSON')
  .addHelpText('after', example('lot show --rec-no 6'))
  .action(async ({ recNo, limit, json }: ShowOptions) => {
    await withDatabase(async (sql) => {
      const lot = await readFullLot(sql, recNo);
      if (lot === null) throw new CommandError(`there is no lot ${recNo}`);
      const history = await readLotHistory(sql, recNo, limit);
      if (json) return printJson({ ...lot, history });
      printFields(lot);
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
        each.hold === null ? '' : each.hold.changed ? (each.hold.reason ?? '') : 'it was so already',
      ]);
      const head = ['transaction', 'at', 'kind', 'client', 'warehouse', 'spot', 'delta', 'balance', 'reason'];
      printTable(head, rows);
      if (history.length === limit) print('there may be more: raise --limit');
    });
  });

type ListOptions = {
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
  .action(async (options: ListOptions) => {
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
      printTable(head, rows);
      if (lots.length === options.limit) print(`there may be more: --before ${lots.at(-1)!.recNo}`);
    });
  });

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

export const lotRelease = new Command('release')
  .description('Take a lot off hold')
  .requiredOption('--rec-no <number>', 'the lot', parseRecNo)
  .addHelpText('after', example('lot release --rec-no 7'))
  .action(async ({ recNo }: { recNo: number }) => {
    await withDatabase(async (sql) => {
      const outcome = await releaseLot(sql, recNo);
      if (outcome !== 'released') throw new CommandError(explainHoldRefusal(outcome, recNo));
      print(`lot ${recNo} is released`);
    });
  });

/** One line that says why a lot cannot be held or released. */
function explainHoldRefusal(refusal: HoldRefusal, recNo: number): string {
  const reasons: Record<HoldRefusal, string> = {
    unknown_lot: `there is no lot ${recNo}`,
    not_in_stock: `lot ${recNo} is not in stock`,
    already_held: `lot ${recNo} is on hold already`,
    not_held: `lot ${recNo} is not on hold`,
  };
  return reasons[refusal];
}
