import { kindNames, kindOf } from '@inventory/domain/kinds/kinds';
import { endWithClient } from '@inventory/postgres/end-with-client';
import type { Sql } from '@inventory/postgres/pool';
import { compareLevels, compareLots, type Drift } from './compare-stock.ts';

/** A place where levels, lots and ledger disagree. Quantities are decimal text. */
export type Imbalance = {
  check: string;
  place: Record<string, number | string>;
  expected: string;
  found: string;
};

// Blocks of items are named by their place: 1 is the first.
const itemBlockOf = (shortId: string) =>
  `width_bucket(${shortId}, array(select block from item_block order by block)) as block`;

type Sum = Exclude<ReturnType<typeof kindOf>['sum'], null>;
/** The kinds whose entries add up to a figure of their own. */
const summed = kindNames.flatMap((name) => {
  const { sum } = kindOf(name);
  return sum === null ? [] : [[name, sum] as const];
});
const orNone = summed.flatMap(([name, sum]) => (sum === 'none' || (sum !== 0 && sum.orNone) ? [name] : []));
const never = summed.flatMap(([name, sum]) => (sum === 'none' ? [name] : []));
const sumText = (sum: Sum) =>
  sum === 0 || sum === 'none' ? '0' : `${sum.sign} * (${sum.of}->>'${sum.field}')::numeric`;

// Each statement returns the places that differ: key columns, expected and found.
const checks: readonly { name: string; statement: string }[] = [
  {
    name: 'the entries of a transaction add up to what was asked',
    statement: `
      select transaction_no, expected, found
      from (
        select transaction_no, coalesce(sum(delta), 0) as found,
          case kind ${summed.map(([name, sum]) => `when '${name}' then ${sumText(sum)}`).join(' ')} end as expected,
          count(delta) as lines, kind
        from stock_transaction
        left join stock_entry using (transaction_no)
        where kind in (${summed.map(([name]) => `'${name}'`).join(', ')}) and status = 'applied'
        group by transaction_no
      ) as transactions
      where expected <> found
        or (lines = 0 and kind not in (${orNone.map((name) => `'${name}'`).join(', ')}))
        or (lines > 0 and kind in (${never.map((name) => `'${name}'`).join(', ')}))`,
  },
  {
    name: 'the balance of a line = the units of its lot after it',
    statement: `
      select transaction_no, line, expected, found
      from (
        select transaction_no, line, balance as found,
          sum(delta) over (partition by rec_no order by transaction_no, line) as expected
        from stock_entry
      ) as lines
      where expected <> found`,
  },
  {
    name: 'a reversal is the opposite of what it undid, per lot',
    statement: `
      select transaction_no, rec_no, expected, found
      from (
        select reversal.transaction_no, rec_no,
          coalesce(-sum(delta) filter (where entry.transaction_no = reversal.reverses), 0) as expected,
          coalesce(sum(delta) filter (where entry.transaction_no = reversal.transaction_no), 0) as found
        from stock_transaction as reversal
        join stock_entry as entry on entry.transaction_no in (reversal.transaction_no, reversal.reverses)
        where reversal.reverses is not null
        group by reversal.transaction_no, rec_no
      ) as lots
      where expected <> found`,
  },
  {
    name: 'only applied transactions have entries',
    statement: `
      select transaction_no, 0 as expected, count(*) as found
      from stock_entry
      left join stock_transaction using (transaction_no)
      where status is distinct from 'applied'
      group by transaction_no`,
  },
  {
    name: 'an entry is of the item and in a warehouse of its transaction',
    statement: `
      select transaction_no, line, wid as expected, entry_wid as found
      from (
        select transaction_no, line, stock_transaction.wid, stock_entry.wid as entry_wid
        from stock_entry
        join stock_transaction using (transaction_no)
        where stock_transaction.wid is not null and (stock_entry.part_no <> stock_transaction.part_no
          or (stock_entry.wid <> stock_transaction.wid and stock_entry.wid is distinct from stock_transaction.to_wid))
      ) as lines`,
  },
  {
    name: 'counted and arrived lots and transactions = those in the lists, per bucket and warehouses',
    statement: compare(
      'list, tier, wid, other_wid, bucket',
      ['records', 'active'],
      `select * from count_lists()`,
      `select list, tier, wid, other_wid, bucket, sum(records) as records, sum(active) as active
        from (
          select list, tier, wid, other_wid, bucket, records, active from list_count
          union all
          select list, tier, wid, other_wid, bucket >> 7 * tier, records, active
          from list_arrival
          cross join generate_series(0, 3) as tier
        ) as counted
        group by 1, 2, 3, 4, 5`,
    ),
  },
  {
    name: 'low gates = levels below their minimum',
    statement: compare(
      'part_no, wid',
      ['gates'],
      `select part_no, wid, 1 as gates from stock_level where in_stock - on_hold - committed - packed < minimum`,
      `select part_no, wid, 1 as gates from low_level`,
    ),
  },
  {
    name: 'counted and arrived items = items, per block of the lists',
    statement: compare(
      'block',
      ['items', 'active'],
      `select ${itemBlockOf('short_id')}, count(*) as items, count(*) filter (where not discontinued) as active
        from item
        group by 1`,
      `select block, sum(items) as items, sum(active) as active
        from (
          select ${itemBlockOf('block')}, items, active from item_block
          union all
          select ${itemBlockOf('short_id')}, items, active from item_arrival
        ) as counted
        group by block`,
    ),
  },
  {
    name: 'listed and arrived levels = levels that are used, per warehouse',
    statement: compare(
      'wid, block',
      ['levels'],
      `select wid, part_no / 8192 as block, count(*) as levels from stock_level where used group by 1, 2`,
      `select wid, block, sum(bit_count(used)) as levels
      from (
        select wid, block, bit_or(used) as used
        from (
          select wid, block, used from level_set
          union all
          select wid, part_no / 8192, set_bit(b'0'::bit(8192), part_no % 8192, 1) from level_arrival
        ) as collected
        group by wid, block
      ) as sets
      group by wid, block`,
    ),
  },
];

