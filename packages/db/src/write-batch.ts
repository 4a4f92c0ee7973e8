import { formatQuantity, type Quantity } from '@inventory/domain/quantity';
import type { Refusal } from '@inventory/domain/refused';
import { type Batch, gateKey, type LevelState, type LotState } from '@inventory/domain/stock/batch';
import type { Decision } from '@inventory/domain/stock/decision';
import type { PendingQuery, Row } from 'postgres';
import type { BatchRequest } from './apply-batch.ts';
import type { Tx } from './client.ts';
import type { StoredOutcome } from './outcome.ts';

/** A request of the batch with what was decided about it. */
export type DecidedTransaction = { request: BatchRequest; transactionNo: number } & (
  | Decision
  | { status: 'abandoned'; refusal: Refusal | null }
);

/**
 * Sends the writes of a batch, each changed row once, with the claim of the request ids: it fails on
 * `stock_transaction_request_id_key` when one of them was taken meanwhile. Returns the statements under way, for the commit that
 * goes out behind them.
 */
export function writeBatch(
  tx: Tx,
  batch: Batch,
  written: readonly { transaction: DecidedTransaction; outcome: StoredOutcome }[],
): PromiseLike<unknown>[] {
  const lots = batch.newLots;
  const changedLots = [...batch.lotsByRecNo.values()].filter((lot) => lot.changed);
  const changedLevels = [...batch.levels.values()].filter(
    ({ stored, ...level }) =>
      level.inStock !== stored.inStock || level.onHold !== stored.onHold || level.used !== stored.used,
  );
  const entries = written.flatMap(({ transaction }) =>
    transaction.status === 'applied'
      ? transaction.entries.map((entry, index) => ({
          ...entry,
          transactionNo: transaction.transactionNo,
          line: index + 1,
        }))
      : [],
  );
  assertBalanced(batch, entries);
  const now = new Date(batch.now);
  // Sent at once; Postgres takes them in this order, so that each row finds the rows it refers to.
  const statements = [
    claim(tx, written),
    writeLevels(tx, changedLevels, now),
    updateLots(tx, changedLots, now),
    insertReceivedLots(
      tx,
      lots.filter((lot) => lot.origin.kind === 'received'),
      now,
    ),
    insertSplitLots(
      tx,
      lots.filter((lot) => lot.origin.kind === 'split'),
      now,
    ),
    insertEntries(tx, entries),
  ];
  return statements.flatMap((statement) => statement?.execute() ?? []);
}

/** Null when there is nothing to write. */
type Statement = PendingQuery<Row[]> | null;

/** What the ledger says of each gate must be what its level says; anything else is an error of ours and stops the batch. */
function assertBalanced(
  batch: Batch,
  entries: readonly { lot: LotState; wid: number; delta: Quantity }[],
): void {
  const sums = new Map<string, Quantity>();
  for (const { lot, wid, delta } of entries) {
    const key = gateKey(lot.partNo, wid);
    sums.set(key, (sums.get(key) ?? 0n) + delta);
  }
  for (const [key, level] of batch.levels) {
    if ((sums.get(key) ?? 0n) !== level.inStock - level.stored.inStock) {
      throw new Error(`level and ledger of gate ${key} differ`);
    }
  }
}

function claim(
  tx: Tx,
  written: readonly { transaction: DecidedTransaction; outcome: StoredOutcome }[],
): Statement {
  if (written.length === 0) return null;
  const column = <T>(read: (each: (typeof written)[number]) => T) => written.map(read);
  return tx`
    insert into stock_transaction (transaction_no, request_id, client_id, kind, body, status, result)
    select transaction_no, request_id, client_id, kind, body::json, status, result::json
    from unnest(
        ${column(({ transaction }) => transaction.transactionNo)}::bigint[],
        ${column(({ transaction }) => transaction.request.requestId)}::uuid[],
        ${column(({ transaction }) => transaction.request.clientId)}::text[],
        ${column(({ transaction }) => transaction.request.kind)}::text[],
        ${column(({ transaction }) => JSON.stringify(transaction.request.body))}::text[],
        ${column(({ outcome }) => outcome.status)}::text[],
        ${column(({ outcome }) => outcome.result)}::text[]
      ) as decided (transaction_no, request_id, client_id, kind, body, status, result)
    -- In id order: two batches with the same requests, redelivered, would otherwise wait for each other.
    order by request_id`;
}

function writeLevels(tx: Tx, levels: readonly LevelState[], now: Date): Statement {
  if (levels.length === 0) return null;
  return tx`
    update stock_level
    set in_stock = changed.in_stock, on_hold = changed.on_hold, used = true, modified = ${now}
    from unnest(
        ${levels.map((level) => level.partNo)}::integer[], ${levels.map((level) => level.wid)}::integer[],
        ${levels.map((level) => formatQuantity(level.inStock))}::numeric[],
        ${levels.map((level) => formatQuantity(level.onHold))}::numeric[]
      ) as changed (part_no, wid, in_stock, on_hold)
    where stock_level.part_no = changed.part_no and stock_level.wid = changed.wid`;
}

