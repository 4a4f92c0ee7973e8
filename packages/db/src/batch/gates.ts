import { itemIdOf, type SingleRequest, warehousesOf } from '@inventory/domain/kinds/kinds';
import { parseQuantity } from '@inventory/domain/quantity';
import { operationsOf, type StockRequest } from '@inventory/domain/request';
import { gateKey, type LevelState } from '@inventory/domain/stock/batch';
import { raw, send } from '@inventory/postgres/piece';
import type { Sql, Tx } from '@inventory/postgres/pool';
import { findNamedItems } from '../catalog/named-items.ts';
import { plainArray } from './array-text.ts';

export type GateId = { partNo: number; wid: number };

/**
 * The memory of a worker process between batches: the number of each shortID, and the existing gates. They
 * never change once they exist, but a promoted standby may lack them. `aliases`: the shortID of the item that
 * had this other name when it was last read.
 */
export type PartNumbers = {
  byShortId: Map<string, number>;
  gates: Set<string>;
  aliases: Map<string, string>;
};

// When it grows past this, everything is forgotten, and the next batches read what they need.
const rememberedMax = 200_000;

export function createPartNumbers(): PartNumbers {
  return { byShortId: new Map(), gates: new Set(), aliases: new Map() };
}

/**
 * Looks up the items of a batch and creates the missing gates. Each statement commits at once: a gate that is
 * created inside the batch's transaction would deadlock with another batch that creates the same one. Returns
 * the batch's own copy of these facts, because `parts`, which the whole process shares, may be cleared
 * meanwhile.
 */
export async function makeGates(
  sql: Sql,
  requests: readonly StockRequest[],
  parts: PartNumbers,
): Promise<PartNumbers> {
  if (Math.max(parts.byShortId.size, parts.gates.size, parts.aliases.size) > rememberedMax) forget(parts);
  const own = createPartNumbers();
  const unknown = new Set<string>();
  for (const itemId of requests.flatMap(operationsOf).map(itemIdOf)) {
    const partNo = partNoOf(parts, itemId);
    if (partNo === undefined) unknown.add(itemId);
    else remember(own, itemId, parts.aliases.get(itemId) ?? itemId, partNo);
  }
  await readNames(sql, unknown, parts, own);
  const missing: GateId[] = [];
  for (const gate of gateIdsOf(requests, own)) {
    const key = gateKey(gate.partNo, gate.wid);
    if (parts.gates.has(key)) own.gates.add(key);
    else missing.push(gate);
  }
  if (missing.length === 0) return own;
  await sql`
    insert into stock_level (part_no, wid)
    select part_no, wid
    from unnest(${plainArray(missing.map((gate) => gate.partNo))}::integer[], ${plainArray(missing.map((gate) => gate.wid))}::integer[])
      as missing (part_no, wid)
    cross join lateral (select from warehouse where warehouse.wid = missing.wid offset 0) as known
    order by part_no, wid
    on conflict do nothing`;
  for (const key of (await readLevels(sql, missing)).keys()) {
    for (const known of [parts, own]) known.gates.add(key);
  }
  return own;
}

/** The gates that a batch needs, without duplicates. Unknown items have none. */
export function gateIdsOf(requests: readonly StockRequest[], parts: PartNumbers): GateId[] {
  const gates = new Map<string, GateId>();
  for (const operation of requests.flatMap(operationsOf)) {
    const partNo = partNoOf(parts, itemIdOf(operation));
    if (partNo === undefined) continue;
    for (const wid of warehousesOf(operation)) gates.set(gateKey(partNo, wid), { partNo, wid });
  }
  return [...gates.values()];
}

/** The number of an item by shortID or by another name; undefined: it is not remembered. */
export function partNoOf({ byShortId, aliases }: PartNumbers, itemId: string): number | undefined {
  return byShortId.get(itemId) ?? byShortId.get(aliases.get(itemId) ?? '');
}

/** Adds the items of these names to all of `parts`. Names that no item has are left out. */
export async function readNames(
  sql: Sql | Tx,
  names: ReadonlySet<string>,
  ...parts: readonly PartNumbers[]
): Promise<void> {
  if (names.size === 0) return;
  for (const { name, shortId, partNo } of await findNamedItems(sql, [...names])) {
    for (const each of parts) remember(each, name, shortId, partNo);
  }
}

function remember({ byShortId, aliases }: PartNumbers, name: string, shortId: string, partNo: number): void {
  byShortId.set(shortId, partNo);
  if (name !== shortId) aliases.set(name, shortId);
}

/**
 * The requests under the shortIDs of their items. So two names of one item mean one gate, in whatever order
 * they come, and the ledger knows the item by the name that never changes.
 */
