import { setTimeout as pause } from 'node:timers/promises';
import type { PagedList } from '@inventory/db/lists/paged-list';
import { pageText, pagingHeaders, pagingOf } from '@inventory/paging/page';
import type { PageQuery } from '@inventory/paging/page-query';
import type { z } from 'zod';
import type { Database } from '../database.ts';
import { Failed, messages, nothingAtPath, soonAgain } from '../http/errors.ts';
import { noWarehouses, type Reply, type Route, route } from '../http/route.ts';
import type { Asker } from '../lists/lists.ts';
import type { ListedPage } from '../lists/page-reader.ts';

type Schema = z.ZodType<unknown, unknown>;
type PageSchema = z.ZodType<{ page: number; pageSize: number }, unknown>;

/** The route of a list. */
export function listRoute<Params extends Schema | undefined, Query extends PageSchema>(
  list: PagedList<Params, Query>,
  database: Database,
): Route {
  const { words, owner, settled, misfit, warehouses = noWarehouses } = list;
  return route<Params, Query>({
    method: 'GET',
    path: list.path,
    ...(list.isExtension && { isExtension: true }),
    summary: words.summary,
    permission: list.permission,
    writes: false,
    ...(list.params && { params: list.params }),
    query: list.query,
    warehouses,
    answer: { 200: list.answer },
    answerBytes: ({ query }) => list.bytes(query),
    keyed: false,
    paged: 'always',
    notFound: owner?.missing ?? (list.params === undefined ? null : nothingAtPath),
    ...(misfit !== undefined && { misfit }),
    description: words,
    async handle({ params, query, ...asker }) {
      if (settled !== undefined) await untilSettled(database, settled(query), asker);
      const asked = { params, query, scope: [...asker.client.scope] };
      const page = await database.lists.page(list.page(asked), asker);
      if (owner !== undefined && page.totalCount === 0) {
        if (!(await database.reads.run((sql) => owner.exists(sql, asked), asker.wait))) return null;
      }
      return pageReply(query, page);
    },
  });
}

/** The answer of a paged list, in the contract's envelope and with its headers. */
export function pageReply(query: Pick<PageQuery, 'page' | 'pageSize'>, page: ListedPage): Reply {
  const paging = pagingOf(query, page.totalCount);
  const headers = { ...pagingHeaders(paging), 'X-Next-Modified-Since': page.nextModifiedSince };
  return { status: 200, text: pageText(page.records, paging), headers };
}

const lookEveryMs = 250;
// Longer than any transaction of the service is open, unless it hangs.
const settledWithinMs = 7000;

/** Waits until no change up to this moment can come any more. Fails with 503 if that takes long. */
export async function untilSettled({ lists }: Database, time: Date, asker: Asker): Promise<void> {
  for (const until = performance.now() + settledWithinMs; ; await pause(lookEveryMs)) {
    if (Date.parse(await lists.nextModifiedSince(asker)) > time.getTime()) return;
    if (performance.now() > until) throw new Failed(503, messages.unavailable, soonAgain, 'postgres');
  }
}
