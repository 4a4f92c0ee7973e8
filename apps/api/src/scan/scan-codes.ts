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
import { type Code, type Gs1, readCode } from '@inventory/domain/scan/read-code';
import type { Tx } from '@inventory/postgres/pool';
import { createPacer, type Pacer } from '@inventory/process/pacer';
import type { Asker, Lists } from '../lists/lists.ts';
import { answerText, type Draft } from './answer-text.ts';

export type Scans = { scans: readonly Scan[]; wid?: number | undefined };

/**
 * Reads codes and finds everything that they name in these warehouses, as of one moment and with a few
 * statements for all codes together; a code that stands twice is looked up once. Returns the JSON text of the
 * answer. `year`: the present one.
 */
export async function scanCodes(
  lists: Pick<Lists, 'lookUp'>,
  { scans, wid }: Scans,
  asker: Asker,
  year: number,
): Promise<string> {
  // The event loop is yielded between codes: together they are much work.
  const pace = createPacer();
  const codes = new Map<string, Code>();
  for (const scan of scans) {
    await pace();
    const name = nameOf(scan);
    if (!codes.has(name)) codes.set(name, readCode(scan.data, scan.symbology ?? null, year));
  }
  const wids = wid === undefined ? [...asker.client.scope] : [wid];
  const only = wids.length === 1 ? wids[0]! : null;
  const find = async (tx: Tx): Promise<string> => {
    const found = await findAll(tx, codes, wids, pace);
    const drafts: Draft[] = [];
    const firstPlaces = new Map<string, number>();
    for (const [place, scan] of scans.entries()) {
      await pace();
      const name = nameOf(scan);
      drafts.push(draftOf(scan.data, codes.get(name)!, found.get(name)!, firstPlaces.get(name) ?? null));
      if (!firstPlaces.has(name)) firstPlaces.set(name, place);
    }
    return answerText(tx, drafts, only, pace);
  };
  return lists.lookUp(
    (sql) => sql.begin('isolation level repeatable read read only', find) as Promise<string>,
    asker,
  );
}

/** The same for a code that is the same, and read as the same. */
const nameOf = ({ data, symbology = '' }: Scan) => `${symbology} ${data}`;

type Match = ItemMatch | StockMatch;

/** Finds the matches of each code, in the order of their kinds. */
async function findAll(
  tx: Tx,
  codes: ReadonlyMap<string, Code>,
  wids: readonly number[],
  pace: Pacer,
): Promise<ReadonlyMap<string, readonly Match[]>> {
  const names = [...new Set([...codes.values()].flatMap(itemNamesOf))];
  const items = byName(await findItemMatches(tx, names));
  const asks = new Map<string, readonly Asked[]>();
  const all = new Map<string, StockAsk>();
  for (const [name, code] of codes) {
    await pace();
    const asked = asksOfCode(code, items);
    for (const { key, ask } of asked) all.set(key, ask);
    asks.set(name, asked);
  }
  const places = await findStockMatches(tx, [...all.values()], wids, matchesMax + 1, pace);
  const stock = new Map([...all.keys()].map((key, place) => [key, places[place]!]));
  const found = new Map<string, readonly Match[]>();
  for (const [name, code] of codes) {
    await pace();
    const named = itemsOf(code, items);
    const stocked = stockOf(asks.get(name)!, stock);
    found.set(name, [...named.filter(isOf('item')), ...named.filter(isOf('alias')), ...stocked]);
  }
  return found;
}

type ItemsByName = ReadonlyMap<string, readonly ItemMatch[]>;

/** By all that they were found by. */
function byName(matches: readonly ItemMatch[]): ItemsByName {
  const items = new Map<string, ItemMatch[]>();
  for (const match of matches) {
    const name = match.gtin ?? match.name;
    items.set(name, [...(items.get(name) ?? []), match]);
  }
  return items;
}

