import type { Change, ChangePage, FullLot, FullStockLevel, Item, Me, StockLevel } from '../api/types.ts';
import { InventoryError } from '../http/inventory-error.ts';
import { growingMs, isTemporary, pause, pauseMs } from '../http/pauses.ts';
import type { Listing } from '../lists/listing.ts';
import type { Feed, FeedQuery } from './feed.ts';

/** A record to be stored over the one with the same kind and key. */
export type Upsert<Exact extends boolean = false> =
  | { kind: 'lot'; key: number; record: FullLot<Exact> }
  | { kind: 'item'; key: number; record: Item<Exact> }
  /** The figures of an item in a warehouse, and its minimum; the key is `partNo/wID`. */
  | { kind: 'level'; key: string; record: Level<Exact> }
  | { kind: 'warehouse'; key: number; record: { wID: number; name: string } };

type Level<Exact extends boolean> = StockLevel<Exact> &
  Pick<FullStockLevel<Exact>, 'minimum'> & { wID: number };
type Waitable<Result> = Result | Promise<Result>;

/** The storage for a mirror's records. */
export type MirrorStore<Exact extends boolean = false> = {
  /**
   * The position that was stored last; null or undefined when there is none, and the mirror begins with the
   * lists.
   */
  position(): Waitable<string | null | undefined>;
  /** Forgets all records and the position. */
  clear(): Waitable<void>;
  /**
   * Stores the records and the position together. A null position means that the lists are not read whole
   * yet. Many records come in parts: the position stays the same until the last part.
   */
  upsert(records: readonly Upsert<Exact>[], position: string | null): Waitable<void>;
};

export type Mirror = {
  /** Resolves when the store has everything that had happened when this was called. */
  caughtUp(): Promise<void>;
  /** Stops it; the store keeps its position. */
  close(): Promise<void>;
  /** Resolves when it was closed, and rejects with an error of the store, the only thing that ends it. */
  readonly ended: Promise<void>;
};

/** The calls that a mirror makes. */
export type MirrorSource = {
  me(options: Signalled): Promise<Me>;
  lots(query: { view: 'full'; modifiedSince?: string }, options: Signalled): Listing<FullLot>;
  items(query: { all: true }, options: Signalled): Listing<Item>;
  stockLevels(
    query: { wid: number; view: 'full'; modifiedSince?: string; pageSize?: number },
    options: Signalled,
  ): Listing<FullStockLevel>;
  changes(query: FeedQuery, options: Signalled): Feed<Change>;
};
type Signalled = { signal: AbortSignal };

/**
 * `lots` and `levels` (by warehouse): for `modifiedSince` of these lists, when a change tells that they show
 * something new, such as the name of an item, or figures that follow from several lots.
 */
type Position = {
  cursor: string;
  lots: string;
  levels: Record<number, string>;
  /**
   * The cursor, if the levels have their minimums. null: a service of 0.1, which knows none, has told some.
   * Clients of 0.1 move the cursor alone.
   */
  minimumsAt: string | null;
};

const limit = 1000;
// A renamed warehouse brings all of its lots. More than so many records go to the store in parts.
const recordsMax = 1000;
const waitSeconds = 25;
const busyPauseMs = 500;
// Then the lots that were modified since are read, so that a new name makes the mirror read few lots again.
const agesMs = 3_600_000;
// An upgrade takes minutes, and apis of both versions answer meanwhile.
const upgradeMs = 600_000;

export type MirrorOptions<Exact extends boolean = false> = {
  store: MirrorStore<Exact>;
  /** Hears why it cannot go on now. It tries again, whatever it is: rights may come back. */
  onError?: ((error: unknown) => void) | undefined;
};

/**
 * Starts a mirror, which runs until it is closed. It is the same for an exact client, whose quantities it
 * copies.
 */
