import { parseQuantity, type Quantity, quantityOf } from '@inventory/domain/quantity';
import type { Pick } from '@inventory/domain/stock/allocate';
import { allocationOrder, type Batch, gateKey, type LotState } from '@inventory/domain/stock/batch';
import { issuePick } from '@inventory/domain/stock/issue';
import { movePick } from '@inventory/domain/stock/move';
import type { StockRequest } from '@inventory/domain/stock/transaction';
import type { Tx } from './client.ts';
import type { PartNumbers } from './gates.ts';

// Most picks are served by the first few lots of an item; one that is not is asked again for many more.
const firstLotsMax = 16;
const growth = 16;

type LotRow = {
  pick: number;
  rec_no: number;
  part_no: number;
  wid: number;
  spot: string;
  units: string;
  received: Date;
  expires: Date | null;
  serial: string;
  serial2: string | null;
  rfid_tag: string | null;
  hold: boolean;
};

/**
 * Reads, for every move and issue, as many lots in the order of allocation as the whole batch could take out of their gate:
 * a request finds its lots among them whatever the ones before it in the batch have taken. The first statement is sent at
 * once and must come after the one that locks the gates; `facts`, which hold the batch's moment, may come later.
 */
export async function pickCandidates(
  tx: Tx,
  requests: readonly StockRequest[],
  parts: PartNumbers,
  facts: Promise<{ now: Date }>,
): Promise<{ lots: Batch['lots']; lotsByRecNo: Batch['lotsByRecNo'] }> {
  const { picks, demand } = picksOf(requests, parts);
  const lotsByRecNo: Batch['lotsByRecNo'] = new Map();
  let open = picks;
  for (let limit = firstLotsMax; open.length > 0; limit *= growth) {
    const rows = await readLots(tx, open, limit);
    const now = (await facts).now.getTime();
    const found = open.map(() => ({ count: 0, units: 0n }));
    for (const row of rows) {
      const lot = lotsByRecNo.get(row.rec_no) ?? lotOf(row);
      lotsByRecNo.set(lot.recNo, lot);
      const sum = found[row.pick - 1]!;
      sum.count += 1;
      if (open[row.pick - 1]!.expiredToo || lot.expires === null || lot.expires > now) sum.units += lot.units;
    }
    open = open.filter((pick, index) => {
      const { count, units } = found[index]!;
      return count === limit && units < demand.get(gateKey(pick.partNo, pick.wid))!;
    });
  }
  const lots: Batch['lots'] = new Map();
  for (const lot of lotsByRecNo.values()) {
    const key = gateKey(lot.partNo, lot.wid);
    const gate = lots.get(key);
    if (gate === undefined) lots.set(key, [lot]);
    else gate.push(lot);
  }
  for (const gate of lots.values()) gate.sort(allocationOrder);
  return { lots, lotsByRecNo };
}

function picksOf(requests: readonly StockRequest[], parts: PartNumbers) {
  const picks = new Map<string, Pick>();
  const demand = new Map<string, Quantity>();
  for (const request of requests) {
    const partNo = parts.byShortId.get(request.body.itemID);
    if (request.kind === 'receive' || partNo === undefined) continue;
    const pick = request.kind === 'move' ? movePick(partNo, request.body) : issuePick(partNo, request.body);
    picks.set(JSON.stringify(pick), pick);
    const key = gateKey(partNo, pick.wid);
    demand.set(key, (demand.get(key) ?? 0n) + quantityOf(request.body.units));
  }
  return { picks: [...picks.values()], demand };
}

/** The lots of each pick, `limit` at most each, in the order of allocation; a lot named by its recNo whatever its state. */
async function readLots(tx: Tx, picks: readonly Pick[], limit: number): Promise<LotRow[]> {
  const column = <T>(read: (pick: Pick) => T | undefined) => picks.map((pick) => read(pick) ?? null);
  return tx<LotRow[]>`
    select pick, lot.*
    from unnest(
        ${column((pick) => pick.partNo)}::integer[], ${column((pick) => pick.wid)}::integer[],
        ${column((pick) => pick.spot)}::text[], ${column((pick) => pick.serial)}::text[],
        ${column((pick) => pick.serial2)}::text[], ${column((pick) => pick.rfidTag)}::text[],
        ${column((pick) => pick.received?.[0])}::bigint[], ${column((pick) => pick.received?.[1])}::bigint[],
        ${column((pick) => pick.notAtSpot)}::text[], ${column((pick) => Number(pick.expiredToo))}::integer[],
        ${column((pick) => pick.recNo)}::bigint[]
      ) with ordinality as picks (part_no, wid, spot, serial, serial2, rfid_tag, received_from, received_to, not_at_spot, expired_too, rec_no, pick)
    cross join lateral (
      select lot.rec_no, lot.part_no, lot.wid, lot.spot, lot.units, lot.received, lot.expires, lot.serial, lot.serial2,
        lot.rfid_tag, lot.hold
      from lot
      where picks.rec_no is null
        and lot.part_no = picks.part_no
        and lot.wid = picks.wid
        and lot.active
        and not lot.hold
        -- As of the transaction's begin: of these, those that are expired at the batch's moment are left out when it is decided.
        and (picks.expired_too = 1 or lot.expires is null or lot.expires > now())
        and (picks.spot is null or lot.spot = picks.spot)
        and (picks.serial is null or lot.serial = picks.serial)
        and (picks.serial2 is null or lot.serial2 = picks.serial2)
        and (picks.rfid_tag is null or lot.rfid_tag = picks.rfid_tag)
        and (picks.received_from is null or lot.received >= to_timestamp(picks.received_from / 1000.0))
        and (picks.received_to is null or lot.received < to_timestamp(picks.received_to / 1000.0))
        and (picks.not_at_spot is null or lot.spot <> picks.not_at_spot)
      order by lot.expires, lot.received, lot.rec_no
      limit ${limit}
    ) as lot
    union all
    select pick, rec_no, part_no, wid, spot, units, received, expires, serial, serial2, rfid_tag, hold
    from unnest(${column((pick) => pick.recNo)}::bigint[]) with ordinality as named (rec_no, pick)
    join lot using (rec_no)`;
}

function lotOf(row: LotRow): LotState {
  return {
    recNo: row.rec_no,
    partNo: row.part_no,
    wid: row.wid,
    spot: row.spot,
    units: parseQuantity(row.units),
    received: row.received.getTime(),
    expires: row.expires?.getTime() ?? null,
    serial: row.serial,
    serial2: row.serial2,
    rfidTag: row.rfid_tag,
    hold: row.hold,
    origin: { kind: 'stored' },
    changed: false,
  };
}
