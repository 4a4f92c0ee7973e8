import { Refused } from '@inventory/api/http/errors';
import { createRequestId } from '@inventory/api/http/request-id';
import type { BatchCalls } from '@inventory/api/stock/batch-call/batch-calls';
import { appliedStatusOf, type Stock } from '@inventory/api/stock/transactions';
import { quantityOf } from '@inventory/domain/quantity';
import { notEnough } from '@inventory/domain/refusals/conflict';
import { invalid } from '@inventory/domain/refusals/refused';
import type { StockRequest } from '@inventory/domain/request';
import type { Sql, Tx } from '@inventory/postgres/pool';

const nothingUntaken = { held: 0n, expired: 0n, more: false, atDestination: 0n, moreAtDestination: false };

/** The requests of the load. */
type Plain = Extract<StockRequest, { kind: 'receive' | 'move' | 'issue' }>;

/**
 * The plain way, to compare with: every request is one database transaction of the api process, without a
 * queue. Written as one would by hand for a single request: the same tables, ledger and durability, with as
 * few statements as possible.
 */
export function createPlainStock(sql: Sql): Stock & BatchCalls {
  return {
    async operate(operation, { client }) {
      const answer = await sql.begin((tx) => apply(tx, operation as unknown as Plain, client.clientId));
      return { status: appliedStatusOf(operation.kind), text: JSON.stringify(answer) };
    },
    async batch() {
      throw new Error('the load sends no lists');
    },
  };
}

async function apply(tx: Tx, request: Plain, clientId: string): Promise<object> {
  const { body, kind } = request;
  const [item] = await tx<{ part_no: number; description: string; warehouse: string }[]>`
    select part_no, description, warehouse.name as warehouse
    from item, warehouse
    where short_id = ${body.itemID} and wid = ${body.wid}`;
  if (item === undefined) throw new Refused(invalid({ itemID: ['is not a known item.'] }));
  const partNo = item.part_no;
  const answer =
    request.kind === 'receive'
      ? await receive(tx, request.body, partNo, item)
      : await takeOut(tx, request, partNo);
  const { transactionNo } = answer;
  await tx`
    with claimed as (
      insert into stock_transaction (transaction_no, request_id, client_id, kind, body, status, result, part_no, wid)
      values (${transactionNo}, ${createRequestId()}, ${clientId}, ${kind}, ${JSON.stringify(body)}::text::json, 'applied',
        ${JSON.stringify(answer.result)}::text::json, ${partNo}, ${body.wid}))
    insert into list_arrival (list, wid, other_wid, bucket, records, active)
    values ('transactions', ${body.wid}, 0, ${transactionNo}::bigint >> 11, 1, 0)`;
  const { entries } = answer;
  await tx`
    insert into stock_entry (transaction_no, line, rec_no, part_no, wid, spot, delta, balance)
    select ${transactionNo}, line, rec_no, ${partNo}, wid, spot, delta, balance
    from unnest(${entries.map((entry) => entry.recNo)}::bigint[], ${entries.map((entry) => entry.wid)}::integer[],
      ${entries.map((entry) => entry.spot)}::text[], ${entries.map((entry) => entry.delta)}::numeric[], ${entries.map((entry) => entry.balance)}::numeric[])
      with ordinality as entries (rec_no, wid, spot, delta, balance, line)`;
  return answer.result;
}

// The number is drawn behind the gate's lock, so that the lines of a lot are in the order of their balances.
type Applied = {
  transactionNo: number;
  result: object;
  entries: { recNo: number; wid: number; spot: string; delta: string; balance: string }[];
};

async function receive(
  tx: Tx,
  body: Extract<Plain, { kind: 'receive' }>['body'],
  partNo: number,
  item: { description: string; warehouse: string },
): Promise<Applied> {
  const units = String(body.units);
  await addToLevel(tx, partNo, body.wid, units);
  const [lot] = await tx<{ rec_no: number; received: Date; transaction_no: number }[]>`
    insert into lot (part_no, wid, spot, units, received, serial, serial2, rfid_tag, remark, job_id, reason_code, reference, modified)
    values (${partNo}, ${body.wid}, ${body.spot ?? ''}, ${units}, now(), ${body.serial ?? ''}, ${body.serial2 ?? null},
      ${body.rfidTag ?? null}, ${body.remark ?? ''}, ${body.jobid ?? 0}, ${body.reasonCode}, ${body.reference ?? null}, now())
    returning rec_no, received, nextval('stock_transaction_no_seq') as transaction_no`;
  const { rec_no: recNo, received, transaction_no: transactionNo } = lot!;
  const shown = {
    recNo,
    partNo,
    shortID: body.itemID,
    description: item.description,
    associate: '',
    warehouse: item.warehouse,
    wID: body.wid,
    spot: body.spot ?? '',
    units: body.units,
    received,
    shipped: null,
    serial: body.serial ?? '',
    serial2: body.serial2 ?? null,
    rFIDTag: body.rfidTag ?? null,
    remark: body.remark ?? '',
    hold: false,
    jobID: body.jobid ?? 0,
    jobName: null,
    active: true,
  };
  return {
    transactionNo,
    result: { recNo, status: 'received', transactionNo, lot: shown },
    entries: [{ recNo, wid: body.wid, spot: body.spot ?? '', delta: units, balance: units }],
  };
}