function updateLots(tx: Tx, lots: readonly LotState[], now: Date): Statement {
  if (lots.length === 0) return null;
  return tx`
    update lot
    set units = changed.units, spot = changed.spot, modified = ${now}, active = changed.units > 0,
      shipped = case when changed.units = 0 then ${now}::timestamptz end
    from unnest(
        ${lots.map((lot) => lot.recNo)}::bigint[], ${lots.map((lot) => formatQuantity(lot.units))}::numeric[],
        ${lots.map((lot) => lot.spot)}::text[]
      ) as changed (rec_no, units, spot)
    where lot.rec_no = changed.rec_no`;
}

function insertReceivedLots(tx: Tx, lots: readonly LotState[], now: Date): Statement {
  if (lots.length === 0) return null;
  const requested = lots.flatMap(({ origin }) => (origin.kind === 'received' ? [origin] : []));
  const column = <T>(read: (origin: (typeof requested)[number]) => T | undefined) =>
    requested.map((origin) => read(origin) ?? null);
  const decimal = (value: number | undefined) => (value === undefined ? null : String(value));
  return tx`
    insert into lot (rec_no, part_no, wid, spot, units, received, shipped, expires, serial, serial2, rfid_tag, remark, owner,
      job_id, price, net_weight, gross_weight, supplier, line, reference, reason_code, active, modified)
    select rec_no, part_no, wid, spot, units, ${now}::timestamptz, case when units = 0 then ${now}::timestamptz end, expires,
      serial, serial2, rfid_tag, remark, owner, job_id, price, net_weight, gross_weight, supplier, line, reference,
      reason_code, units > 0, ${now}
    from unnest(
        ${lots.map((lot) => lot.recNo)}::bigint[], ${lots.map((lot) => lot.partNo)}::integer[],
        ${lots.map((lot) => lot.wid)}::integer[], ${lots.map((lot) => lot.spot)}::text[],
        ${lots.map((lot) => formatQuantity(lot.units))}::numeric[], ${column(({ request }) => request.expires)}::text[]::timestamptz[],
        ${lots.map((lot) => lot.serial)}::text[], ${lots.map((lot) => lot.serial2)}::text[],
        ${lots.map((lot) => lot.rfidTag)}::text[], ${column(({ request }) => request.remark ?? '')}::text[],
        ${column(({ owner }) => owner)}::integer[], ${column(({ request }) => request.jobid ?? 0)}::integer[],
        ${column(({ request }) => decimal(request.price))}::numeric[], ${column(({ request }) => decimal(request.netWeight))}::numeric[],
        ${column(({ request }) => decimal(request.grossWeight))}::numeric[], ${column(({ request }) => request.supplier)}::integer[],
        ${column(({ request }) => request.line)}::integer[], ${column(({ request }) => request.reference)}::text[],
        ${column(({ request }) => request.reasonCode)}::integer[]
      ) as received (rec_no, part_no, wid, spot, units, expires, serial, serial2, rfid_tag, remark, owner, job_id, price,
        net_weight, gross_weight, supplier, line, reference, reason_code)`;
}

function insertSplitLots(tx: Tx, lots: readonly LotState[], now: Date): Statement {
  if (lots.length === 0) return null;
  const split = lots.flatMap(({ origin }) => (origin.kind === 'split' ? [origin] : []));
  return tx`
    insert into lot (rec_no, from_rec_no, part_no, wid, spot, units, rfid_tag, received, shipped, expires, serial, serial2,
      remark, hold, hold_reason, owner, job_id, price, net_weight, gross_weight, supplier, line, reference, reason_code,
      active, modified)
    select split.rec_no, split.from_rec_no, source.part_no, split.wid, split.spot, split.units, split.rfid_tag, source.received,
      case when split.units = 0 then ${now}::timestamptz end, source.expires, source.serial, source.serial2, source.remark,
      source.hold, source.hold_reason, source.owner, source.job_id, source.price, source.net_weight, source.gross_weight,
      source.supplier, source.line, source.reference, source.reason_code, split.units > 0, ${now}
    from unnest(
        ${lots.map((lot) => lot.recNo)}::bigint[], ${split.map(({ from }) => from.recNo)}::bigint[],
        ${split.map(({ of }) => of.recNo)}::bigint[], ${lots.map((lot) => lot.wid)}::integer[],
        ${lots.map((lot) => lot.spot)}::text[], ${lots.map((lot) => formatQuantity(lot.units))}::numeric[],
        ${lots.map((lot) => lot.rfidTag)}::text[]
      ) as split (rec_no, from_rec_no, source_rec_no, wid, spot, units, rfid_tag)
    join lot as source on source.rec_no = split.source_rec_no`;
}

function insertEntries(
  tx: Tx,
  entries: readonly {
    transactionNo: number;
    line: number;
    lot: LotState;
    wid: number;
    spot: string;
    delta: Quantity;
  }[],
) {
  if (entries.length === 0) return null;
  return tx`
    insert into stock_entry (transaction_no, line, rec_no, part_no, wid, spot, delta)
    select *
    from unnest(
        ${entries.map((entry) => entry.transactionNo)}::bigint[], ${entries.map((entry) => entry.line)}::integer[],
        ${entries.map((entry) => entry.lot.recNo)}::bigint[], ${entries.map((entry) => entry.lot.partNo)}::integer[],
        ${entries.map((entry) => entry.wid)}::integer[], ${entries.map((entry) => entry.spot)}::text[],
        ${entries.map((entry) => formatQuantity(entry.delta))}::numeric[]
      )`;
}
