import { itemIdOf, reversedBy, warehousesOf } from '@inventory/domain/kinds/kinds';
import { formatQuantity, type Quantity } from '@inventory/domain/quantity';
import type { Refusal } from '@inventory/domain/refusals/refused';
import type { Evidence, QueuedRequest } from '@inventory/domain/request';
import { type Batch, gateKey, type LevelState, type LotState } from '@inventory/domain/stock/batch';
import type { Decision } from '@inventory/domain/stock/decision';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import { type Piece, piece, raw, send } from '@inventory/postgres/piece';
import type { Tx } from '@inventory/postgres/pool';
import { PlainError } from '@inventory/process/plain-error';
import { claimKeys, isKeyed } from '../requests/idempotency-keys.ts';
import { jsonArray, plainArray } from './array-text.ts';
import { arraysOf, keptColumns, namesOf, ownColumns } from './lot-columns.ts';

/** A request of the batch and its decision. */
export type DecidedTransaction = { request: QueuedRequest; transactionNo: number } & (
  | Exclude<Decision, { status: 'undecided' }>
  | { status: 'abandoned'; refusal: Refusal | null }
);

/**
 * Sends the writes of a batch as one statement. Each changed row is written once, and the request ids and
 * keys are claimed: if one was taken meanwhile, the statement fails on `stock_transaction_request_id_key` or
 * `idempotency_key_pkey`. Returns the running statement, so that the commit can be sent behind it; null if
 * everything was decided before. `moment`: see `Facts`.
 */
export function writeBatch(
  tx: Tx,
  batch: Batch,
  written: readonly { transaction: DecidedTransaction; outcome: StoredOutcome }[],
  moment: Date,
): PromiseLike<unknown> | null {
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
  const held = written.flatMap(({ transaction }) =>
    transaction.status === 'applied' && transaction.held !== undefined ? [transaction.held] : [],
  );
  assertBalanced(batch, entries);
  assertTold(changedLots, [...entries.map(({ lot }) => lot), ...held]);
  if (written.length === 0) return null;
  const now = new Date(batch.now);
  const keyed = written.flatMap(({ transaction: { request }, outcome: { status } }) =>
    isKeyed(request) ? [{ request, status }] : [],
  );
  const keys = keyed.length === 0 ? piece`` : piece`keyed as (${claimKeys(keyed, now)}),`;
  // One statement, because for a single request the number of statements is the main cost. Each part sees the
  // rows as they were before all parts; references are checked after all of them.
  const statement = send(tx)`
    with claimed as (${claim(batch, written, moment)}),
      counted as (${countClaimed}),
      ${keys}
      ${held.length === 0 ? piece`` : piece`noted as (${noteHolds(held)}),`}
      leveled as (${writeLevels(changedLevels, moment)}),
      changed as (${updateLots(changedLots, now, moment)}),
      received as (${insertReceivedLots(batch.newLots, now, moment)}),
      split as (${insertSplitLots(batch.newLots, now, moment)})
    ${insertEntries(entries)}`;
  return statement.execute();
}

/** Ledger and level of each gate must agree. Otherwise there is a bug, and the batch stops. */
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
      throw new PlainError(`level and ledger of gate ${key} differ`);
    }
  }
}

/** Lists find changed lots by their lines, and by holds. */
function assertTold(changed: readonly LotState[], told: readonly LotState[]): void {
  const those = new Set(told);
  const untold = changed.find((lot) => !those.has(lot));
  if (untold !== undefined) throw new PlainError(`lot ${untold.recNo} changes without a line`);
}

