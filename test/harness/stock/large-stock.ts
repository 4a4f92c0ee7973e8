import type { Sql, Tx } from '@inventory/db/postgres/pool';

/** The number of lots; one in ten is of the large item. */
export const largeStock = { lots: 1_000_000, items: 20_000, warehouses: 3 } as const;

/**
 * The item with a tenth of all lots, all in one warehouse and in stock. Each lot has its own serial, second
 * serial and RFID tag; they are on a thousand spots, except for the newest, which is alone on `rareSpot`. A
 * third of them will expire some day, one in a thousand has expired, and one in a hundred is on hold.
 */
export const largeItem = {
  shortId: 'LARGE-ITEM',
  wid: 1,
  lots: 100_000,
  spots: 1_000,
  rareSpot: 'RARE',
} as const;

/** The serial and spot of lot `n` of the large item, from 1 (received first) to 100,000. */
export const largeItemLot = (n: number) => ({
  serial: `SN-${String(n).padStart(7, '0')}`,
  serial2: `SB-${String(n).padStart(7, '0')}`,
  rfidTag: `RF-${String(n).padStart(7, '0')}`,
  spot: n === largeItem.lots ? largeItem.rareSpot : `L-${String(n % largeItem.spots).padStart(4, '0')}`,
});

// These keep the counts and sets of the lists up to date, which are rebuilt at the end.
const counting = [
  ['item', 'item_added'],
  ['stock_level', 'level_added'],
  ['lot', 'lot_added'],
] as const;

/**
 * Fills a test database with a million lots in their gates, for tests of plans: few items have many lots, and
 * one has 100,000; clustered by item, which is what changes plans, and analysed. Lots, levels and the counts
 * of the lists agree. There is no ledger, so the checks after a test of a whole service would fail. Takes
 * some 20 s on two cores. Returns the number of the large item.
 */
export async function fillLargeStock(sql: Sql): Promise<{ partNo: number }> {
  const partNo = await sql.begin(async (tx) => {
    await tx`lock table stock_level, lot, item in access exclusive mode`;
    await tx`set local work_mem = '256MB'`;
    await tx`set local maintenance_work_mem = '512MB'`;
    await tx`set local statement_timeout = 0`;
    await tx`
      insert into warehouse (wid, name)
      select wid, 'Warehouse ' || wid
      from generate_series(1, ${largeStock.warehouses}::integer) as wid
      on conflict do nothing`;
    for (const [table, trigger] of counting)
      await tx.unsafe(`alter table ${table} disable trigger ${trigger}`);
    const first = await addItems(tx);
    const dropped = await dropIndexesAndChecks(tx);
    await addLots(tx, first);
    await addLevels(tx, first);
    await makeIndexesAndChecks(tx, dropped);
    for (const [table, trigger] of counting)
      await tx.unsafe(`alter table ${table} enable trigger ${trigger}`);
    await tx`select recount_items(), recount_lists(), collect_levels()`;
    return first;
  });
  const own = await sql.reserve();
  await own`set statement_timeout = 0`;
  await own`vacuum (analyze) item, stock_level, lot`;
  await own`reset statement_timeout`;
  own.release();
  return { partNo };
}

/** Returns the number of the first one, which is the large item; the others follow it. */
async function addItems(tx: Tx): Promise<number> {
  const [large] = await tx<{ part_no: number }[]>`
    insert into item (short_id, created_by)
    values (${largeItem.shortId}, 'large stock')
    returning part_no`;
  await tx`
    insert into item (short_id, created_by)
    select 'SPREAD-' || lpad(n::text, 6, '0'), 'large stock'
    from generate_series(1, ${largeStock.items}::integer) as n
    order by n`;
  return large!.part_no;
}

type Dropped = { name: string; make: string };

/**
 * Updating row by row, a million times, would cost more than all the rest. The key stays: recNos only grow.
 */
