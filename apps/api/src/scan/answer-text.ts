import {
  type ItemMatch,
  readScannedItems,
  readScannedLots,
  type ScannedItem,
  type ScannedLot,
  type StockMatch,
} from '@inventory/db/scan/find-matches';
import { scanBytesMax } from '@inventory/domain/contract/scan';
import { type JsonAnswer, jsonText } from '@inventory/domain/json-text';
import { oneUnit, type Quantity } from '@inventory/domain/quantity';
import { moveToSpot, operationOfLot, receiveOf, unitsOfScan } from '@inventory/domain/scan/operations';
import type { Gs1 } from '@inventory/domain/scan/read-code';
import type { Tx } from '@inventory/postgres/pool';
import type { Pacer } from '@inventory/process/pacer';

/**
 * The result of a code before its matches are read. `about`: the JSON text of what is told of the code
 * itself. `sameAs`: the place of the result with the same code, or null. `wanted`: the matches to tell, if
 * there is room. `hasMore`: whether there are more than those.
 */
export type Draft = {
  about: string;
  gs1: Gs1 | null;
  sameAs: number | null;
  wanted: readonly (ItemMatch | StockMatch)[];
  hasMore: boolean;
};

type Wanted = { draft: Draft; match: Draft['wanted'][number] };
type Read = { items: Map<number, ScannedItem>; lots: ReadonlyMap<number, ScannedLot> };

// So many matches are read at a time. Those that do not fit any more were read in vain.
const readTogether = 100;

/**
 * The JSON text of the answer, of at most 1 MiB. Each code gets its first match before any gets its second,
 * and repeated codes come last. What a match shows is read only while there is room for it. `only`: the only
 * warehouse that can be meant, or null.
 */
export async function answerText(
  tx: Tx,
  drafts: readonly Draft[],
  only: number | null,
  pace: Pacer,
): Promise<string> {
  const matchTexts = new Map(drafts.map((draft) => [draft, [] as string[]]));
  const empty = drafts.map((draft) => resultText(draft, [], true));
  let roomBytes = scanBytesMax - Buffer.byteLength(joined(empty));
  const describedIn = new Map<Draft, Set<number>>();
  const items = new Map<number, ScannedItem>();

  /** Takes a match into the answer; false if there is no room left for it. */
  function take(wanted: Wanted, lots: Read['lots']): boolean {
    const { draft } = wanted;
    const described = describedIn.get(draft) ?? new Set();
    describedIn.set(draft, described);
    const text = matchText(wanted, { items, lots }, described, only);
    roomBytes -= Buffer.byteLength(text) + 1;
    if (roomBytes < 0) return false;
    matchTexts.get(draft)!.push(text);
    return true;
  }

  const all = inOrder(drafts);
  for (let from = 0; from < all.length && roomBytes > 0; from += readTogether) {
    const some = all.slice(from, from + readTogether);
    const lots = await readSome(tx, some, items);
    for (const wanted of some) {
      await pace();
      if (!take(wanted, lots)) break;
    }
  }
  const results: string[] = [];
  for (const draft of drafts) {
    await pace();
    const matches = matchTexts.get(draft)!;
    results.push(resultText(draft, matches, draft.hasMore || matches.length < draft.wanted.length));
  }
  return joined(results);
}

const joined = (results: readonly string[]) => `{"results":[${results.join(',')}]}`;

function resultText({ about, sameAs }: Draft, matches: readonly string[], hasMore: boolean): string {
  const place = sameAs === null ? '' : `,"sameAs":${sameAs}`;
  return `${about.slice(0, -1)},"matches":[${matches.join(',')}],"moreMatches":${hasMore}${place}}`;
}

/** All matches, in the order in which they get room. */
function inOrder(drafts: readonly Draft[]): Wanted[] {
  const first = drafts.filter(({ sameAs }) => sameAs === null);
  const all: Wanted[] = [];
  for (const some of [first, drafts.filter(({ sameAs }) => sameAs !== null)]) {
    const most = some.reduce((max, { wanted }) => Math.max(max, wanted.length), 0);
    for (let round = 0; round < most; round++) {
      for (const draft of some) {
        const match = draft.wanted[round];
        if (match !== undefined) all.push({ draft, match });
      }
    }
  }
  return all;
}

/** Reads the lots of these matches, and adds their items to those that are known. */
async function readSome(
  tx: Tx,
  some: readonly Wanted[],
  items: Map<number, ScannedItem>,
): Promise<Read['lots']> {
  const recNos = new Set<number>();
  const partNos = new Set<number>();
  for (const { match } of some) {
    if (match.kind === 'spot') continue;
    if ('recNo' in match) recNos.add(match.recNo);
    if (!items.has(match.partNo)) partNos.add(match.partNo);
  }
  const [lots, read] = await Promise.all([
    readScannedLots(tx, [...recNos]),
    readScannedItems(tx, [...partNos]),
  ]);
  for (const item of read) items.set(item.partNo, item);
  return new Map(lots.map((lot) => [lot.recNo, lot]));
}

const isItemMatch = (match: Wanted['match']): match is ItemMatch =>
  match.kind === 'item' || match.kind === 'alias';

/** The JSON text of a match. `described`: the items whose descriptions stand in the result already. */
function matchText(
  { draft, match }: Wanted,
  { items, lots }: Read,
  described: Set<number>,
  only: number | null,
): string {
  if (match.kind === 'spot')
    return jsonText({ ...match, operation: moveToSpot(match.spot, match.wID) } satisfies JsonAnswer);
  const item = items.get(match.partNo)!;
  const isFirst = draft.sameAs === null && !described.has(item.partNo);
  described.add(item.partNo);
  const ofItem = { ...item, description: isFirst ? item.description : '' };
  if ('recNo' in match) {
    const lot = lots.get(match.recNo)!;
    const { recNo, hasExpired: _, ...rest } = lot;
    // Only the item in the code tells what its count is of.
    const names = draft.wanted.filter(isItemMatch).filter(({ partNo }) => partNo === item.partNo);
    const named = names.find(({ kind }) => kind === 'alias') ?? names[0];
    const units = named === undefined ? null : unitsOfMatch(named, draft.gs1);
    const operation = operationOfLot({ ...lot, shortID: item.shortID }, units);
    return jsonText({ kind: match.kind, recNo, ...ofItem, ...rest, operation });
  }
  const units = unitsOfMatch(match, draft.gs1);
  const operation = receiveOf(item.shortID, draft.gs1, { units, wid: only });
  return jsonText(
    match.kind === 'item'
      ? { kind: match.kind, ...ofItem, operation }
      : { kind: match.kind, alias: match.name, units: match.units, ...ofItem, operation },
  );
}

/** A count is of what the GTIN names. Another code, such as an SSCC, stands for the units of its alias. */
function unitsOfMatch({ name, gtin, units }: ItemMatch, gs1: Gs1 | null): Quantity | null {
  const isCounted = units === oneUnit || (gtin ?? name) === gs1?.gtin;
  return unitsOfScan(units, isCounted ? gs1 : null);
}