function claim(
  batch: Batch,
  written: readonly { transaction: DecidedTransaction; outcome: StoredOutcome }[],
  moment: Date,
): Piece {
  const column = <T>(read: (each: (typeof written)[number]) => T) => written.map(read);
  const plain = (read: (each: (typeof written)[number]) => number | string | null) =>
    plainArray(written.map(read));
  // The history shows applied transactions only, so evidence of others would never be read.
  const evidenceOf = ({ transaction: { request, status } }: (typeof written)[number]) =>
    status === 'applied' ? request.evidence : undefined;
  const evidence = <T>(read: (evidence: Evidence) => T) =>
    column((each) => {
      const noted = evidenceOf(each);
      return noted === undefined ? null : read(noted);
    });
  const touched = column(({ transaction }) => touchedBy(batch, transaction));
  const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  // Few requests have evidence, and each column has a cost.
  const noted = written.some((each) => evidenceOf(each) !== undefined);
  const names = noted ? piece`, captured_at, captured_at_corrected, device_id, device_seq` : piece``;
  const values = noted
    ? piece`,
        ${plainArray(evidence(({ capturedAt }) => time(capturedAt)))}::text[]::timestamptz[],
        ${plainArray(evidence(({ correctedAt }) => time(correctedAt)))}::text[]::timestamptz[],
        ${evidence(({ deviceId }) => deviceId)}::text[], ${plainArray(evidence(({ deviceSeq }) => deviceSeq))}::bigint[]`
    : piece``;
  return piece`
    insert into stock_transaction (transaction_no, request_id, x_request_id, client_id, kind, body, status, result, at, reverses,
      part_no, wid, to_wid ${names})
    select transaction_no, request_id, x_request_id, client_id, kind, body, status,
      case when json_typeof(result) <> 'null' then result end,
      -- One time for all, that of their lots: the stock of any moment is one that the ledger had.
      ${moment}::timestamptz, reverses, part_no, wid, to_wid ${names}
    from rows from (unnest(
        ${plain(({ transaction }) => transaction.transactionNo)}::bigint[],
        ${plain(({ transaction }) => transaction.request.requestId)}::uuid[],
        ${column(({ transaction }) => transaction.request.xRequestId ?? null)}::text[],
        ${column(({ transaction }) => transaction.request.clientId)}::text[],
        ${plain(({ transaction }) => transaction.request.kind)}::text[],
        ${plain(({ outcome }) => outcome.status)}::text[],
        ${plain(({ transaction }) => (transaction.status === 'applied' ? reversedBy(transaction.request) : null))}::bigint[],
        ${plainArray(touched.map(({ partNo }) => partNo))}::integer[], ${plainArray(touched.map(({ wid }) => wid))}::integer[],
        ${plainArray(touched.map(({ toWid }) => toWid))}::integer[]
        ${values}
      ),
      json_array_elements(${jsonArray(column(({ transaction }) => JSON.stringify(transaction.request.body)))}::text::json),
      json_array_elements(${jsonArray(column(({ outcome }) => outcome.result))}::text::json)
      ) as decided (transaction_no, request_id, x_request_id, client_id, kind, status, reverses, part_no, wid, to_wid ${names},
        body, result)
    -- In id order: otherwise two batches with the same redelivered requests could deadlock.
    order by request_id
    returning transaction_no, wid, to_wid`;
}

/**
 * Appends the arrivals for the counts of transactions; see schema/09-list-counts.sql. Takes no lock that
 * another batch waits for.
 */
const countClaimed = piece`
    insert into list_arrival (list, wid, other_wid, bucket, records, active)
    select 'transactions', of_wid, other_wid, bucket, sign * records, 0
    from (
      select wid, to_wid, transaction_no >> 11 as bucket, count(*) as records
      from claimed
      where wid is not null
      group by 1, 2, 3
    ) as made
    cross join lateral counted_for(wid, to_wid)`;

/**
 * The item and warehouses of an applied transaction. Others have none, so no list of transactions includes
 * them.
 */
function touchedBy(batch: Batch, { request, status }: DecidedTransaction) {
  // The operations of an atomic batch are transactions; the batch itself is not.
  if (status !== 'applied' || request.kind === 'batch') return { partNo: null, wid: null, toWid: null };
  const [wid, toWid] = new Set(warehousesOf(request));
  return { partNo: batch.items.get(itemIdOf(request))!.partNo, wid: wid!, toWid: toWid ?? null };
}

/**
 * Tells holds in the change feed, under numbers of their own: an api of 0.1 tells that of the transaction as
 * one that touched no lot.
 */
