import { setTimeout as pause } from 'node:timers/promises';
import { endWithClient } from '@inventory/postgres/end-with-client';
import { isLockTimeout, type Sql, type Tx } from '@inventory/postgres/pool';
import { dropKeysAndIndexes, makeAgain } from '../audit/rebuild.ts';

/** How much to create. There are at least as many transactions as lots, because each lot comes from one. */
export type SeedSize = { items: number; warehouses: number; lots: number; transactions: number };

// Triggers that append arrivals for the counts and sets of the lists.
const counting = [
  ['item', 'item_added'],
  ['stock_level', 'level_added'],
  ['lot', 'lot_added'],
] as const;

// Their indexes and references are created again when all rows are there.
const filled = ['lot', 'stock_level', 'stock_entry', 'stock_transaction'];

const chunkSize = 250_000;
/** The client of the seeded transactions. */
const seedClientId = 'seed';

/** The default number of transactions: receipts, and moves and issues of some of the received units. */
export function transactionsFor(lots: number): number {
  return Math.ceil(lots * 1.4);
}

export function isSeedSize({ lots, transactions }: SeedSize): boolean {
  return transactions >= lots && transactions <= lots * 5;
}

/**
 * Adds items, warehouses, lots, levels and their ledger to the existing data, in one transaction: new items
 * in warehouses 1, 2, …. A tenth of the lots were split off by a move, receipts are spread over three years,
 * few items have many lots, and lots that were issued completely are shipped. Other work on stock waits until
 * it is done. `report` gets each step and its progress, 0 to 1.
 */
export async function seed(
  sql: Sql,
  size: SeedSize,
  report: (step: string, done: number) => void,
): Promise<void> {
  await sql.begin(async (tx) => {
    await endWithClient(tx);
    await lockAll(tx);
    await tx`set local work_mem = '256MB'`;
    await tx`set local maintenance_work_mem = '512MB'`;
    await tx`set local statement_timeout = 0`;
    await addWarehouses(tx, size.warehouses);
    // The counts that these triggers maintain are rebuilt at the end.
    for (const [table, trigger] of counting)
      await tx.unsafe(`alter table ${table} disable trigger ${trigger}`);
    const firstPartNo = await addItems(tx, size, report);
    const dropped = await dropKeysAndIndexes(tx, filled, { keptUnique: true });
    await addStock(tx, size, firstPartNo, report);
    await makeAgain(tx, dropped, report);
    report('counts', 0);
    for (const [table, trigger] of counting)
      await tx.unsafe(`alter table ${table} enable trigger ${trigger}`);
    await tx`select recount_items(), recount_lists(), collect_levels()`;
    report('counts', 1);
  });
  report('statistics', 0);
  await sql`
    vacuum (analyze) item, stock_level, lot, stock_transaction, stock_entry, item_block, level_set, list_count`;
  report('statistics', 1);
}

/**
 * Locks all that the work reads or fills. Lists and folds take these tables in any order, so the locks are
 * given back for a second whenever one of them cannot be had: then nothing waits for what waits for this.
 */
async function lockAll(tx: Tx): Promise<void> {
  for (let tries = 1; !(await lock(tx, locked, togetherMs)); tries++) {
    if (tries % 10 === 0) for (const table of locked) await lock(tx, [table], aloneMs, givenBack);
    await pause(1000);
  }
  await tx`set local lock_timeout = 0`;
}

const locked = [
  ...[
    'stock_level',
    'lot',
    'stock_transaction',
    'stock_entry',
    'item',
    'level_set',
    'list_count',
    'item_block',
  ],
  ...['level_arrival', 'list_arrival', 'item_arrival'],
];
// For each, so that all together take less than the second after which Postgres looks for a deadlock.
const togetherMs = 80;
// Longer than that second: Postgres then ends an autovacuum that has the table.
const aloneMs = 1300;

const givenBack = new Error('given back');

/** Whether these tables were locked. `after`: thrown then, which gives the locks back. */
async function lock(tx: Tx, tables: readonly string[], timeoutMs: number, after?: Error): Promise<boolean> {
  try {
    await tx.savepoint(async (own) => {
      await own.unsafe(`set local lock_timeout = ${timeoutMs};
        lock table ${tables.join(', ')} in access exclusive mode`);
      if (after !== undefined) throw after;
    });
    return true;
  } catch (error) {
    if (error === after || isLockTimeout(error)) return false;
    throw error;
  }
}

