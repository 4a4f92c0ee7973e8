import type { Readable } from 'node:stream';
import type { Client } from '@inventory/auth/client';
import type { ListReading } from '@inventory/db/lists/pages/list-reading';
import { readLargeCategory, readSmallCategory } from '@inventory/db/lists/pages/read-category';
import { isStatementTimeout, type Sql } from '@inventory/postgres/pool';
import type { StatementPool, Wait } from '@inventory/postgres/statement-pool';
import { asBusy } from '../http/as-busy.ts';
import type { ListTurns, TurnKind } from './list-turns.ts';
import { createNextModifiedSince } from './next-modified-since.ts';
import { createPageReader, type ListedPage } from './page-reader.ts';
import type { Replica } from './replica.ts';
import { createTextStream } from './text-stream.ts';

// A category with at most this many items is one text, like any other answer. A larger one is streamed.
export const wholeCategoryMax = 1000;
// A cheap list that takes longer waits on a dead connection, or Postgres stands still. Other lists of the
// client must not wait for it.
const cheapTurnMs = 2000;
// A stream that lasts longer waits for its reader and keeps no core busy.
const streamCostsMs = 2000;
/** A streamed list must be read within this time. */
export const streamWithinMs = 60_000;
/** Its reader must take something at least this often. */
const streamIdleMs = 10_000;

/** The client that asks for a list, and how long it waits. */
export type Asker = { client: Client; wait: Wait };

/**
 * Reads lists in turns, so that one client's lists do not delay another's. All methods fail with 503 if
 * Postgres is too busy.
 */
export type Lists = {
  page(reading: ListReading, asker: Asker): Promise<ListedPage>;
  /**
   * Returns the active items of a category as the text of an array. A large category is a stream that must be
   * read or destroyed.
   */
  category(category: number, asker: Asker): Promise<{ text: string } | { stream: Readable }>;
  /** The value of `X-Next-Modified-Since` now, or of a moment ago. */
  nextModifiedSince(asker: Asker): Promise<string>;
  /** Reads something else that is as cheap as a page. */
  lookUp<T>(read: (sql: Sql) => Promise<T>, asker: Asker): Promise<T>;
  /** Pages read so far, by the server that was asked last. */
  readsBy(): { primary: number; replica: number };
};

/** The connections of the lists, one pool for each kind. All except `looks` cancel statements. */
export type ListPools = {
  cheap: StatementPool;
  costly: StatementPool;
  streamed: StatementPool;
  /** Finds out whether a list has few matches. */
  looks: StatementPool;
};

export function createLists(pools: ListPools, turns: ListTurns, replica: Replica | null = null): Lists {
  const nextModifiedSince = createNextModifiedSince();
  const pages = createPageReader(pools, replica, nextModifiedSince);

  async function inTurn<T>(kind: TurnKind, { client, wait }: Asker, work: () => Promise<T>): Promise<T> {
    const endTurn = await turns.take(client.clientId, kind, wait);
    const timer = kind === 'cheap' ? setTimeout(endTurn, cheapTurnMs) : undefined;
    try {
      return await work();
    } catch (error) {
      throw asBusy(error);
    } finally {
      clearTimeout(timer);
      endTurn();
    }
  }

  /**
   * Decides how to read a page cheaply; null: that is not possible. If the look takes too long, there are
   * many matches.
   */
  async function findCheap(reading: ListReading, { wait }: Asker): Promise<ListReading['read'] | null> {
    if (reading.cost !== 'matches') return reading.cost === 'page' ? reading.read : null;
    try {
      return await pools.looks.run(reading.findFew, wait);
    } catch (error) {
      if (isStatementTimeout(error)) return null;
      throw error;
    }
  }

  function lookUp<T>(read: (sql: Sql) => Promise<T>, asker: Asker): Promise<T> {
    return inTurn('cheap', asker, () => pools.cheap.run(read, asker.wait));
  }

  async function streamCategory(category: number, asker: Asker): Promise<{ stream: Readable }> {
    const { client, wait } = asker;
    const endTurns = await takeStreamTurns(turns, client.clientId, wait);
    const { readable, write, onGone } = createTextStream(streamIdleMs);
    const forget = wait.onGone?.(() => readable.destroy());
    const reader: Wait = {
      until: performance.now() + streamWithinMs,
      hasGone: () => readable.destroyed,
      onGone,
    };
    return new Promise((resolve, reject) => {
      const writePiece = (piece: string) => {
        const written = write(piece);
        // From here on, a failure can only cut the answer off.
        resolve({ stream: readable });
        return written;
      };
      pools.streamed
        .run((sql) => readLargeCategory(sql, category, writePiece), reader)
        .then(
          () => readable.push(null),
          (error) => {
            reject(asBusy(error));
            readable.destroy(error as Error);
          },
        )
        .finally(() => {
          forget?.();
          endTurns();
        });
    });
  }

  return {
    readsBy: pages.readsBy,
    async page(reading, asker) {
      if (reading.cost !== 'everything') {
        const page = await inTurn('cheap', asker, async () => {
          const read = await findCheap(reading, asker);
          return read && pages.read('cheap', read, asker.wait);
        });
        if (page !== null) return page;
      }
      return inTurn('costly', asker, () => pages.read('costly', reading.read, asker.wait));
    },
    nextModifiedSince: async (asker) => nextModifiedSince.kept() ?? lookUp(nextModifiedSince.read, asker),
    lookUp,
    async category(category, asker) {
      const text = await inTurn('cheap', asker, () =>
        pools.cheap.run((sql) => readSmallCategory(sql, category, wholeCategoryMax), asker.wait),
      );
      return text === null ? streamCategory(category, asker) : { text };
    },
  };
}

/** A stream also takes a costly turn for as long as it keeps a core busy. */
async function takeStreamTurns(turns: ListTurns, clientId: string, wait: Wait): Promise<() => void> {
  const endStream = await turns.take(clientId, 'streamed', wait);
  try {
    const endCostly = await turns.take(clientId, 'costly', wait);
    const timer = setTimeout(endCostly, streamCostsMs);
    return () => {
      clearTimeout(timer);
      endCostly();
      endStream();
    };
  } catch (error) {
    endStream();
    throw error;
  }
}
