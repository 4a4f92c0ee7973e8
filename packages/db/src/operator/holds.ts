import type { Sql, Tx } from '@inventory/postgres/pool';

/** The client id in the ledger for changes by the command line. */
const adminClientId = 'admin';

/** Why a lot cannot be held or released. */
export type HoldRefusal = 'unknown_lot' | 'not_in_stock' | 'already_held' | 'not_held';

/** Puts a lot on hold, with a reason. It counts in `inStock` and `onHold`, and no allocation takes it. */
export async function holdLot(
  sql: Sql,
  { recNo, reason }: { recNo: number; reason: string },
): Promise<'held' | HoldRefusal> {
  return sql.begin(async (tx) => {
    const lot = await lockGateAndReadLot(tx, recNo);
    if (lot === null) return 'unknown_lot';
    if (!lot.active) return 'not_in_stock';
    if (lot.hold) return 'already_held';
    await change(tx, 'hold', { recNo, reason }, lot.wid);
    return 'held';
  });
}

/** Releases a lot from hold. */
export async function releaseLot(sql: Sql, recNo: number): Promise<'released' | HoldRefusal> {
  return sql.begin(async (tx) => {
    const lot = await lockGateAndReadLot(tx, recNo);
    if (lot === null) return 'unknown_lot';
    if (!lot.active) return 'not_in_stock';
    if (!lot.hold) return 'not_held';
    await change(tx, 'release', { recNo }, lot.wid);
    return 'released';
  });
}

type Found = { wid: number; active: boolean; hold: boolean };

async function lockGateAndReadLot(tx: Tx, recNo: number): Promise<Found | null> {
  // Locks the gate, like the batches. A lot never changes its item or warehouse (moved elsewhere, it becomes
  // another record), so it may be looked up before the lock.
  const [gate] = await tx`
    select
    from stock_level
    where (part_no, wid) = (select part_no, wid from lot where rec_no = ${recNo})
    for no key update`;
  if (gate === undefined) return null;
  // A statement of its own, so that it sees the changes of the gate's last holder.
  const [lot] = await tx<Found[]>`
    select wid, active, hold
    from lot
    where rec_no = ${recNo}`;
  return lot ?? null;
}

/**
 * Changes the lot, which announces the number of the change; notes it in the ledger and for the change feed;
 * then changes the level, so that whether that runs low is told behind it.
 */
async function change(
  tx: Tx,
  kind: 'hold' | 'release',
  body: { recNo: number; reason?: string },
  wid: number,
) {
  const { recNo, reason = null } = body;
  const [hold, status] = kind === 'hold' ? [true, 'held'] : [false, 'released'];
  await tx`
    update lot
    set hold = ${hold}, hold_reason = ${reason}, modified = change_moment()
    where rec_no = ${recNo}`;
  await tx`
    with noted as (
      insert into stock_transaction (request_id, client_id, kind, body, status, result, at)
      values (gen_random_uuid(), ${adminClientId}, ${kind}, ${JSON.stringify(body)}::text::json, 'applied',
        ${JSON.stringify({ recNo, wid, status })}::text::json, change_moment())
      returning transaction_no
    )
    insert into change (change_no, kind, wid, rec_no)
    select transaction_no, 'hold', ${wid}::integer, ${recNo}::bigint
    from noted`;
  await tx`
    update stock_level
    set on_hold = on_hold + case when ${hold} then lot.units else -lot.units end, modified = lot.modified
    from lot
    where lot.rec_no = ${recNo} and stock_level.part_no = lot.part_no and stock_level.wid = lot.wid`;
}
