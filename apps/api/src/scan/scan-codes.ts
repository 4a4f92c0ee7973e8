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
import { createPacer } from '@inventory/process/pacer';
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
  // The event loop is yielded between codes: together they are much work.
  const pace = createPacer();
  const codes: Code[] = [];
  for (const { data, symbology } of scans) {
    await pace();
    codes.push(readCode(data, symbology ?? null, year));
  }
  const wids = wid === undefined ? [...asker.client.scope] : [wid];
  const only = wids.length === 1 ? wids[0]! : null;
  const find = async (tx: Tx): Promise<Found> => {
    const names = [...new Set(codes.flatMap(itemNamesOf))];
    const items = new Map((await findItemMatches(tx, names)).map((match) => [match.name, match]));
    const asks: (readonly Asked[])[] = [];
    const all = new Map<string, StockAsk>();
    for (const code of codes) {
      await pace();
      const asked = asksOfCode(code, items);
      for (const { key, ask } of asked) all.set(key, ask);
      asks.push(asked);
    }
    const places = await findStockMatches(tx, [...all.values()], wids, matchesMax + 1, pace);
    const stock = new Map([...all.keys()].map((key, place) => [key, places[place]!]));
    return { items, asks, stock, only };
  };
  const found = await lists.lookUp(
    (sql) => sql.begin('isolation level repeatable read read only', find) as Promise<Found>,
    asker,
  );
  const results: string[] = [];
  for (const [index, code] of codes.entries()) {
    await pace();
    results.push(jsonText(resultOf(scans[index]!.data, code, found.asks[index]!, found)));
  }
  return `{"results":[${results.join(',')}]}`;
}

type ItemsByName = ReadonlyMap<string, ItemMatch>;

/** What an item may be called by in a code: as it was read, by its GTIN, or by an SSCC. */
function itemNamesOf({ texts, gs1 }: Code): string[] {
  const ofGs1 = gs1 === null ? [] : [gs1.gtin, gs1.sscc].flatMap((name) => name ?? []);
  return [...new Set([...texts, ...ofGs1])];
}

const recNo = /^[1-9]\d{0,15}$/;
const isRecNo = (text: string) => recNo.test(text) && Number(text) <= Number.MAX_SAFE_INTEGER;

/** A look-up in the stock. `key`: the same for the same look-up of another code. */
type Asked = { key: string; ask: StockAsk };

function asked(kind: StockKind, value: string, partNo: number | null = null): Asked {
  return { key: `${kind} ${partNo ?? ''} ${value}`, ask: { kind, value, partNo } };
}

/** The look-ups of a code, in the order of their kinds. */
function asksOfCode({ texts, gs1 }: Code, items: ItemsByName): Asked[] {
  // The batch or serial number of an item means nothing with another item.
  const partNo = gs1 === null || gs1.gtin === null ? null : items.get(gs1.gtin)?.partNo;
  const serials = [...texts, ...(gs1?.sscc == null ? [] : [gs1.sscc])];
  const ofItem = (kind: StockKind, value: string | null | undefined) =>
    value == null || partNo === undefined ? [] : [asked(kind, value, partNo)];
  return [
    ...texts.filter(isRecNo).map((text) => asked('lot', text)),
    ...serials.map((text) => asked('serial', text)),
    ...ofItem('serial', gs1?.serial),
    ...serials.map((text) => asked('serial2', text)),
    ...ofItem('serial2', gs1?.serial2),
    ...serials.map((text) => asked('rfidTag', text)),
    ...texts.map((text) => asked('spot', text)),
  ];
}

type Found = {
  items: ItemsByName;
  /** Of each code. */
  asks: readonly (readonly Asked[])[];
  stock: ReadonlyMap<string, readonly StockMatch[]>;
  /** The only warehouse that can be meant, or null. */
  only: number | null;
};

function resultOf(data: string, code: Code, asks: readonly Asked[], found: Found): JsonAnswer {
  const { gs1, fault } = code;
  const items = itemNamesOf(code).flatMap((name) => found.items.get(name) ?? []);
  const stock = stockOf(code.gs1, asks, found);
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

/** Lots and spots of a code, in the order of their kinds, each once. */
function stockOf(gs1: Gs1 | null, asks: readonly Asked[], { stock }: Found): StockMatch[] {
  const named = new Map<string, StockMatch>();
  for (const { key } of asks) {
    for (const match of stock.get(key) ?? []) {
      const name = match.kind === 'spot' ? `spot ${match.wID} ${match.spot}` : `${match.kind} ${match.recNo}`;
      if (!named.has(name) && !contradicts(match, gs1)) named.set(name, match);
    }
  }
  return [...named.values()];
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
