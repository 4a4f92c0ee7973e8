import type { ListReading } from '@inventory/db/lists/list-reading';
import type { Sql } from '@inventory/db/pool';
import type { StatementPool, Wait } from '@inventory/db/statement-pool';
import type { Page } from '@inventory/paging/page';
import { createNextModifiedSince } from './next-modified-since.ts';
import type { Replica, ReplicaKind } from './replica.ts';

/** A page, and from when on what comes after it is asked for by `modifiedSince`, as it is written there. */
export type ListedPage = Page & { nextModifiedSince: string };

/** Reads pages, on the replica where there is one that is as far as the primary, else on the primary. */
export type PageReader = {
  read(kind: ReplicaKind, page: ListReading['read'], wait: Wait): Promise<ListedPage>;
  /** Pages that were read, by the server that was asked last for them. */
  readsBy(): { primary: number; replica: number };
};

export function createPageReader(
  pools: Record<ReplicaKind, StatementPool>,
  replica: Replica | null,
): PageReader {
  const nextModifiedSince = createNextModifiedSince();
  const readsBy = { primary: 0, replica: 0 };

  async function readListed(sql: Sql, page: ListReading['read']): Promise<ListedPage> {
    // Before the page, in a statement of its own: what was committed between the two is on the page, and is
    // asked for again. After it, or in the page's statement, it would be on no page.
    const next = await nextModifiedSince.read(sql);
    return { ...(await page(sql)), nextModifiedSince: next };
  }

  return {
    readsBy: () => readsBy,
    async read(kind, page, wait) {
      if (replica !== null) {
        // Before the primary is asked how far it is, for the same reason.
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