/** The names that an item may have in a code: the code as it was read, its GTIN, or an SSCC. */
function itemNamesOf({ texts, gs1 }: Code): string[] {
  const ofGs1 = gs1 === null ? [] : [gs1.gtin, gs1.sscc].flatMap((name) => name ?? []);
  return [...new Set([...texts, ...ofGs1])];
}

const recNo = /^[1-9]\d{0,15}$/;
const isRecNo = (text: string) => recNo.test(text) && Number(text) <= Number.MAX_SAFE_INTEGER;

/** A look-up in the stock. `key`: the same for the same look-up of another code. */
type Asked = { key: string; ask: StockAsk };

function asked(
  kind: StockKind,
  value: string,
  partNo: number | null = null,
  other: string | null = null,
): Asked {
  return { key: JSON.stringify([kind, partNo, value, other]), ask: { kind, value, partNo, other } };
}

/** The look-ups of a code, in the order of their kinds. */
function asksOfCode({ texts, gs1 }: Code, items: ItemsByName): Asked[] {
  // The batch or serial number of an item means nothing with another item.
  const ofGtin = gs1 === null || gs1.gtin === null ? null : (items.get(gs1.gtin) ?? []);
  const partNos = ofGtin === null ? [null] : [...new Set(ofGtin.map(({ partNo }) => partNo))];
  const serials = [...texts, ...(gs1?.sscc == null ? [] : [gs1.sscc])];
  // A lot that has another batch or serial number than the code is known to be another one.
  const other = { serial: gs1?.serial2 ?? null, serial2: gs1?.serial ?? null };
  const ofItem = (kind: 'serial' | 'serial2', value: string | null | undefined) =>
    value == null ? [] : partNos.map((partNo) => asked(kind, value, partNo, other[kind]));
  return [
    ...texts.filter(isRecNo).map((text) => asked('lot', text)),
    ...serials.map((text) => asked('serial', text, null, other.serial)),
    ...ofItem('serial', gs1?.serial),
    ...serials.map((text) => asked('serial2', text, null, other.serial2)),
    ...ofItem('serial2', gs1?.serial2),
    ...serials.map((text) => asked('rfidTag', text)),
    ...texts.map((text) => asked('spot', text)),
  ];
}

/** The items of a code, each under each of its names once. */
function itemsOf(code: Code, items: ItemsByName): ItemMatch[] {
  const all = itemNamesOf(code).flatMap((name) => items.get(name) ?? []);
  return [...new Map(all.map((match) => [`${match.kind} ${match.name}`, match])).values()];
}

const isOf = (kind: string) => (match: { kind: string }) => match.kind === kind;

/** Lots and spots of a code, in the order of their kinds, each once. */
function stockOf(asks: readonly Asked[], stock: ReadonlyMap<string, readonly StockMatch[]>): StockMatch[] {
  const named = new Map<string, StockMatch>();
  for (const { key } of asks) {
    for (const match of stock.get(key) ?? []) {
      const name = match.kind === 'spot' ? `spot ${match.wID} ${match.spot}` : `${match.kind} ${match.recNo}`;
      if (!named.has(name)) named.set(name, match);
    }
  }
  return [...named.values()];
}

/** `first`: the place at which this code stands already, or null. */
function draftOf(data: string, { gs1, fault }: Code, all: readonly Match[], first: number | null): Draft {
  const about = jsonText({
    data,
    ambiguous: isAmbiguous(all),
    gs1: gs1 === null ? null : gs1Answer(gs1),
    fault: fault === null ? null : { ai: fault.ai, message: fault.message },
  });
  const wanted = all.slice(0, first === null ? matchesMax : 1);
  return { about, gs1, sameAs: first, wanted, hasMore: all.length > wanted.length };
}

/** Whether a user must be asked what is meant. */
function isAmbiguous(matches: readonly Match[]): boolean {
  const meant = new Set(
    matches.map((match) => (match.kind === 'spot' ? `spot ${match.wID}` : `item ${match.partNo}`)),
  );
  return meant.size > 1;
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