export function underShortIds<Request extends StockRequest>(
  requests: readonly Request[],
  parts: PartNumbers,
): Request[] {
  if (parts.aliases.size === 0) return [...requests];
  return requests.map((request) =>
    request.kind === 'batch'
      ? { ...request, operations: request.operations.map((each) => underShortId(each, parts)) }
      : (underShortId(request as SingleRequest, parts) as Request),
  );
}

function underShortId<Request extends SingleRequest>(request: Request, { aliases }: PartNumbers): Request {
  const sentName = itemIdOf(request);
  const shortId = aliases.get(sentName);
  if ('of' in request || shortId === undefined) return request;
  return { ...request, body: { ...request.body, itemID: shortId }, sentName };
}

/**
 * Whether the remembered facts about these requests contradict Postgres: its `levels`, its `items` (by
 * shortID), and the shortIDs of its other names.
 */
export function isOutdated(
  parts: PartNumbers,
  requests: readonly StockRequest[],
  levels: ReadonlyMap<string, unknown>,
  { items, named }: { items: ReadonlyMap<string, { partNo: number }>; named: ReadonlyMap<string, string> },
): boolean {
  return requests.flatMap(operationsOf).some((operation) => {
    const { sentName } = operation;
    if (sentName !== undefined && named.get(sentName) !== itemIdOf(operation)) return true;
    const partNo = parts.byShortId.get(itemIdOf(operation));
    if (partNo === undefined) return false;
    if (items.get(itemIdOf(operation))?.partNo !== partNo) return true;
    const gates = warehousesOf(operation).map((wid) => gateKey(partNo, wid));
    return gates.some((gate) => parts.gates.has(gate) && !levels.has(gate));
  });
}

/** Forgets everything. The next batches read what they need. */
export function forget(parts: PartNumbers): void {
  parts.byShortId.clear();
  parts.gates.clear();
  parts.aliases.clear();
}

/**
 * The names of a request's gates, which need no look-up: "wid/shortID", or "wid/itemID" as it was sent while
 * the item of that name is not remembered.
 */
export function gateNamesOf(request: StockRequest, parts?: Pick<PartNumbers, 'aliases'>): string[] {
  return operationsOf(request).flatMap((operation) => {
    const itemId = itemIdOf(operation);
    return warehousesOf(operation).map((wid) => `${wid}/${parts?.aliases.get(itemId) ?? itemId}`);
  });
}

/** Whether a request needs one of these gates (by name). */
export function needsAny(request: StockRequest, gates: ReadonlySet<string>): boolean {
  return gates.size > 0 && gateNamesOf(request).some((gate) => gates.has(gate));
}

/** A level, and the moment of its last change. */
type StoredLevel = LevelState & { modified: Date };
type LevelRow = {
  part_no: number;
  wid: number;
  in_stock: string;
  on_hold: string;
  used: boolean;
  modified: Date;
};

/**
 * Locks the gates and reads their levels. From then on, no other transaction changes these items in these
 * warehouses.
 */
export function lockGates(tx: Tx, gates: readonly GateId[]): Promise<Map<string, StoredLevel>> {
  // Always in the same order: two batches that lock the same gates in opposite order would deadlock.
  return selectGates(tx, gates, 'order by part_no, wid for no key update of stock_level');
}

/** Reads the levels of gates without locking them. A gate that does not exist is missing. */
export function readLevels(sql: Sql | Tx, gates: readonly GateId[]): Promise<Map<string, LevelState>> {
  return selectGates(sql, gates, '');
}

/** Returns those gates that are held at this moment. */
export async function findHeldGates(sql: Sql, gates: readonly GateId[]): Promise<GateId[]> {
  // Locks the free gates for as long as the statement takes, and waits for nothing.
  const free = await selectGates(sql, gates, 'for no key update of stock_level skip locked');
  return gates.filter((gate) => !free.has(gateKey(gate.partNo, gate.wid)));
}

/** `locking`: the end of the statement. */
async function selectGates(
  sql: Sql | Tx,
  gates: readonly GateId[],
  locking: string,
): Promise<Map<string, StoredLevel>> {
  // The list comes first; see `byKeys`.
  const rows = await send<LevelRow>(sql)`
    select wanted.part_no, wanted.wid, in_stock, on_hold, used, stock_level.modified
    from unnest(${plainArray(gates.map((gate) => gate.partNo))}::integer[], ${plainArray(gates.map((gate) => gate.wid))}::integer[])
      as wanted (part_no, wid)
    join stock_level on stock_level.part_no = any(array[wanted.part_no]) and stock_level.wid = any(array[wanted.wid])
    ${raw(locking)}`;
  return new Map(
    rows.map((row) => {
      const stored = {
        inStock: parseQuantity(row.in_stock),
        onHold: parseQuantity(row.on_hold),
        used: row.used,
      };
      const { part_no: partNo, wid, modified } = row;
      return [gateKey(partNo, wid), { partNo, wid, ...stored, stored, modified }];
    }),
  );
}