async function addWarehouses(tx: Tx, warehouses: number): Promise<void> {
  await tx`
    insert into warehouse (wid, name)
    select wid, 'Warehouse ' || wid
    from generate_series(1, ${warehouses}::integer) as wid
    on conflict do nothing`;
}

/** Numbers from 0 to below 1, from a number and a salt, that look random but are the same each time. */
const random = (of: string, salt: number) =>
  `(hashint8extended((${of})::bigint, ${salt}) & 1048575)::double precision / 1048576`;

/** Returns the number of the first item; the others follow it. */
async function addItems(
  tx: Tx,
  { items }: SeedSize,
  report: (step: string, done: number) => void,
): Promise<number> {
  const [last] = await tx<{ serial: number }[]>`
    select coalesce(max(substr(short_id, 6)::integer), 0) as serial
    from item
    where short_id ~ ${`^SEED-\\d{8}$`}`;
  const firstSerial = last!.serial + 1;
  for (let from = 0; from < items; from += chunkSize) {
    report('items', from / items);
    await tx.unsafe(
      `
      insert into item (short_id, description, category, sub_category, uom, put_up, units, dflt_owner, discontinued, created, created_by,
        modified)
      select 'SEED-' || lpad(n::text, 8, '0'),
        (array['Hexagon bolt', 'Cable', 'Wall paint', 'Shipping labels', 'Bearing', 'Gasket', 'Pump', 'Valve', 'Filter', 'Belt'])
          [1 + n % 10] || ' ' || (array['small', 'large', 'zinc plated', 'black', 'white', 'reinforced', 'spare'])[1 + n % 7] || ' ' || n,
        1 + (n % 50)::integer, (n % 7)::integer, (array['EA', 'EA', 'EA', 'KG', 'M', 'L'])[1 + n % 6],
        (array['', 'box of 10', 'pallet'])[1 + n % 3], (array[1, 10, 250])[1 + n % 3], 0, n % 33 = 0, at, '${seedClientId}', at
      from (
        select n, date_trunc('milliseconds', now() - interval '3 years' + random() * interval '30 days') as at
        from generate_series($1::bigint, $2::bigint) as n
      ) as numbered
      order by n`,
      [firstSerial + from, firstSerial + Math.min(items, from + chunkSize) - 1],
    );
  }
  report('items', 1);
  const [first] = await tx<{ part_no: number }[]>`
    select part_no
    from item
    where short_id = 'SEED-' || lpad(${firstSerial}::text, 8, '0')`;
  return first!.part_no;
}

/**
 * Receipt n (from 0) created lot n. The first `splits` of these, every few receipts, lost half of their units
 * to a new lot. Then each was issued from `issues / receipts` times on average, some until they were empty.
 */
async function addStock(
  tx: Tx,
  size: SeedSize,
  firstPartNo: number,
  report: (step: string, done: number) => void,
): Promise<void> {
  const extra = size.transactions - size.lots;
  const splits = Math.min(Math.floor(size.lots / 10), Math.floor(extra / 2));
  const receipts = size.lots - splits;
  const issues = size.transactions - receipts - splits;
  // Announces the numbers to readers of changes.
  await tx`select change_moment()`;
  const [start] = await tx<{ rec_no: number; transaction_no: number }[]>`
    select nextval('lot_rec_no_seq') as rec_no, nextval('stock_transaction_no_seq') as transaction_no`;
  const numbers = {
    firstRecNo: start!.rec_no,
    firstTransactionNo: start!.transaction_no,
  };
  await tx`
    create temp table seeded (
      n bigint, part_no integer, short_id text, wid integer, spot text, units integer, received timestamptz(3), first bigint,
      split bigint, issues integer, issued integer, hold boolean
    ) on commit drop`;
  for (let from = 0; from < receipts; from += chunkSize) {
    report('lots, transactions and entries', from / receipts);
    const to = Math.min(receipts, from + chunkSize) - 1;
    await fillSeeded(tx, { ...size, firstPartNo, receipts, splits, issues }, from, to);
    await addChunk(tx, { ...numbers, receipts });
  }
  report('lots, transactions and entries', 1);
  await tx`
    insert into stock_level (part_no, wid, in_stock, on_hold, used, modified)
    select part_no, wid, sum(units), coalesce(sum(units) filter (where hold), 0), true, max(modified)
    from lot
    where part_no >= ${firstPartNo}
    group by part_no, wid
    order by part_no, wid`;
  await tx`select setval('lot_rec_no_seq', ${numbers.firstRecNo + size.lots}::bigint)`;
  await tx`select setval('stock_transaction_no_seq', ${numbers.firstTransactionNo + size.transactions}::bigint)`;
}

