import { type ChangePage, type ChangesAsked, readChanges } from '@inventory/db/changes/read-changes';
import type { StatementPool } from '@inventory/db/postgres/statement-pool';
import { asBusy } from '../http/as-busy.ts';
import { Failed, messages } from '../http/errors.ts';
import { createFairRoom } from '../turns/fair-room.ts';

// Two pages are read at the same time, one of each client.
const pagesAtOnce = 2;
const pageWithinMs = 4000;

/** Reads pages of the feed in turns. Callers that ask for the same page at the same time share it. */
export type ReadPage = (asked: ChangesAsked, clientId: string) => Promise<ChangePage>;

export function createPages(pool: StatementPool): ReadPage {
  const room = createFairRoom({ total: () => pagesAtOnce, may: (_, own) => own === 0 });
  const running = new Map<string, Promise<ChangePage>>();

  // The first caller may go while others wait for the same page.
  async function readInTurn(asked: ChangesAsked, clientId: string): Promise<ChangePage> {
    const visit = room.enter(clientId, 1, { until: performance.now() + pageWithinMs });
    try {
      if (!(await visit.admitted)) throw new Failed(503, messages.unavailable, { 'Retry-After': '1' });
      return await pool.run((sql) => readChanges(sql, asked));
    } catch (error) {
      throw asBusy(error);
    } finally {
      visit.leave();
    }
  }

  return async (asked, clientId) => {
    const { after, until, limit, wids } = asked;
    if (after >= until) return { changes: [], through: after, hasMore: false };
    const key = [after, until, limit, ...wids].join();
    const shared = running.get(key);
    if (shared !== undefined) return shared;
    const page = readInTurn(asked, clientId);
    running.set(key, page);
    // Not longer: a page shows lots as they are when it is read.
    const forget = () => running.delete(key);
    page.then(forget, forget);
    return page;
  };
}
