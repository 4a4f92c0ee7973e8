import { isDeepStrictEqual } from 'node:util';
import type { Sql } from '@inventory/postgres/pool';
import { expect } from 'vitest';
import { createRandom } from '../../faults/random.ts';
import type { StockModel } from './stock-model.ts';
import { type ModelLot, sum } from './stock-model-lots.ts';
import { millionths, type Places } from './stock-places.ts';

/** Random numbers that a seed repeats. */
export type Chance = { upTo(limit: number): number; of<T>(values: readonly T[]): T };

export function chanceOf(seed: number): Chance {
  const next = createRandom(seed);
  const upTo = (limit: number) => Math.floor(next() * limit);
  return { upTo, of: (values) => values[upTo(values.length)]! };
}

/** An item as the model knows it. */
export type ModelItem = { itemID: string; model: StockModel; places: Places };

/** One of its gates. */
export type Gate = { item: ModelItem; wid: number };

/** The first one is no spot. */
export const spotsOf = (count: number) => ['', ...Array.from({ length: count }, (_, index) => `P-${index}`)];

// Around the numbers that a batch reads in each round.
const counts = [0, 3, 15, 16, 17, 40, 255, 256, 257, 520, 999, 1000, 1001, 1002, 1300];
const day = 86_400_000;
const someDay = Date.parse('2025-03-01T00:00:00Z');

/**
 * Fills a gate with this many lots that will expire, have expired and never expire, and with their ledger.
 */
export async function fillGate(sql: Sql, chance: Chance, { item, wid }: Gate): Promise<void> {
  const { itemID, model, places } = item;
  const spots = spotsOf(chance.of([0, 3, 40]));
  const expiries = [
    ...Array.from({ length: chance.of(counts) }, () => Date.parse('2040-01-01') + chance.upTo(200) * day),
    ...Array.from(
      { length: chance.of([0, 2, 17, 300]) },
      () => Date.parse('2020-01-01') + chance.upTo(9) * day,
    ),
    ...Array.from({ length: chance.of(counts) }, () => null),
  ];
  const oneOnHoldOf = chance.of([12, 12, 12, 2, 1]);
  const lots = expiries.map(
    (expires, index): Omit<ModelLot, 'lot'> => ({
      wid,
      spot: chance.of(spots),
      units: millionths(chance.of([0.5, 1, 1, 1, 2, 3])),
      // Several came at the same moment.
      received: someDay + chance.upTo(2000) * 100 + chance.upTo(4) * day,
      expires,
      serial: chance.of(['', 'S1', 'S2', `N-${index}`]),
      serial2: chance.of([null, '', 'B1', `B-${index}`]),
      rfidTag: chance.of([null, `R-${index}`, `R-${index >> 1}`]),
      hold: chance.upTo(oneOnHoldOf) === 0,
    }),
  );
  if (lots.length === 0) return;
  const column = <T>(read: (lot: Omit<ModelLot, 'lot'>) => T) => lots.map(read);
  const units = (some: readonly Pick<ModelLot, 'units'>[]) => Number(sum(some)) / 1e6;
  const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  const rows = await sql.begin(async (tx) => {
    const total = units(lots);
    const held = units(lots.filter(({ hold }) => hold));
    const [level] = await tx<{ part_no: number }[]>`
      insert into stock_level (part_no, wid, in_stock, on_hold, used)
      select part_no, ${wid}, ${total}, ${held}, true
      from item
      where short_id = ${itemID}
      returning part_no`;
    const numbered = await tx<{ rec_no: number }[]>`
      insert into lot (part_no, wid, spot, units, received, expires, serial, serial2, rfid_tag, hold, modified)
      select ${level!.part_no}, ${wid}, spot, units, received, expires, serial, serial2, rfid_tag, hold, now()
      from unnest(${column((lot) => lot.spot)}::text[], ${column((lot) => units([lot]))}::numeric[],
        ${column((lot) => time(lot.received))}::text[]::timestamptz[], ${column((lot) => time(lot.expires))}::text[]::timestamptz[],
        ${column((lot) => lot.serial)}::text[], ${column((lot) => lot.serial2)}::text[],
        ${column((lot) => lot.rfidTag)}::text[], ${column((lot) => (lot.hold ? 1 : 0))}::integer[]::boolean[])
        with ordinality as made (spot, units, received, expires, serial, serial2, rfid_tag, hold, nth)
      order by nth
      returning rec_no`;
    await tx`
      with received as (
        insert into stock_transaction (request_id, client_id, kind, body, status, result)
        values (gen_random_uuid(), 'tests', 'receive', ${JSON.stringify({ itemID, units: total })}::text::json, 'applied', '{}')
        returning transaction_no
      )
      insert into stock_entry (transaction_no, line, rec_no, part_no, wid, spot, delta, balance)
      select transaction_no, row_number() over (order by rec_no), rec_no, part_no, wid, spot, units, units
      from received, lot
      where part_no = ${level!.part_no} and wid = ${wid}`;
    return numbered;
  });
  for (const [index, lot] of lots.entries()) {
    model.add(lot);
    places.recNos.push(rows[index]!.rec_no);
  }
}

/** Expects the stored lots of an item to be those of its model. */
export async function expectSameLots(sql: Sql, { itemID, model, places }: ModelItem): Promise<void> {
  const rows = await sql`
    select rec_no, wid, spot, lot.units::double precision, received, expires, serial, serial2, rfid_tag as "rfidTag", hold
    from lot
    join item using (part_no)
    where short_id = ${itemID}
    order by rec_no`;
  const stored = rows.map(({ rec_no, units, received, expires, ...row }) => ({
    ...row,
    lot: places.of(rec_no),
    units: millionths(units),
    received: received.getTime(),
    expires: expires?.getTime() ?? null,
  }));
  const byPlace = stored.sort((one, other) => one.lot! - other.lot!);
  if (!isDeepStrictEqual(byPlace, model.allLots())) expect(byPlace).toEqual(model.allLots());
}