function noteHolds(held: readonly LotState[]): Piece {
  return piece`
    insert into change (change_no, kind, wid, rec_no)
    select nextval('stock_transaction_no_seq'), 'hold', wid, rec_no
    from unnest(${plainArray(held.map(({ wid }) => wid))}::integer[], ${plainArray(held.map(({ recNo }) => recNo))}::bigint[])
      as held (wid, rec_no)`;
}

// In all of these statements the list comes first, whatever the statistics say; see `byKeys`.
function writeLevels(levels: readonly LevelState[], moment: Date): Piece {
  return piece`
    update stock_level
    set in_stock = changed.in_stock, on_hold = changed.on_hold, used = true, modified = ${moment}
    from unnest(
        ${plainArray(levels.map((level) => level.partNo))}::integer[], ${plainArray(levels.map((level) => level.wid))}::integer[],
        ${plainArray(levels.map((level) => formatQuantity(level.inStock)))}::numeric[],
        ${plainArray(levels.map((level) => formatQuantity(level.onHold)))}::numeric[]
      ) as changed (part_no, wid, in_stock, on_hold)
    where stock_level.part_no = any(array[changed.part_no]) and stock_level.wid = any(array[changed.wid])`;
}

const own = namesOf(ownColumns);
const kept = namesOf(keptColumns);
const ownChanged = raw(ownColumns.map(({ column }) => `${column} = changed.${column}`).join(', '));

function updateLots(lots: readonly LotState[], now: Date, moment: Date): Piece {
  const reason = reasonsIn(lots, 'changed');
  return piece`
    update lot
    set units = changed.units, modified = ${moment}, active = changed.units > 0,
      shipped = case when changed.units = 0 then ${now}::timestamptz end, ${ownChanged}, hold = changed.hold,
      hold_reason = case when changed.hold then ${reason.of(piece`lot.hold_reason`)} end
    from unnest(
        ${plainArray(lots.map((lot) => lot.recNo))}::bigint[], ${plainArray(lots.map((lot) => formatQuantity(lot.units)))}::numeric[],
        ${arraysOf(ownColumns, lots)},
        -- The driver cannot send arrays of booleans.
        ${plainArray(lots.map((lot) => Number(lot.hold)))}::integer[]::boolean[], ${plainArray(lots.map((lot) => lot.holdOf?.recNo ?? null))}::bigint[]
        ${reason.values}
      ) as changed (rec_no, units, ${own}, hold, hold_of ${reason.name})
    where lot.rec_no = any(array[changed.rec_no])`;
}

/**
 * Inserts the lots that this batch received, and lots split from those: all of their values are in the
 * requests.
 */
function insertReceivedLots(newLots: readonly LotState[], now: Date, moment: Date): Piece {
  const received = newLots.flatMap((lot) => {
    const { origin } = lot;
    if (origin.kind === 'received') return { lot, fromRecNo: null, ...origin };
    if (origin.kind !== 'split' || origin.of.origin.kind !== 'received') return [];
    return { lot, fromRecNo: origin.from.recNo, ...origin.of.origin };
  });
  const lots = received.map(({ lot }) => lot);
  return piece`
    insert into lot (rec_no, from_rec_no, part_no, wid, units, received, shipped, active, modified, ${own}, ${kept})
    select rec_no, from_rec_no, part_no, wid, units, ${now}::timestamptz, case when units = 0 then ${now}::timestamptz end,
      units > 0, ${moment}, ${own}, ${kept}
    from unnest(
        ${plainArray(lots.map(({ recNo }) => recNo))}::bigint[], ${plainArray(received.map(({ fromRecNo }) => fromRecNo))}::bigint[],
        ${plainArray(lots.map(({ partNo }) => partNo))}::integer[], ${plainArray(lots.map(({ wid }) => wid))}::integer[],
        ${plainArray(lots.map(({ units }) => formatQuantity(units)))}::numeric[],
        ${arraysOf(ownColumns, lots)}, ${arraysOf(keptColumns, received)}
      ) as received (rec_no, from_rec_no, part_no, wid, units, ${own}, ${kept})`;
}

