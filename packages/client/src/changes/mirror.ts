import type { Change, ChangePage, FullLot, Item, Me, StockLevel } from '../api/types.ts';
import { InventoryError } from '../http/inventory-error.ts';
import { isTemporary, pause, pauseMs } from '../http/pauses.ts';
import type { Listing } from '../lists/listing.ts';
import type { Feed, FeedQuery } from './feed.ts';

/** A record to be stored over the one with the same kind and key. */
export type Upsert<Exact extends boolean = false> =
  | { kind: 'lot'; key: number; record: FullLot<Exact> }
  | { kind: 'item'; key: number; record: Item<Exact> }
  /** The figures of an item in a warehouse; the key is `partNo/wID`. */
  | { kind: 'level'; key: string; record: StockLevel<Exact> & { wID: number } }
  | { kind: 'warehouse'; key: number; record: { wID: number; name: string } };

type Waitable<Result> = Result | Promise<Result>;

/** Where a mirror keeps its records. */
export type MirrorStore<Exact extends boolean = false> = {
  /** The position that was stored last; null or undefined when there is none, and the mirror begins with the lists. */
  position(): Waitable<string | null | undefined>;
  /** Forgets all records and the position. */
  clear(): Waitable<void>;
  /** Stores the records and the position together. A null position means that the lists are not read whole yet. */
  upsert(records: readonly Upsert<Exact>[], position: string | null): Waitable<void>;
};

export type Mirror = {
  /** Resolves when the store has everything that had happened when this was called. */
  caughtUp(): Promise<void>;
  /** Stops it; the store keeps its position. */
  close(): Promise<void>;
  /** Resolves when it was closed, and rejects when it cannot go on. */
  readonly ended: Promise<void>;
};

/** The calls that a mirror makes. */
export type MirrorSource = {
  me(options: Signalled): Promise<Me>;
  lots(query: { view: 'full'; modifiedSince?: string }, options: Signalled): Listing<FullLot>;
  items(query: { all: true }, options: Signalled): Listing<Item>;
  stockLevels(query: { wid: number; partNos?: string }, options: Signalled): Listing<StockLevel>;
  changes(query: FeedQuery, options: Signalled): Feed<Change>;
};
type Signalled = { signal: AbortSignal };

/**
 * `since`: for `modifiedSince` of the lots. A lot shows the names of its item and its warehouse; when one of them
 * changes, the lots come by their list and not by the feed.
 */
type Position = { cursor: string; since: string };

const limit = 1000;
const waitSeconds = 25;
const busyPauseMs = 500;
const partNosMax = 100;
// Then `since` is moved on, so that a new name makes the mirror read few lots again.
const sinceAgesMs = 3_600_000;

/** Starts a mirror, which runs until it is closed. It is the same for an exact client, whose quantities it copies. */
export function startMirror(source: MirrorSource, store: MirrorStore): Mirror {
  const stopping = new AbortController();
  let waking = new AbortController();
  let askers: (() => void)[] = [];
  let fail: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => {});

  async function run(): Promise<void> {
    const options = { signal: stopping.signal };
    let position = readPosition(await store.position());
    let sinceAt = 0;
    for (let losses = 0; !stopping.signal.aborted; ) {
      const asking = askers;
      askers = [];
      try {
        position ??= await readLists(source, store, options);
        const isOld = Date.now() - sinceAt > sinceAgesMs;
        // Taken before the changes, so that every rename before it has been seen when they are.
        const since = isOld ? await sinceOf(source, options) : position.since;
        const isHurried = asking.length > 0 || isOld;
        const page = await readPage(source, position, isHurried ? 0 : waitSeconds, stopping, waking);
        if (page !== null) {
          position = await applyPage(source, store, page, position, options);
          if (position !== null && !page.hasMore) {
            if (isOld) [position, sinceAt] = [{ ...position, since }, Date.now()];
            for (const tell of asking.splice(0)) tell();
            if (page.value.length > 0 && askers.length === 0) await pause(busyPauseMs, waking.signal);
          }
        }
        losses = 0;
      } catch (error) {
        if (stopping.signal.aborted) break;
        if (isOutdated(error)) position = null;
        else if (!(error instanceof InventoryError) || !isTemporary(error.status)) throw error;
        else await pause(pauseMs(++losses), stopping.signal);
      }
      if (waking.signal.aborted) waking = new AbortController();
      askers.unshift(...asking);
    }
  }

  const ended = run().catch((error) => {
    fail(error);
    throw error;
  });
  return {
    ended,
    caughtUp: () => {
      const told = new Promise<void>((resolve) => askers.push(resolve));
      waking.abort();
      return Promise.race([told, failed]);
    },
    async close() {
      stopping.abort();
      waking.abort();
      await ended;
    },
  };
}

