import type { Queued, StockRequest } from '@inventory/domain/request';
import type { Batches } from '../queue/batches.ts';
import { type Chance, type Gate, spotsOf } from './random-stock.ts';
import type { Operation } from './stock-model.ts';
import { type ModelLot, sum } from './stock-model-lots.ts';
import { millionths, type Places } from './stock-places.ts';

// The numbers of lots that a request needs: around the numbers that a batch reads in each round, and may
// take.
const small = [1, 1, 1, 2, 3, 5, 9, 15, 16, 17, 33];
const large = [255, 256, 257, 600, 999, 1000, 1001, 1002, 1400];

const kinds = [
  ...(['receive', 'receive', 'count', 'move', 'move', 'move', 'move'] as const),
  ...(['issue', 'issue', 'issue', 'issue', 'issue'] as const),
];
const heldKinds = ['count', 'move', 'move'] as const;

const filterKinds = [
  ...(['any', 'any', 'any', 'spot', 'spot', 'spot'] as const),
  ...(['serial', 'serial2', 'rfid', 'two', 'recNo'] as const),
];

/** The kinds of these requests: the contract's three transactions, and counts without `expected`. */
export type ModelRequest = Extract<StockRequest, { kind: 'receive' | 'move' | 'issue' | 'count' }>;

/** A request in the model's terms. */
export function operationOf(request: ModelRequest, { recNos }: Places): Operation {
  const absent = { spot: undefined, serial: undefined };
  const unitsOf = (units: number | string) => Number(millionths(Number(units)));
  if (request.kind === 'receive') {
    const { units, wid, spot = '', serial = '', expires } = request.body;
    return { kind: 'receive', units: unitsOf(units), wid, spot, serial, expires };
  }
  if (request.kind === 'count') {
    const { counted, wid, spot, serial } = request.body;
    const everywhere = spot === undefined && serial === undefined ? true : undefined;
    const whole = { lot: undefined, expected: undefined };
    return { kind: 'count', counted: unitsOf(counted), wid, spot, serial, everywhere, ...whole };
  }
  const { body } = request;
  // A missing lot gets a place that no lot has.
  const place = body.recno === undefined ? undefined : recNos.indexOf(body.recno);
  const named = { units: unitsOf(body.units), lot: place === -1 ? recNos.length : place };
  if (request.kind === 'issue') return { kind: 'issue', ...absent, ...request.body, ...named };
  const places = { fromSpot: undefined, toSpot: undefined, shipToWid: undefined, serial: undefined };
  return { kind: 'move', ...places, ...request.body, ...named };
}

/** The balance at a place or of a serial, a little more or less, or much less. */
function countOf(
  batches: Batches,
  chance: Chance,
  { item: { itemID, model }, wid }: Gate,
  { lots, late }: { lots: readonly ModelLot[]; late: object },
): Queued<ModelRequest> {
  const lot = lots.length === 0 ? undefined : chance.of(lots);
  const filters = lot === undefined ? {} : chance.of([{}, { spot: lot.spot }, { serial: lot.serial }]);
  const request = batches.request('count', { itemID, wid, ...filters, counted: 0 }, late);
  const asked = { spot: undefined, serial: undefined, ...filters };
  const whole = { lot: undefined, everywhere: undefined, expected: undefined };
  const there = model.unitsAt({ counted: 0, wid, ...asked, ...whole }) / 1e6;
  request.body.counted = Math.max(0, chance.of([there, there + 0.5, there + 2, there - 1, there >> 1]));
  return request;
}

function bodyOf(
  chance: Chance,
  { item: { itemID, places }, wid }: Gate,
  kind: 'issue' | 'move',
  lots: readonly ModelLot[],
) {
  const place = { itemID, wid };
  const lot = lots.length === 0 ? undefined : chance.of(lots);
  // A lot on hold is moved only by its recNo.
  const isNamed = kind === 'move' && lot?.hold === true && chance.upTo(2) === 0;
  const by = isNamed ? 'recNo' : chance.of(filterKinds);
  const spot = kind === 'issue' ? 'spot' : 'fromSpot';
  const filters =
    lot === undefined
      ? {}
      : {
          any: {},
          spot: { [spot]: lot.spot },
          serial: { serial: lot.serial },
          serial2: { serial2: lot.serial2 ?? undefined },
          rfid: { rfidTag: lot.rfidTag ?? undefined },
          two: { [spot]: lot.spot, serial: lot.serial },
          recNo: { recno: chance.upTo(20) === 0 ? 1 : places.recNos[lot.lot] },
        }[by];
  if (kind === 'issue') return { ...place, ...filters };
  const at = lot === undefined ? null : new Date(lot.received).toISOString();
  const received = at === null || chance.upTo(8) > 0 ? {} : { received: at.slice(0, chance.of([10, 19])) };
  if ('received' in received && received.received!.length === 19) received.received += 'Z';
  const toSpot = chance.of(spotsOf(40));
  const inside = toSpot !== (filters as { fromSpot?: string }).fromSpot && chance.upTo(2) === 0;
  const to = inside ? { toSpot } : { shipToWid: 3 - wid, ...(chance.upTo(2) === 0 ? { toSpot } : {}) };
  return { ...place, ...filters, ...received, ...to };
}

/**
 * A request for a gate, made for the model's present stock. One in `appetite` asks for hundreds of lots; one
 * in sixty is late, and some ask for things that are not there.
 */
export function randomRequest(
  batches: Batches,
  chance: Chance,
  gate: Gate,
  appetite: number,
): Queued<ModelRequest> {
  const { item, wid } = gate;
  const { itemID, model, places } = item;
  const late = chance.upTo(60) === 0 ? { deadline: Date.now() - 10_000 } : {};
  const here = model.allLots().filter((lot) => lot.wid === wid);
  const inStock = chance.upTo(10) === 0 ? here : here.filter((lot) => lot.units > 0n);
  // If everything is on hold, an issue finds nothing.
  const isHeld = inStock.length > 0 && inStock.every(({ hold }) => hold) && chance.upTo(8) > 0;
  const kind = chance.of(isHeld ? heldKinds : kinds);
  if (kind === 'receive') {
    const expires = chance.of([undefined, undefined, '2020-01-01', '2031-02-03T04:05:06Z', '2032-01-01']);
    const more = { spot: chance.of(spotsOf(40)), serial: chance.of(['', 'S1', 'S2']) };
    return batches.request(kind, { itemID, wid, units: 1 + chance.upTo(6) / 2, expires, ...more }, late);
  }
  if (kind === 'count') return countOf(batches, chance, gate, { lots: inStock, late });
  const body = bodyOf(chance, gate, kind, inStock);
  const request = batches.request(kind, { ...body, units: 1 }, late);
  const matching = model.takenBy(operationOf(request, places));
  const need =
    chance.upTo(30) === 0 ? matching.length + 1 : chance.of(chance.upTo(appetite) === 0 ? large : small);
  const held = Number(sum(matching.slice(0, need))) / 1e6;
  // Exactly as much as those lots have, or a little more or less.
  request.body.units = Math.max(0.5, held + chance.of([0, 0, -0.5, 0.5]));
  return request;
}