/** Replaces the table's rows by the receipts `from` to `to` with their moves and issues. */
async function fillSeeded(
  tx: Tx,
  of: SeedSize & { firstPartNo: number; receipts: number; splits: number; issues: number },
  from: number,
  to: number,
): Promise<void> {
  const { firstPartNo, receipts, splits, issues } = of;
  await tx`truncate seeded`;
  await tx.unsafe(
    `
    insert into seeded
    select n, part_no, short_id, wid, spot, received.units, received.received, first, split, issues,
      -- One lot in three with issues is empty now; the others gave a little each time.
      case when issues = 0 then 0 when n % 3 = 0 then received.units - received.units / 2 * (split is not null)::integer else issues end,
      n % 97 = 0 and not (issues > 0 and n % 3 = 0)
    from (
      select n, part_no, 1 + floor(power(${random('n', 2)}, 1.5) * ${of.warehouses})::integer as wid,
        chr(65 + (n % 26)::integer) || '-' || lpad((n / 26 % 60)::text, 2, '0') || '-' || (n % 5) as spot,
        20 + floor(${random('n', 3)} * 480)::integer as units,
        date_trunc('milliseconds', now() - interval '3 years' + (n + 0.5) / ${receipts} * (interval '3 years' - interval '1 minute')) as received,
        n + n * ${splits} / ${receipts} + n * ${issues} / ${receipts} as first,
        case when (n + 1) * ${splits} / ${receipts} > n * ${splits} / ${receipts} then n * ${splits} / ${receipts} end as split,
        ((n + 1) * ${issues} / ${receipts} - n * ${issues} / ${receipts})::integer as issues
      from (
        select n, ${firstPartNo} + floor(power(${random('n', 1)}, 2) * ${of.items})::integer as part_no
        from generate_series($1::bigint, $2::bigint) as n
      ) as numbered
    ) as received
    join item using (part_no)
    order by n`,
    [from, to],
  );
}

/** The numbers of the first lot and transaction, and how many receipts there are. */
type Numbering = { firstRecNo: number; firstTransactionNo: number; receipts: number };

/**
 * The expressions for a receipt in `seeded`: its lot, the lot that was split off, and its transactions. These
 * are numbered in the order of their times, as all others are: a receipt, its move, its issues, the next one.
 */
function expressionsOf({ firstRecNo, firstTransactionNo, receipts }: Numbering) {
  return {
    recNo: `(${firstRecNo} + n)`,
    splitRecNo: `(${firstRecNo + receipts} + split)`,
    receiptNo: `(${firstTransactionNo} + first)`,
    moveNo: `(${firstTransactionNo} + first + 1)`,
    issueNo: `(${firstTransactionNo} + first + 1 + (split is not null)::integer + nth)`,
    moved: '(units / 2 * (split is not null)::integer)',
    // Before the next receipt.
    movedAt: `received + interval '1 year' / (2 * ${receipts})`,
    issuedAt: `received + interval '1 year' / ${receipts}`,
    // Each issue took one unit, except the first, which took the rest.
    taken: '(case when nth = 0 then issued - (issues - 1) else 1 end)',
    takenSoFar: '(issued - (issues - 1) + nth)',
    eachIssue: 'cross join lateral generate_series(0, issues - 1) as nth',
  };
}

/** Adds the rows for the receipts in `seeded`: lots, then their transactions and entries. */
async function addChunk(tx: Tx, numbering: Numbering): Promise<void> {
  const of = expressionsOf(numbering);
  await addReceivedLots(tx, of);
  await addSplitLots(tx, of);
  await addTransactions(tx, of);
  await addEntries(tx, of);
}

type Expressions = ReturnType<typeof expressionsOf>;

