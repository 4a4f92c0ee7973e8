import type { ListReading } from '@inventory/db/lists/pages/list-reading';
import type { Page } from '@inventory/paging/page';
import type { Sql } from '@inventory/postgres/pool';
import type { StatementPool, Wait } from '@inventory/postgres/statement-pool';
import type { NextModifiedSince } from './next-modified-since.ts';
import type { Replica, ReplicaKind } from './replica.ts';

/** A page, and the `modifiedSince` from which the next changes can be asked for. */
export type ListedPage = Page & { nextModifiedSince: string };

/** Reads pages from the replica if it has caught up with the primary, otherwise from the primary. */
export type PageReader = {
  read(kind: ReplicaKind, page: ListReading['read'], wait: Wait): Promise<ListedPage>;
  /** Pages read so far, by the server that was asked last. */
  readsBy(): { primary: number; replica: number };
};

export function createPageReader(
  pools: Record<ReplicaKind, StatementPool>,
  replica: Replica | null,
  nextModifiedSince: NextModifiedSince,
): PageReader {
  const readsBy = { primary: 0, replica: 0 };

  async function readListed(sql: Sql, page: ListReading['read']): Promise<ListedPage> {
    // Read before the page, in a statement of its own: a change that commits between the two is on the page
    // and will be asked for again. If it were read later, or in the same statement, such a change could be on
    // no page.
    const next = await nextModifiedSince.read(sql);
    return { ...(await page(sql)), nextModifiedSince: next };
  }

  return {
    readsBy: () => readsBy,
    async read(kind, page, wait) {
      if (replica !== null) {
        // Read before the primary's log position, for the same reason.
        const next = nextModifiedSince.kept() ?? (await pools[kind].run(nextModifiedSince.read, wait));
        const read = await replica.read(kind, page, wait);
        if (read !== null) {
          readsBy.replica += 1;
          return { ...read, nextModifiedSince: next };
        }
      }
      readsBy.primary += 1;
      return pools[kind].run((sql) => readListed(sql, page), wait);
    },
  };
}