export function startMirror(source: MirrorSource, { store: given, onError }: MirrorOptions): Mirror {
  const { store, hasFailed } = watchStore(given);
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
    let renewedAt = 0;
    let listedAt = 0;
    for (let losses = 0; !stopping.signal.aborted; ) {
      const asking = askers;
      askers = [];
      try {
        if (position?.minimumsAt === null && Date.now() - listedAt > upgradeMs) {
          listedAt = Date.now();
          if (await tellsMinimums(source, position, options)) position = null;
        }
        if (position === null) {
          position = await readLists(source, store, options);
          listedAt = Date.now();
        }
        if (Date.now() - renewedAt > agesMs) {
          position = await renewLots(source, store, position, options);
          renewedAt = Date.now();
        }
        const wait = asking.length > 0 ? 0 : waitSeconds;
        const page = await readPage(source, position, wait, stopping, waking);
        if (page !== null) {
          position = await applyPage(source, store, page, position, options);
          if (position !== null && !page.hasMore) {
            for (const tell of asking.splice(0)) tell();
            if (page.value.length > 0 && askers.length === 0) await pause(busyPauseMs, waking.signal);
          }
        }
        losses = 0;
      } catch (error) {
        if (hasFailed() || !(error instanceof InventoryError)) throw error;
        if (stopping.signal.aborted) break;
        losses += 1;
        let waitMs = pauseMs(losses, error.retryAfterMs);
        if (!isTemporary(error.status)) {
          // One that is refused for ever must not ask all the time.
          if (losses > 1 || !mustBeginAgain(error)) onError?.(error);
          if (mustBeginAgain(error)) position = null;
          waitMs += growingMs(losses, 500, 60_000);
        }
        await pause(waitMs, stopping.signal);
      }
      if (waking.signal.aborted) waking = new AbortController();
      askers.unshift(...asking);
    }
  }

  const ended = run().then(
    () => fail(new Error('the mirror was closed')),
    (error) => {
      fail(error);
      throw error;
    },
  );
  // A program that only asks `caughtUp` hears of it there.
  ended.catch(() => {});
  return {
    ended,
    caughtUp: () => {
      const told = new Promise<void>((resolve) => askers.push(resolve));
      waking.abort();
      const answer = Promise.race([told, failed]);
      answer.catch(() => {});
      return answer;
    },
    async close() {
      stopping.abort();
      waking.abort();
      await ended.catch(() => {});
    },
  };
}

/** The same store, with a note of whether it has failed: only that ends a mirror. */
function watchStore(given: MirrorStore): { store: MirrorStore; hasFailed: () => boolean } {
  let failed = false;
  const watch = async <Result>(work: () => Waitable<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      failed = true;
      throw error;
    }
  };
  const store: MirrorStore = {
    position: () => watch(() => given.position()),
    clear: () => watch(() => given.clear()),
    upsert: (records, position) => watch(() => given.upsert(records, position)),
  };
  return { store, hasFailed: () => failed };
}

