import { itemExists } from '@inventory/db/lists/list-items';
import { stockAt } from '@inventory/db/lists/list-stock-at';
import { stockDays } from '@inventory/db/lists/stock-days';
import { StockDayList } from '@inventory/domain/contract/stock-level';
import { parseDateTime } from '@inventory/domain/date-time';
import { Permission } from '@inventory/domain/permission';
import { noItem } from '@inventory/domain/refusals/refused';
import { idParameter, requiredId, withinDays } from '@inventory/paging/parameters';
import { z } from 'zod';
import type { Database } from '../database.ts';
import { answerBytes } from '../http/answer-bytes.ts';
import { route } from '../http/route.ts';
import { stockDays as stockDaysDescription } from '../openapi/descriptions/inventory.ts';
import { listRoute, untilSettled } from './list-route.ts';

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

/** `/Inventory/StockAt`: the stock as it was. `now`: the clock of Postgres, in milliseconds since 1970. */
export function stockAtRoutes(database: Database, now: () => number) {
  return [
    listRoute(stockAt(now), database),
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
      notFound: noItem.message,
      description: stockDaysDescription,
      handle: async ({ query: { partNo, wid, ...days }, ...asker }) => {
        if (!(await database.reads.run((sql) => itemExists(sql, partNo), asker.wait))) return null;
        // A day that is not over changes. Later ones are left out.
        const today = Math.floor(now() / dayMs) * dayMs;
        const [from, to] = [days.from.getTime(), Math.min(days.to.getTime(), today)];
        if (from > to) return { status: 200, text: '{"value":[]}' };
        const over = Math.min(to + dayMs, today) - 1;
        if (over >= from) await untilSettled(database, new Date(over), asker);
        const wids = wid === undefined ? [...asker.client.scope] : [wid];
        const asked = { from: days.from, to: new Date(to) };
        const { records } = await database.lists.page(stockDays(asked, wids, partNo), asker);
        return { status: 200, text: `{"value":[${records}]}` };
      },
    }),
  ];
}
