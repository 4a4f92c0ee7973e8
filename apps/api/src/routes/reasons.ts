import { reasonPage } from '@inventory/db/lists/list-reasons';
import { Reason } from '@inventory/domain/contract/reason';
import { pageQueryShape } from '@inventory/paging/page-query';
import { z } from 'zod';
import type { Database } from '../database.ts';
import { pageBytes } from '../http/answer-bytes.ts';
import { noWarehouses, route } from '../http/route.ts';
import { pageAnswer, pageReply } from '../lists/page-reply.ts';
import { reasons } from '../openapi/descriptions/reasons.ts';

const { page, pageSize } = pageQueryShape([]);

/** `/Reasons`: the names of reason codes. */
export function reasonRoutes({ lists }: Pick<Database, 'lists'>) {
  return [
    route({
      method: 'GET',
      path: '/Reasons',
      isExtension: true,
      summary: 'List the reasons that have names',
      // A token is enough.
      permission: [],
      writes: false,
      query: z.object({ page, pageSize }),
      warehouses: noWarehouses,
      answer: { 200: pageAnswer(Reason, 'ReasonPage') },
      answerBytes: ({ query }) => pageBytes('reason', query),
      keyed: false,
      paged: 'always',
      notFound: null,
      description: reasons,
      handle: async ({ query, ...asker }) => {
        const asked = { ...query, sort: undefined, direction: 'asc' as const };
        return pageReply(asked, await lists.page(reasonPage(asked), asker));
      },
    }),
  ];
}
