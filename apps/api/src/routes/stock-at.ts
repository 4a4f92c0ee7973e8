import { setTimeout as pause } from 'node:timers/promises';
import { findItem } from '@inventory/db/catalog/items';
import { stockAtPage } from '@inventory/db/lists/stock-at';
import { stockDays } from '@inventory/db/lists/stock-days';
import { StockAt, StockDayList } from '@inventory/domain/contract/stock-level';
import { parseDateTime } from '@inventory/domain/date-time';
import { Text } from '@inventory/domain/fields';
import { Permission } from '@inventory/domain/permission';
import { requiredDateTime } from '@inventory/paging/date-time-parameter';
import { pageQueryShape } from '@inventory/paging/page-query';
import { z } from 'zod';
import type { Database } from '../database.ts';
import { answerBytes, pageBytes } from '../http/answer-bytes.ts';
import { Failed, messages, soonAgain } from '../http/errors.ts';
import { idParameter, idsParameter, requiredId, withinDays } from '../http/reading/parameters.ts';
import { route } from '../http/route.ts';
import type { Asker } from '../lists/lists.ts';
import { pageAnswer, pageReply } from '../lists/page-reply.ts';
import { stockAt, stockDays as stockDaysDescription } from '../openapi/descriptions/inventory.ts';
import { partNosMax } from './inventory.ts';
import { noSuchItem } from './items.ts';

const { page, pageSize } = pageQueryShape([]);
const moment = requiredDateTime('The moment; a date: its end, UTC', { through: true, example: '2026-01-31' });
const stockAtQuery = (now: () => number) =>
  z.object({
    ...{ page, pageSize },
    // A time without a fraction means the whole second.
    time: moment
      .refine((time) => time.getTime() < now() + 1000, { error: 'must not be in the future.' })
      .meta(moment.meta()!),
    wid: idParameter('Only stock in this warehouse'),
    itemID: Text.optional().meta({ description: 'Only the item with this ShortID' }),
    partNo: idParameter('Only the item with this part number'),
    partNos: idsParameter(`Only items with these part numbers, up to ${partNosMax}`, partNosMax),
  });
/** As many as a year may have. */
const daysMax = 366;
const dayMs = 86_400_000;
const day = (description: string, example: string) =>
  z
    .string({ error: 'is required.' })
    .refine((text) => /^\d{4}-\d\d-\d\d$/.test(text) && parseDateTime(text) !== null, {
      error: 'must be a date, such as 2026-01-31.',
    })
    .transform((text) => new Date(`${text}T00:00:00.000Z`))
    .meta({ description, format: 'date', example });
const stockDaysQuery = z
  .object({
    partNo: requiredId('The item with this part number', 5),
    wid: idParameter('Only in this warehouse'),
    from: day('The first day, UTC', '2026-01-01'),
    to: day('The last day, UTC; at most a year after the first', '2026-01-31'),
  })
  .check(withinDays(() => daysMax));
const StockAtPage = pageAnswer(StockAt, 'StockAtPage');

/** `/Inventory/StockAt`: the stock as it was. `now`: the clock of Postgres, in milliseconds since 1970. */
export function stockAtRoutes(database: Database, now: () => number) {
  return [
    route({
      method: 'GET',
      path: '/Inventory/StockAt',
      isExtension: true,
      summary: 'The stock per item at the end of a moment',
      permission: Permission.ItemMasterList,
      writes: false,
      query: stockAtQuery(now),
      warehouses: ({ query }) => (query.wid === undefined ? [] : [query.wid]),
      answer: { 200: StockAtPage },
      answerBytes: ({ query }) => pageBytes('stockAt', query),
      keyed: false,
      paged: 'always',
      notFound: null,
      description: stockAt,
      handle: async ({ query: { time, wid, ...asked }, ...asker }) => {
        await untilOver(database, time, asker);
        const query = { ...asked, sort: undefined, direction: 'asc' as const };
        const wids = wid === undefined ? [...asker.client.scope] : [wid];
        return pageReply(
          query,
          await database.lists.page(stockAtPage(query, wids, { ...asked, time }), asker),
        );
      },
    }),
    route({
      method: 'GET',
      path: '/Inventory/StockDays',
      isExtension: true,
      summary: 'The stock of an item, day by day',
      permission: Permission.ItemMasterList,
      writes: false,
      query: stockDaysQuery,
      warehouses: ({ query }) => (query.wid === undefined ? [] : [query.wid]),
      answer: { 200: StockDayList },
      answerBytes: answerBytes.days,
      keyed: false,
      paged: 'never',
      notFound: noSuchItem,
      description: stockDaysDescription,
      handle: async ({ query: { partNo, wid, ...days }, ...asker }) => {
        const item = await database.reads.run((sql) => findItem(sql, { partNo }), asker.wait);
        if (item === null) return null;
        // A day that is not over changes. Later ones are left out.
        const today = Math.floor(now() / dayMs) * dayMs;
        const [from, to] = [days.from.getTime(), Math.min(days.to.getTime(), today)];
        if (from > to) return { status: 200, text: '{"value":[]}' };
        const over = Math.min(to + dayMs, today) - 1;
        if (over >= from) await untilOver(database, new Date(over), asker);
        const wids = wid === undefined ? [...asker.client.scope] : [wid];
        const asked = { from: days.from, to: new Date(to) };
        const { records } = await database.lists.page(stockDays(asked, wids, partNo), asker);
        return { status: 200, text: `{"value":[${records}]}` };
      },
    }),
  ];
}

const lookEveryMs = 250;
// Longer than any transaction of the service is open, unless it hangs.
const overWithinMs = 7000;

/** Waits until no change up to this moment can come any more. Fails with 503 if that takes long. */
async function untilOver({ lists }: Database, time: Date, asker: Asker): Promise<void> {
  for (const until = performance.now() + overWithinMs; ; await pause(lookEveryMs)) {
    if (Date.parse(await lists.nextModifiedSince(asker)) > time.getTime()) return;
    if (performance.now() > until) throw new Failed(503, messages.unavailable, soonAgain, 'postgres');
  }
}