/** Whether the service tells minimums now. A level shows it, if there is one. */
async function tellsMinimums(source: MirrorSource, { levels }: Position, options: Signalled) {
  for (const wid of Object.keys(levels).map(Number)) {
    const { value } = await source.stockLevels({ wid, view: 'full', pageSize: 1 }, options).page();
    if (value.length > 0) return value[0]!.minimum !== undefined;
  }
  return false;
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

/** The database was restored from a backup, or a warehouse has left the scope a moment ago. */
function mustBeginAgain(error: unknown): boolean {
  if (!(error instanceof InventoryError) || error.code === 'unexpected_answer') return false;
  return error.reason === 'cursorOutdated' || error.status === 403;
}

/** Reads the lots that were modified since they were read last. */
async function renewLots(
  source: MirrorSource,
  store: MirrorStore,
  position: Position,
  options: Signalled,
): Promise<Position> {
  const records: Upsert[] = [];
  const list = source.lots({ view: 'full', modifiedSince: position.lots }, options);
  const lots = await readList(list, lotUpsert, keepIn(records, store, position));
  const next = { ...position, lots };
  await store.upsert(records, JSON.stringify(next));
  return next;
}

/** Reads all lists into the empty store. The feed is followed from before them. */
async function readLists(source: MirrorSource, store: MirrorStore, options: Signalled): Promise<Position> {
  const { cursor, warehouses } = await source.me(options);
  await store.clear();
  const named = warehouses.map((record) => ({ kind: 'warehouse' as const, key: record.wID, record }));
  await store.upsert(named, null);
  const keep = (records: readonly Upsert[]) => store.upsert(records, null);
  const lots = await readList(source.lots({ view: 'full' }, options), lotUpsert, keep);
  await readList(source.items({ all: true }, options), itemUpsert, keep);
  const levels: Position['levels'] = {};
  const told = new Set<boolean>();
  for (const { wID } of warehouses) {
    const list = source.stockLevels({ wid: wID, view: 'full' }, options);
    levels[wID] = await readList(list, levelUpsert(wID, told), keep);
  }
  const position: Position = { cursor, lots, levels, minimumsAt: told.has(false) ? null : cursor };
  await store.upsert([], JSON.stringify(position));
  return position;
}

/**
 * Hands the records of a list on. Returns its value for `modifiedSince` next time, which is that of the first
 * page.
 */
async function readList<Item>(
  list: Listing<Item>,
  upsertOf: (item: Item) => Upsert,
  keep: (records: readonly Upsert[]) => unknown,
): Promise<string> {
  let since: string | null = null;
  for await (const { value, nextModifiedSince } of list.pages()) {
    since ??= nextModifiedSince;
    await keep(value.map(upsertOf));
  }
  return since!;
}

/** Stores a page of changes. Returns null when the lists must be read again. */
async function applyPage(
  source: MirrorSource,
  store: MirrorStore,
  page: ChangePage,
  before: Position,
  options: Signalled,
): Promise<Position | null> {
  if (page.value.some(({ type }) => type === 'scope')) return null;
  const { records, wids, isRenamed } = readChanges(page.value);
  const position = { ...before, cursor: page.nextCursor, levels: { ...before.levels } };
  const told = new Set<boolean>();
  const keep = keepIn(records, store, before);
  if (isRenamed) {
    const renamed = source.lots({ view: 'full', modifiedSince: before.lots }, options);
    position.lots = await readList(renamed, lotUpsert, keep);
  }
  for (const wid of wids) {
    const changed = source.stockLevels({ wid, view: 'full', modifiedSince: before.levels[wid]! }, options);
    position.levels[wid] = await readList(changed, levelUpsert(wid, told), keep);
  }
  position.minimumsAt = before.minimumsAt === null || told.has(false) ? null : page.nextCursor;
  if (records.length > 0 || position.cursor !== before.cursor)
    await store.upsert(records, JSON.stringify(position));
  return position;
}

/**
 * Makes the function that adds records to these. If they become too many, they go to the store with the
 * position before. After a crash, the mirror reads the same changes and lists again from there, and the copy
 * ends the same.
 */
function keepIn(records: Upsert[], store: MirrorStore, before: Position) {
  const position = JSON.stringify(before);
  return async (more: readonly Upsert[]): Promise<void> => {
    records.push(...more);
    if (records.length > recordsMax) await store.upsert(records.splice(0), position);
  };
}

/** The records in some changes; the warehouses whose levels they change; and whether lots show a new name. */
function readChanges(changes: readonly Change[]) {
  const records: Upsert[] = [];
  const wids = new Set<number>();
  let isRenamed = false;
  for (const change of changes) {
    if (change.type === 'stock') {
      records.push(...change.lots.map(lotUpsert));
      for (const { wID } of [...change.lines, ...change.lots]) wids.add(wID);
    } else if (change.type === 'hold') {
      const { type, ...lot } = change;
      records.push(lotUpsert(lot));
      wids.add(lot.wID);
    } else if (change.type === 'level') {
      wids.add(change.wID);
    } else if (change.type === 'item') {
      const { type, aliases, aliasUnits, ...item } = change;
      records.push(itemUpsert(item));
      isRenamed = true;
    } else if (change.type === 'warehouse') {
      const { type, ...record } = change;
      records.push({ kind: 'warehouse', key: record.wID, record });
      isRenamed = true;
    }
  }
  return { records, wids, isRenamed };
}

function lotUpsert(record: FullLot): Upsert {
  return { kind: 'lot', key: record.recNo, record };
}

function itemUpsert(record: Item): Upsert {
  return { kind: 'item', key: record.partNo, record };
}

/** A level without the names, which lots and items have. `told`: whether the service tells minimums. */
function levelUpsert(wID: number, told: Set<boolean>) {
  return ({ shortID, description, modified, minimum, ...level }: FullStockLevel): Upsert => {
    told.add(minimum !== undefined);
    return {
      kind: 'level',
      key: `${level.partNo}/${wID}`,
      record: { ...level, minimum: minimum ?? null, wID },
    };
  };
}

/** Null if the levels were stored by version 0.1, without minimums. */
function readPosition(text: string | null | undefined): Position | null {
  const position: Position | null = text === null || text === undefined ? null : JSON.parse(text);
  const isWhole = position?.minimumsAt === null || position?.minimumsAt === position?.cursor;
  return isWhole ? position : null;
}