/** Compares counts that are kept side by side. `key`: the columns of a place. */
function compare(key: string, counts: readonly string[], expected: string, found: string): string {
  const pairs = counts.map((count) => `(coalesce(expected.${count}, 0), coalesce(found.${count}, 0))`);
  return `
    select ${key}, pair.expected, pair.found
    from (${expected}) as expected
    full join (${found}) as found using (${key})
    cross join lateral (values ${pairs.join(', ')}) as pair (expected, found)
    where pair.expected <> pair.found`;
}

// More differences add no information.
const differencesMax = 1000;

function imbalanceOf({ check, partNo, wid, recNo, expected, found }: Drift): Imbalance {
  return { check, place: { part_no: partNo, wid, ...(recNo > 0 && { rec_no: recNo }) }, expected, found };
}

/**
 * Returns every place where levels, lots and ledger differ, as of one moment, while the service keeps
 * running. Empty if all is well. Postgres does the sums; only differences are sent, at most 1,000 for each
 * check. `report` gets the name of each check as it begins.
 */
export async function findImbalances(
  sql: Sql,
  report: (check: string) => void = () => {},
): Promise<Imbalance[]> {
  return sql.begin('isolation level repeatable read read only', async (tx) => {
    await endWithClient(tx);
    await tx`set local work_mem = '64MB'`;
    report('units = entries, per lot');
    const lots = await compareLots(tx, { after: 0, until: Number.MAX_SAFE_INTEGER, rowsMax: null });
    report('in stock and on hold = lots, per item and warehouse');
    const levels = await compareLevels(tx, { after: { partNo: 0, wid: 0 }, rowsMax: null });
    const found = [...lots.drift, ...levels.drift].map(imbalanceOf);
    for (const { name, statement } of checks) {
      report(name);
      const rows = await tx.unsafe(
        `select *, expected::text as expected, found::text as found from (${statement}) as differences limit ${differencesMax}`,
      );
      found.push(...rows.map(({ expected, found, ...place }) => ({ check: name, place, expected, found })));
    }
    return found;
  });
}