async function dropIndexesAndChecks(tx: Tx): Promise<{ indexes: Dropped[]; checks: Dropped[] }> {
  const indexes = await tx<Dropped[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as make
    from pg_index
    where indrelid = 'lot'::regclass
      and not exists (select from pg_constraint where conindid = indexrelid)
    order by 1`;
  const checks = await tx<Dropped[]>`
    select conname as name, format('alter table lot add constraint %I %s', conname, pg_get_constraintdef(oid)) as make
    from pg_constraint
    where contype = 'f' and conrelid = 'lot'::regclass
    order by 1`;
  for (const { name } of indexes) await tx.unsafe(`drop index ${name}`);
  for (const { name } of checks) await tx.unsafe(`alter table lot drop constraint ${name}`);
  return { indexes, checks };
}

/** First the index that the table is clustered by, then the others, which would otherwise be built twice. */
async function makeIndexesAndChecks(
  tx: Tx,
  { indexes, checks }: { indexes: Dropped[]; checks: Dropped[] },
): Promise<void> {
  const byItem = indexes.find(({ name }) => name === 'lot_item_idx')!;
  await tx.unsafe(byItem.make);
  await tx`cluster lot using lot_item_idx`;
  for (const each of [...indexes, ...checks]) if (each !== byItem) await tx.unsafe(each.make);
}

/** In the order of receipt, as in a real warehouse: lots of the large item lie between the others. */
async function addLots(tx: Tx, partNo: number): Promise<void> {
  const each = largeStock.lots / largeItem.lots;
  await tx`
    with numbers as (
      select n, (hashint8extended(n, 1) & 1048575)::double precision / 1048576 as share,
        -- Not in the order of receipt.
        now() + interval '30 days' + (hashint8(n) & 1048575) * interval '1 minute' as soon
      from generate_series(1, ${largeStock.lots}::bigint) as n
    )
    insert into lot (rec_no, part_no, wid, spot, units, received, shipped, expires, serial, serial2, rfid_tag,
      hold, hold_reason, active, modified)
    select first + n, part_no, wid, spot, case when active then 1 + n % 50 else 0 end, received,
      case when not active then received + interval '1 day' end, expires, serial, serial2, rfid_tag,
      hold, case when hold then 'inspection' end, active, received
    from (
      select n, ${partNo}::integer as part_no, ${largeItem.wid}::integer as wid,
        case
          when nth = ${largeItem.lots} then ${largeItem.rareSpot}
          else 'L-' || lpad((nth % ${largeItem.spots})::text, 4, '0')
        end as spot,
        case
          when nth % 1000 = 7 then now() - interval '1 day'
          when nth % 3 = 0 then soon
        end as expires,
        'SN-' || lpad(nth::text, 7, '0') as serial, 'SB-' || lpad(nth::text, 7, '0') as serial2,
        'RF-' || lpad(nth::text, 7, '0') as rfid_tag, nth % 100 = 50 as hold, true as active
      from (select n, n / ${each} as nth, soon from numbers where n % ${each} = 0) as numbered
      union all
      -- Few of the items have many lots.
      select n, ${partNo + 1} + floor(power(share, 2) * ${largeStock.items})::integer,
        1 + (hashint8(n) & 255) % ${largeStock.warehouses},
        chr(65 + (n % 26)::integer) || '-' || lpad((n / 26 % 60)::text, 2, '0'),
        case when n % 5 = 1 then soon end,
        case when n % 4 = 1 then 'S' || n else '' end, case when n % 12 = 1 then 'T' || n end,
        case when n % 12 = 1 then 'R' || n end, n % 97 = 0, n % 3 <> 0 or n % 97 = 0
      from numbers
      where n % ${each} <> 0
    ) as made
    cross join (select coalesce(max(rec_no), 0) as first from lot) as before
    cross join lateral (
      select date_trunc('milliseconds',
        now() - interval '3 years' + n * (interval '3 years' / ${largeStock.lots})) as received
    ) as at
    order by n`;
  await tx`select setval('lot_rec_no_seq', (select max(rec_no) from lot))`;
}

async function addLevels(tx: Tx, partNo: number): Promise<void> {
  await tx`
    insert into stock_level (part_no, wid, in_stock, on_hold, used, modified)
    select part_no, wid, sum(units), coalesce(sum(units) filter (where hold), 0), true, max(modified)
    from lot
    where part_no >= ${partNo}
    group by part_no, wid
    order by part_no, wid`;
}
