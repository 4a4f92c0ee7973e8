import { setTimeout as pause } from 'node:timers/promises';
import type { Sql } from '@inventory/postgres/pool';
import type { Fault } from './fault.ts';
import { hotItem } from './requests.ts';
import { endedSince, isTransaction } from './told.ts';

const beforeMs = 3000;
const heldMs = 10_000;
// Below this share, the drop is more than noise.
const shareMin = 0.5;
const unavailableMax = 0.01;
const unavailableFew = 5;

/** Holds one item's gate for ten seconds. Callers of other items must not notice. */
const gateHeld: Fault = {
  name: 'gate held',
  hurts: true,
  async strike({ cluster, callers, now, report }) {
    callers.part(hotItem);
    await pause(500);
    const from = now();
    await pause(beforeMs);
    const heldFrom = now();
    await cluster.sql.begin(async (tx) => {
      await tx`
        select
        from stock_level
        join item using (part_no)
        where short_id = ${hotItem} and wid = 1
        for no key update of stock_level`;
      await pause(heldMs);
    });
    const until = now();
    const others = endedSince(callers.log, from).filter(
      // The operations of a batch are answered all at once.
      (each) => isTransaction(each) && each.batch === null && each.itemId !== hotItem,
    );
    callers.part(null);
    const yesPerSecond = (begin: number, end: number) => {
      const said = others.filter(
        ({ told, at, tookMs }) => told === 'yes' && at + tookMs >= begin && at + tookMs < end,
      );
      return (said.length / (end - begin)) * 1000;
    };
    const before = yesPerSecond(from, heldFrom);
    const during = yesPerSecond(heldFrom, until);
    const unavailable = others.filter(({ status, at }) => status >= 500 && at >= heldFrom).length;
    console.log(
      `        other items: ${before.toFixed(0)} yes a second before, ${during.toFixed(0)} while the gate was held; ${unavailable} 5xx`,
    );
    if (during < before * shareMin) {
      report(
        `gate held: other items had ${during.toFixed(0)} yes a second, ${before.toFixed(0)} before it was held`,
      );
    }
    if (unavailable > Math.max(unavailableFew, others.length * unavailableMax)) {
      report(`gate held: ${unavailable} of ${others.length} requests of other items were answered 5xx`);
    }
  },
};

const lotsOfLargeItem = 30_000;
let struck = 0;
const largeItem = (round: number) => `LARGE-${round}`;

/** Issues that take thousands of lots: applied or refused, without harm to other callers. */
const largeIssue: Fault = {
  name: 'large issue',
  hurts: false,
  async prepare({ sql }, rounds) {
    for (let round = 0; round < rounds; round++) await prepareLots(sql, largeItem(round), lotsOfLargeItem);
  },
  async strike({ callers }) {
    const itemId = largeItem(struck++);
    await Promise.all([callers.issue(itemId, 900), callers.issue(itemId, 5000), callers.issue(itemId, 300)]);
    // The caller of large issues takes what is left.
    callers.setLargeItem(itemId);
  },
};

/** Full batches of both modes at once. Other callers may be told "busy" meanwhile. */
const fullBatches: Fault = {
  name: 'full batches',
  hurts: true,
  strike: ({ callers }) => callers.fullBatches(),
};

/** Load and locks, on one item and on many. */
export const loadFaults: readonly Fault[] = [gateHeld, largeIssue, fullBatches];

/**
 * Adds an item with `count` lots of one unit in warehouse 1, and its ledger, as if each had been received.
 * Much faster than receipts; no other request may know the item yet.
 */
async function prepareLots(sql: Sql, shortId: string, count: number): Promise<void> {
  await sql.begin(async (tx) => {
    const [item] = await tx<{ part_no: number }[]>`
      insert into item (short_id, created_by) values (${shortId}, 'faults') returning part_no`;
    const partNo = item!.part_no;
    await tx`
      insert into stock_level (part_no, wid, in_stock, used) values (${partNo}, 1, ${count}, true)`;
    await tx`
      with made as (
        select n, nextval('lot_rec_no_seq') as rec_no, nextval('stock_transaction_no_seq') as transaction_no
        from generate_series(1, ${count}::integer) as n
      ), lots as (
        insert into lot (rec_no, part_no, wid, spot, units, received, reason_code, modified)
        -- A few moments, so that they are few arrivals too.
        select rec_no, ${partNo}, 1, '', 1, now() - n / 100 * interval '1 ms', 1, now()
        from made
      ), transactions as (
        insert into stock_transaction (transaction_no, request_id, client_id, kind, body, status, result)
        select transaction_no, gen_random_uuid(), 'faults', 'receive',
          json_build_object('itemID', ${shortId}::text, 'units', 1, 'wid', 1, 'reasonCode', 1, 'reference', ${shortId}::text || '/' || n),
          'applied', '{}'
        from made
      )
      insert into stock_entry (transaction_no, line, rec_no, part_no, wid, spot, delta, balance)
      select transaction_no, 1, rec_no, ${partNo}, 1, '', 1, 1
      from made`;
  });
  await sql`analyze lot`;
}
