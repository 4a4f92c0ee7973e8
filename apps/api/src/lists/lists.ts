import type { Readable } from 'node:stream';
import type { Client } from '@inventory/auth/client';
import type { ListReading } from '@inventory/db/lists/list-reading';
import { readLargeCategory, readSmallCategory } from '@inventory/db/lists/read-category';
import { isStatementTimeout } from '@inventory/db/pool';
import type { StatementPool, Wait } from '@inventory/db/statement-pool';
import { asBusy } from '../as-busy.ts';
import type { ListTurns, TurnKind } from './list-turns.ts';
import { createPageReader, type ListedPage } from './page-reader.ts';
import type { Replica } from './replica.ts';
import { createTextStream } from './text-stream.ts';

// A category of up to so many items is one text, as any other answer; a larger one is streamed.
const wholeCategoryMax = 1000;
// A cheap list that takes longer waits on a connection that has died, or Postgres stands still: its client's
// others need not.
const cheapTurnMs = 2000;
// A stream that lasts longer waits for its reader, and keeps no processor busy.
const streamCostsMs = 2000;
/** A streamed list must be read in so much time, */
export const streamWithinMs = 60_000;
/** and its reader may not take nothing for longer than this. */
const streamIdleMs = 10_000;

/** The client that asks for a list, and until when it waits. */
export type Asker = { client: Client; wait: Wait };

/**
 * Lists, read in turns: nobody's lists keep others from being served. All fail with 503 when Postgres is too
 * busy for them.
 */
export type Lists = {
  page(reading: ListReading, asker: Asker): Promise<ListedPage>;
  /**
   * A category's active items as the text of an array; a large one's as a stream that must be read or
   * destroyed.
   */
  category(category: number, asker: Asker): Promise<{ text: string } | { stream: Readable }>;
  /** Pages that were read, by the server that was asked last for them. */
  readsBy(): { primary: number; replica: number };
};

/** The connections of the lists, by what may stand behind what. All but `looks` cancel. */
export type ListPools = {
  cheap: StatementPool;
  costly: StatementPool;
  streamed: StatementPool;
  /** Looks whether a list has few matches. */
  looks: StatementPool;
};

export function createLists(pools: ListPools, turns: ListTurns, replica: Replica | null = null): Lists {
  const pages = createPageReader(pools, replica);

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

  /** How a cheap page is read; null: it is not. When that cannot be told in no time, its matches are many. */
  async function findCheap(reading: ListReading, { wait }: Asker): Promise<ListReading['read'] | null> {
    if (reading.cost !== 'matches') return reading.cost === 'page' ? reading.read : null;
    try {
      return await pools.looks.run(reading.findFew, wait);
    } catch (error) {
      if (isStatementTimeout(error)) return null;
      throw error;
    }
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
        // From now on what fails can only cut the answer.
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
    async category(category, asker) {
      const text = await inTurn('cheap', asker, () =>
        pools.cheap.run((sql) => readSmallCategory(sql, category, wholeCategoryMax), asker.wait),
      );
      return text === null ? streamCategory(category, asker) : { text };
    },
  };
}

/** As long as a stream costs something, its client has no costly list beside it. */
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