/** One page of changes; null when the wait for one was ended. */
async function readPage(
  source: MirrorSource,
  { cursor }: Position,
  wait: number,
  stopping: AbortController,
  waking: AbortController,
): Promise<ChangePage | null> {
  const signal = wait === 0 ? stopping.signal : waking.signal;
  try {
    return await source.changes({ after: cursor, limit, wait }, { signal }).page();
  } catch (error) {
    if (waking.signal.aborted && !stopping.signal.aborted) return null;
    throw error;
  }
}

function isOutdated(error: unknown): boolean {
  return error instanceof InventoryError && error.reason === 'cursorOutdated';
}

async function sinceOf(source: MirrorSource, options: Signalled): Promise<string> {
  return (await source.lots({ view: 'full' }, options).page()).nextModifiedSince!;
}

/** Reads all lists into the empty store. The feed is followed from before them. */
async function readLists(source: MirrorSource, store: MirrorStore, options: Signalled): Promise<Position> {
  const { cursor, warehouses } = await source.me(options);
  await store.clear();
  const since = await sinceOf(source, options);
  const named = warehouses.map((record) => ({ kind: 'warehouse' as const, key: record.wID, record }));
  await store.upsert(named, null);
  for await (const { value } of source.lots({ view: 'full' }, options).pages())
    await store.upsert(value.map(lotUpsert), null);
  for await (const { value } of source.items({ all: true }, options).pages())
    await store.upsert(value.map(itemUpsert), null);
  for (const { wID } of warehouses)
    for await (const { value } of source.stockLevels({ wid: wID }, options).pages())
      await store.upsert(
        value.map((level) => levelUpsert(level, wID)),
        null,
      );
  const position = { cursor, since };
  await store.upsert([], JSON.stringify(position));
  return position;
}

/** Stores a page of changes. Returns null when the lists must be read again. */
async function applyPage(
  source: MirrorSource,
  store: MirrorStore,
  page: ChangePage,
  { cursor, since }: Position,
  options: Signalled,
): Promise<Position | null> {
  if (page.value.some(({ type }) => type === 'scope')) return null;
  const records: Upsert[] = [];
  const touched = new Map<number, Set<number>>();
  const touch = ({ partNo, wID }: { partNo: number; wID: number }) =>
    touched.set(wID, (touched.get(wID) ?? new Set()).add(partNo));
  let isRenamed = false;
  for (const change of page.value) {
    if (change.type === 'stock') {
      for (const lot of change.lots) records.push(lotUpsert(lot));
      for (const each of [...change.lines, ...change.lots]) touch(each);
    } else if (change.type === 'hold') {
      const { type, ...lot } = change;
      records.push(lotUpsert(lot));
      touch(change);
    } else if (change.type === 'level') {
      touch(change);
    } else if (change.type === 'item') {
      const { type, aliases, ...item } = change;
      records.push(itemUpsert(item));
      isRenamed = true;
    } else if (change.type === 'warehouse') {
      const { type, ...record } = change;
      records.push({ kind: 'warehouse', key: record.wID, record });
      isRenamed = true;
    }
  }
  let nextSince = since;
  if (isRenamed) {
    let first: string | null = null;
    for await (const each of source.lots({ view: 'full', modifiedSince: since }, options).pages()) {
      first ??= each.nextModifiedSince;
      records.push(...each.value.map(lotUpsert));
    }
    nextSince = first ?? since;
  }
  for (const [wid, partNos] of touched) records.push(...(await readLevels(source, wid, partNos, options)));
  const position = { cursor: page.nextCursor, since: nextSince };
  if (records.length > 0 || position.cursor !== cursor) await store.upsert(records, JSON.stringify(position));
  return position;
}

/** The figures of some items in a warehouse, as they are now: they follow from lots and orders together. */
async function readLevels(
  source: MirrorSource,
  wid: number,
  partNos: ReadonlySet<number>,
  options: Signalled,
): Promise<Upsert[]> {
  const all = [...partNos];
  const records: Upsert[] = [];
  for (let from = 0; from < all.length; from += partNosMax) {
    const some = all.slice(from, from + partNosMax).join();
    for await (const level of source.stockLevels({ wid, partNos: some }, options))
      records.push(levelUpsert(level, wid));
  }
  return records;
}

function lotUpsert(record: FullLot): Upsert {
  return { kind: 'lot', key: record.recNo, record };
}

function itemUpsert(record: Item): Upsert {
  return { kind: 'item', key: record.partNo, record };
}

function levelUpsert(level: StockLevel, wID: number): Upsert {
  return { kind: 'level', key: `${level.partNo}/${wID}`, record: { ...level, wID } };
}

function readPosition(text: string | null | undefined): Position | null {
  return text === null || text === undefined ? null : JSON.parse(text);
}
