import { setTimeout as pause } from 'node:timers/promises';
import { readNextModifiedSince } from '@inventory/db/lists/next-modified-since';
import { stockAtPage } from '@inventory/db/lists/stock-at';
import { StockAt } from '@inventory/domain/contract/stock-level';
import { Text } from '@inventory/domain/fields';
import { Permission } from '@inventory/domain/permission';
import { invalid } from '@inventory/domain/refusals/refused';
import { requiredDateTime } from '@inventory/paging/date-time-parameter';
import { pageQueryShape } from '@inventory/paging/page-query';
import { z } from 'zod';
import type { Database } from '../database.ts';
import { pageBytes } from '../http/answer-bytes.ts';
import { Failed, messages, Refused, soonAgain } from '../http/errors.ts';
import { idParameter, idsParameter } from '../http/reading/parameters.ts';
import { route } from '../http/route.ts';
import type { Asker } from '../lists/lists.ts';
import { pageAnswer, pageReply } from '../lists/page-reply.ts';
import { stockAt } from '../openapi/descriptions/inventory.ts';

/** The most items in one query: each is looked up by its key. */
const partNosMax = 100;
const { page, pageSize } = pageQueryShape([]);
const stockAtQuery = z.object({
  ...{ page, pageSize },
  time: requiredDateTime('The moment; a date: its end, UTC', { through: true, example: '2026-01-31' }),
  wid: idParameter('Only stock in this warehouse'),
  itemID: Text.optional().meta({ description: 'Only the item with this ShortID' }),
  partNo: idParameter('Only the item with this part number'),
  partNos: idsParameter(`Only items with these part numbers, up to ${partNosMax}`, partNosMax),
});
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
      query: stockAtQuery,
      warehouses: ({ query }) => (query.wid === undefined ? [] : [query.wid]),
      answer: { 200: StockAtPage },
      answerBytes: ({ query }) => pageBytes('stockAt', query),
      keyed: false,
      paged: 'always',
      notFound: null,
      description: stockAt,
      handle: async ({ query: { time, wid, ...asked }, ...asker }) => {
        if (time.getTime() > now()) throw new Refused(invalid({ time: ['must not be in the future.'] }));
        await untilOver(database, time, asker);
        const query = { ...asked, sort: undefined, direction: 'asc' as const };
        const wids = wid === undefined ? [...asker.client.scope] : [wid];
        return pageReply(
          query,
          await database.lists.page(stockAtPage(query, wids, { ...asked, time }), asker),
        );
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
    if ((await lists.lookUp(readNextModifiedSince, asker)) > time) return;
    if (performance.now() > until) throw new Failed(503, messages.unavailable, soonAgain, 'postgres');
  }
}