/** Inserts lots split from lots that existed before the batch, and copies their other columns from those. */
function insertSplitLots(newLots: readonly LotState[], now: Date, moment: Date): Piece {
  const split = newLots.flatMap((lot) => {
    const { origin } = lot;
    return origin.kind === 'split' && origin.of.origin.kind === 'stored'
      ? { lot, recNo: lot.recNo, fromRecNo: origin.from.recNo, sourceRecNo: origin.of.recNo }
      : [];
  });
  const lots = split.map(({ lot }) => lot);
  const reason = reasonsIn(lots, 'split');
  return piece`
    insert into lot (rec_no, from_rec_no, part_no, wid, units, received, shipped, hold, hold_reason, active, modified, ${own},
      ${kept})
    select split.rec_no, split.from_rec_no, source.part_no, split.wid, split.units, source.received,
      case when split.units = 0 then ${now}::timestamptz end, split.hold,
      case when split.hold then ${reason.of(piece`source.hold_reason`)} end, split.units > 0, ${moment},
      ${namesOf(ownColumns, 'split.')}, ${namesOf(keptColumns, 'source.')}
    from unnest(
        ${plainArray(split.map(({ recNo }) => recNo))}::bigint[], ${plainArray(split.map(({ fromRecNo }) => fromRecNo))}::bigint[],
        ${plainArray(split.map(({ sourceRecNo }) => sourceRecNo))}::bigint[], ${plainArray(lots.map(({ wid }) => wid))}::integer[],
        ${plainArray(lots.map(({ units }) => formatQuantity(units)))}::numeric[], ${arraysOf(ownColumns, lots)},
        ${plainArray(lots.map(({ hold }) => Number(hold)))}::integer[]::boolean[],
        ${plainArray(lots.map(({ holdOf }) => holdOf?.recNo ?? null))}::bigint[]
        ${reason.values}
      ) as split (rec_no, from_rec_no, source_rec_no, wid, units, ${own}, hold, hold_of ${reason.name})
    join lot as source on source.rec_no = any(array[split.source_rec_no])`;
}

/**
 * The reasons of holds: `of` is that of a lot, which this batch set, or which the lot takes over from another
 * one, or the stored one. Few batches set one, and each column has a cost: then it is the last of the list,
 * with this `name` and these `values`.
 */
function reasonsIn(lots: readonly LotState[], list: 'changed' | 'split') {
  // A lot that a reversal refills has the hold that its units came with, and no reason if that has none.
  const others = (stored: Piece) => piece`case when ${raw(list)}.hold_of is null then ${stored}
    else (select held.hold_reason from lot as held where held.rec_no = ${raw(list)}.hold_of) end`;
  if (!lots.some(({ holdReason }) => holdReason !== undefined)) {
    return { name: piece``, values: piece``, of: others };
  }
  return {
    name: piece`, hold_reason`,
    values: piece`, ${lots.map(({ holdReason }) => holdReason ?? null)}::text[]`,
    // An empty one is none.
    of: (stored: Piece) => piece`nullif(coalesce(${raw(list)}.hold_reason, ${others(stored)}), '')`,
  };
}

function insertEntries(
  entries: readonly {
    transactionNo: number;
    line: number;
    lot: LotState;
    wid: number;
    spot: string;
    delta: Quantity;
    balance: Quantity;
  }[],
): Piece {
  return piece`
    insert into stock_entry (transaction_no, line, rec_no, part_no, wid, spot, delta, balance)
    select *
    from unnest(
        ${plainArray(entries.map((entry) => entry.transactionNo))}::bigint[], ${plainArray(entries.map((entry) => entry.line))}::integer[],
        ${plainArray(entries.map((entry) => entry.lot.recNo))}::bigint[], ${plainArray(entries.map((entry) => entry.lot.partNo))}::integer[],
        ${plainArray(entries.map((entry) => entry.wid))}::integer[], ${entries.map((entry) => entry.spot)}::text[],
        ${plainArray(entries.map((entry) => formatQuantity(entry.delta)))}::numeric[],
        ${plainArray(entries.map((entry) => formatQuantity(entry.balance)))}::numeric[]
      )`;
}
