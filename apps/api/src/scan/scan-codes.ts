import type { Tx } from '@inventory/db/postgres/pool';
import {
  findItemMatches,
  findStockMatches,
  type ItemMatch,
  type StockAsk,
  type StockKind,
  type StockMatch,
} from '@inventory/db/scan/find-matches';
import { matchesMax, type Scan } from '@inventory/domain/contract/scan';
import { type JsonAnswer, jsonText } from '@inventory/domain/json-text';
import { moveToSpot, operationOfLot, receiveOf } from '@inventory/domain/scan/operations';
import { type Code, type Gs1, readCode } from '@inventory/domain/scan/read-code';
import type { Asker, Lists } from '../lists/lists.ts';

export type Scans = { scans: readonly Scan[]; wid?: number | undefined };

/**
 * Reads codes and finds everything that they name in these warehouses, as of one moment and with a few
 * statements for all codes together. Returns the JSON text of the answer. `year`: the present one.
 */
export async function scanCodes(
  lists: Pick<Lists, 'lookUp'>,
  { scans, wid }: Scans,
  asker: Asker,
  year: number,
): Promise<string> {
  const codes = scans.map(({ data, symbology }) => readCode(data, symbology ?? null, year));
  const wids = wid === undefined ? [...asker.client.scope] : [wid];
  const only = wids.length === 1 ? wids[0]! : null;
  const find = async (tx: Tx) => {
    const items = itemsByName(await findItemMatches(tx, namesOf(codes)));
    const asks = asksOf(codes, items);
    const places = await findStockMatches(tx, [...asks.values()], wids, matchesMax + 1);
    const stock = new Map([...asks.keys()].map((key, place) => [key, places.get(place) ?? []]));
    return { items, stock };
  };
  const { items, stock } = await lists.lookUp(
    (sql) => sql.begin('isolation level repeatable read read only', find) as ReturnType<typeof find>,
    asker,
  );
  const results = codes.map((code, index) => resultOf(scans[index]!.data, code, { items, stock, only }));
  return jsonText({ results });
}

type ItemsByName = ReadonlyMap<string, readonly ItemMatch[]>;

function namesOf(codes: readonly Code[]): { shortIds: string[]; aliases: string[] } {
  const all = new Set(codes.flatMap(itemNamesOf));
  return { shortIds: [...all], aliases: [...all] };
}

/** What an item may be called by in a code: as it was read, by its GTIN, or by an SSCC. */
function itemNamesOf({ texts, gs1 }: Code): string[] {
  const ofGs1 = gs1 === null ? [] : [gs1.gtin, gs1.sscc].flatMap((name) => name ?? []);
  return [...new Set([...texts, ...ofGs1])];
}

function itemsByName(matches: readonly ItemMatch[]): ItemsByName {
  const byName = new Map<string, ItemMatch[]>();
  for (const match of matches) {
    const known = byName.get(match.name);
    if (known === undefined) byName.set(match.name, [match]);
    else known.push(match);
  }
  return byName;
}

const recNo = /^[1-9]\d{0,15}$/;
const isRecNo = (text: string) => recNo.test(text) && Number(text) <= Number.MAX_SAFE_INTEGER;

/** The look-ups of a code in the stock. */
function asksOfCode({ texts, gs1 }: Code, items: ItemsByName): StockAsk[] {
  const ask = (kind: StockKind, value: string, partNo: number | null = null): StockAsk => ({
    ...{ kind, value, partNo },
  });
  const serials = (value: string) => [ask('serial', value), ask('serial2', value), ask('rfidTag', value)];
  const asText = texts.flatMap((text) => [
    ...(isRecNo(text) ? [ask('lot', text)] : []),
    ...serials(text),
    ask('spot', text),
  ]);
  if (gs1 === null) return asText;
  // The batch or serial number of an item means nothing with another item.
  const partNo = gs1.gtin === null ? null : items.get(gs1.gtin)?.[0]?.partNo;
  const ofItem =
    partNo === undefined
      ? []
      : [
          ...(gs1.serial === null ? [] : [ask('serial', gs1.serial, partNo)]),
          ...(gs1.serial2 === null ? [] : [ask('serial2', gs1.serial2, partNo)]),
        ];
  return [...asText, ...(gs1.sscc === null ? [] : serials(gs1.sscc)), ...ofItem];
}

