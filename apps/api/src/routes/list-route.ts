import { setTimeout as pause } from 'node:timers/promises';
import type { PagedList } from '@inventory/db/lists/paged-list';
import type { z } from 'zod';
import type { Database } from '../database.ts';
import { Failed, messages, nothingAtPath, soonAgain } from '../http/errors.ts';
import { noWarehouses, type Route, route } from '../http/route.ts';
import type { Asker } from '../lists/lists.ts';
import { pageReply } from '../lists/page-reply.ts';

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