async function addReceivedLots(tx: Tx, of: Expressions): Promise<void> {
  await tx.unsafe(`
    insert into lot (rec_no, part_no, wid, spot, units, received, shipped, serial, remark, hold, hold_reason, reason_code, active, modified)
    select ${of.recNo}, part_no, wid, spot, units - ${of.moved} - issued, received,
      case when units - ${of.moved} = issued then ${of.issuedAt} end, case when n % 4 = 0 then 'S' || n else '' end, '', hold,
      case when hold then 'inspection' end, 1, units - ${of.moved} > issued,
      case when issues > 0 then ${of.issuedAt} when split is not null then ${of.movedAt} else received end
    from seeded
    order by n`);
}

async function addSplitLots(tx: Tx, of: Expressions): Promise<void> {
  await tx.unsafe(`
    insert into lot (rec_no, part_no, wid, spot, units, received, serial, remark, hold, hold_reason, reason_code, from_rec_no, active, modified)
    select ${of.splitRecNo}, part_no, wid, spot || 'b', ${of.moved}, received, case when n % 4 = 0 then 'S' || n else '' end, '', hold,
      case when hold then 'inspection' end, 1, ${of.recNo}, true, ${of.movedAt}
    from seeded
    where split is not null
    order by n`);
}

async function addTransactions(tx: Tx, of: Expressions): Promise<void> {
  await tx.unsafe(`
    insert into stock_transaction (transaction_no, request_id, client_id, kind, body, status, result, at, part_no, wid)
    select transaction_no,
      -- Like the service's ids, they begin with the time, so they are neighbours in the index.
      (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(transaction_no::text), 1, 3) || '8'
        || substr(md5(transaction_no::text), 4, 15))::uuid,
      '${seedClientId}', kind, body, 'applied', result, at, part_no, wid
    from (
      select ${of.receiptNo} as transaction_no, received as at, 'receive' as kind,
        json_build_object('itemID', short_id, 'units', units, 'wid', wid, 'reasonCode', 1, 'spot', spot) as body,
        json_build_object('recNo', ${of.recNo}, 'status', 'received', 'transactionNo', ${of.receiptNo}) as result, part_no, wid
      from seeded
      union all
      select ${of.moveNo}, ${of.movedAt}, 'move',
        json_build_object('itemID', short_id, 'units', ${of.moved}, 'wid', wid, 'recno', ${of.recNo}, 'toSpot', spot || 'b'),
        json_build_object('recNo', ${of.splitRecNo}, 'status', 'moved', 'transactionNo', ${of.moveNo}, 'units', ${of.moved},
          'lots', json_build_array(json_build_object('recNo', ${of.splitRecNo}, 'fromRecNo', ${of.recNo}, 'units', ${of.moved},
            'remaining', units - ${of.moved}, 'wID', wid, 'spot', spot || 'b'))), part_no, wid
      from seeded
      where split is not null
      union all
      select ${of.issueNo}, ${of.issuedAt}, 'issue',
        json_build_object('itemID', short_id, 'units', ${of.taken}, 'wid', wid, 'reasonCode', 2, 'recno', ${of.recNo}),
        json_build_object('recNo', ${of.recNo}, 'status', 'issued', 'transactionNo', ${of.issueNo}, 'units', ${of.taken},
          'lots', json_build_array(json_build_object('recNo', ${of.recNo}, 'units', ${of.taken},
            'remaining', units - ${of.moved} - ${of.takenSoFar}))), part_no, wid
      from seeded
      ${of.eachIssue}
    ) as transactions
    order by transaction_no`);
}

async function addEntries(tx: Tx, of: Expressions): Promise<void> {
  await tx.unsafe(`
    insert into stock_entry (transaction_no, line, rec_no, part_no, wid, spot, delta, balance)
    select *
    from (
      select ${of.receiptNo}, 1, ${of.recNo}, part_no, wid, spot, units, units
      from seeded
      union all
      select ${of.moveNo}, line, case line when 1 then ${of.recNo} else ${of.splitRecNo} end, part_no, wid,
        case line when 1 then spot else spot || 'b' end, case line when 1 then -${of.moved} else ${of.moved} end,
        case line when 1 then units - ${of.moved} else ${of.moved} end
      from seeded
      cross join generate_series(1, 2) as line
      where split is not null
      union all
      select ${of.issueNo}, 1, ${of.recNo}, part_no, wid, spot, -${of.taken}, units - ${of.moved} - ${of.takenSoFar}
      from seeded
      ${of.eachIssue}
    ) as entries
    order by 1, 2`);
}