/** Move inside a warehouse, and issue: all that the load needs. */
async function takeOut(
  tx: Tx,
  request: Exclude<Plain, { kind: 'receive' }>,
  partNo: number,
): Promise<Applied> {
  const { body, kind } = request;
  const from = kind === 'move' ? body.fromSpot : body.spot;
  const { serial, rfidTag } = body;
  await tx`select from stock_level where part_no = ${partNo} and wid = ${body.wid} for no key update`;
  const lots = await tx<
    { rec_no: number; units: string; spot: string; expires: Date | null; transaction_no: number }[]
  >`
    select rec_no, units, spot, expires, (select nextval('stock_transaction_no_seq')) as transaction_no
    from lot
    where part_no = ${partNo} and wid = ${body.wid} and active and not hold
      ${from === undefined ? tx`` : tx`and spot = ${from}`}
      ${serial === undefined ? tx`` : tx`and serial = ${serial}`}
      ${rfidTag === undefined ? tx`` : tx`and rfid_tag = ${rfidTag}`}
    order by expires, received, rec_no
    limit 16`;
  const entries: Applied['entries'] = [];
  const shown: object[] = [];
  let missing = Number(body.units);
  for (const lot of lots) {
    if (missing === 0) break;
    const taken = Math.min(missing, Number(lot.units));
    missing -= taken;
    const remaining = Number(lot.units) - taken;
    entries.push({
      ...{ recNo: lot.rec_no, wid: body.wid, spot: lot.spot },
      ...{ delta: String(-taken), balance: String(remaining) },
    });
    if (kind === 'move' && remaining === 0) {
      await tx`update lot set spot = ${body.toSpot ?? ''}, modified = now() where rec_no = ${lot.rec_no}`;
      const moved = { wid: body.wid, spot: body.toSpot ?? '', delta: String(taken), balance: String(taken) };
      entries.push({ recNo: lot.rec_no, ...moved });
    } else {
      await tx`
        update lot
        set units = ${String(remaining)}::numeric, active = ${remaining > 0}, modified = now(),
          shipped = case when ${remaining === 0} then now() end
        where rec_no = ${lot.rec_no}`;
    }
    if (kind === 'move' && remaining > 0) {
      const [split] = await tx<{ rec_no: number }[]>`
        insert into lot (from_rec_no, part_no, wid, spot, units, received, expires, serial, serial2, remark, job_id, owner, modified)
        select rec_no, part_no, wid, ${body.toSpot ?? ''}, ${String(taken)}::numeric, received, expires, serial, serial2, remark,
          job_id, owner, now()
        from lot
        where rec_no = ${lot.rec_no}
        returning rec_no`;
      const moved = { wid: body.wid, spot: body.toSpot ?? '', delta: String(taken), balance: String(taken) };
      entries.push({ recNo: split!.rec_no, ...moved });
    }
    shown.push({ recNo: lot.rec_no, units: taken, remaining });
  }
  if (missing > 0) throw new Refused(notEnough(quantityOf(body.units), 0n, nothingUntaken));
  if (kind === 'issue') await addToLevel(tx, partNo, body.wid, String(-body.units));
  const status = kind === 'move' ? 'moved' : 'issued';
  const transactionNo = lots[0]!.transaction_no;
  return {
    transactionNo,
    result: { recNo: entries[0]!.recNo, status, transactionNo, units: body.units, lots: shown },
    entries,
  };
}

/** An update first: the row is nearly always there, and the check would refuse a proposed row below zero. */
async function addToLevel(tx: Tx, partNo: number, wid: number, units: string) {
  const updated = await tx`
    update stock_level
    set in_stock = in_stock + ${units}::numeric, used = true, modified = now()
    where part_no = ${partNo} and wid = ${wid}`;
  if (updated.count > 0) return;
  await tx`
    insert into stock_level (part_no, wid, in_stock, used, modified)
    values (${partNo}, ${wid}, ${units}, true, now())
    on conflict (part_no, wid) do update
    set in_stock = stock_level.in_stock + excluded.in_stock, used = true, modified = now()`;
}