const keyOf = ({ kind, value, partNo }: StockAsk) => `${kind} ${partNo ?? ''} ${value}`;

/** All look-ups of all codes, each once. */
function asksOf(codes: readonly Code[], items: ItemsByName): Map<string, StockAsk> {
  return new Map(codes.flatMap((code) => asksOfCode(code, items)).map((ask) => [keyOf(ask), ask]));
}

type Found = {
  items: ItemsByName;
  stock: ReadonlyMap<string, readonly StockMatch[]>;
  /** The only warehouse that can be meant, or null. */
  only: number | null;
};

function resultOf(data: string, code: Code, found: Found): JsonAnswer {
  const { gs1, fault } = code;
  const items = itemNamesOf(code).flatMap((name) => found.items.get(name) ?? []);
  const stock = stockOf(code, found);
  const all = [...items.filter(isOf('item')), ...items.filter(isOf('alias')), ...stock];
  return {
    data,
    ambiguous: isAmbiguous(all),
    gs1: gs1 === null ? null : gs1Answer(gs1),
    fault: fault === null ? null : { ai: fault.ai, message: fault.message },
    matches: all.slice(0, matchesMax).map((match) => matchAnswer(match, gs1, found.only)),
    moreMatches: all.length > matchesMax,
  };
}

const isOf = (kind: string) => (match: { kind: string }) => match.kind === kind;
const kinds: readonly StockKind[] = ['lot', 'serial', 'serial2', 'rfidTag', 'spot'];

/** Lots and spots of a code, in the order of their kinds, each once. */
function stockOf(code: Code, { items, stock }: Found): StockMatch[] {
  const asks = asksOfCode(code, items);
  const matches = kinds.flatMap((kind) =>
    asks
      .filter(isOf(kind))
      .flatMap((ask) => stock.get(keyOf(ask)) ?? [])
      .filter((match) => !contradicts(match, code.gs1)),
  );
  const nameOf = (match: StockMatch) =>
    match.kind === 'spot' ? `spot ${match.wID} ${match.spot}` : `${match.kind} ${match.recNo}`;
  return [...new Map(matches.map((match) => [nameOf(match), match])).values()];
}

/** Whether a lot is known to be another one of the item: it has another batch or serial number. */
function contradicts(match: StockMatch, gs1: Gs1 | null): boolean {
  if (match.kind === 'spot' || gs1 === null) return false;
  const differs = (own: string | null, read: string | null) =>
    (own ?? '') !== '' && read !== null && own !== read;
  if (match.kind === 'serial') return differs(match.serial2, gs1.serial2);
  return match.kind === 'serial2' && differs(match.serial, gs1.serial);
}

/** Whether a user must be asked what is meant. */
function isAmbiguous(matches: readonly (ItemMatch | StockMatch)[]): boolean {
  const meant = new Set(
    matches.map((match) => (match.kind === 'spot' ? `spot ${match.wID}` : `item ${match.partNo}`)),
  );
  return meant.size > 1;
}

function matchAnswer(match: ItemMatch | StockMatch, gs1: Gs1 | null, only: number | null): JsonAnswer {
  if (match.kind === 'spot') return { ...match, operation: moveToSpot(match.spot, match.wID) };
  if ('recNo' in match) return { ...match, operation: operationOfLot(match) };
  const { kind, name, ...item } = match;
  const operation = receiveOf(item.shortID, gs1, only);
  return kind === 'item' ? { kind, ...item, operation } : { kind, alias: name, ...item, operation };
}

function gs1Answer({ elements, repeated, ...gs1 }: Gs1): JsonAnswer {
  return {
    ...gs1,
    elements: elements.map(({ ai, value, date, number }) => ({
      ...{ ai, value },
      ...(date === undefined ? {} : { date }),
      ...(number === undefined ? {} : { number }),
    })),
    repeated,
  };
}
