import { denyAction } from '@inventory/auth/scope';
import { readWarehouses } from '@inventory/db/catalog/warehouses';
import { operationsMax } from '@inventory/domain/contract/batch';
import { Me } from '@inventory/domain/contract/me';
import { formatDateTime } from '@inventory/domain/date-time';
import { type Permission, permissionNames } from '@inventory/domain/permission';
import { pageSizeMax } from '@inventory/paging/page-query';
import type { StatementPool } from '@inventory/postgres/statement-pool';
import type { Feed } from '../changes/feed.ts';
import { cursorAt } from '../changes/follow-changes.ts';
import { untilScopeSettled } from '../changes/until-scope-settled.ts';
import { answerBytes } from '../http/answer-bytes.ts';
import { noWarehouses, type Route, route } from '../http/route.ts';
import { me } from '../openapi/descriptions/me.ts';

export type MeOptions = {
  reads: StatementPool;
  feed: Feed;
  /** Requests in a window of 60 s, for clients without a limit of their own. */
  rateLimit: number;
  /** Batch operations in a window of 60 s, likewise. */
  operationLimit: number;
  /** The clock of Postgres, in milliseconds since 1970. */
  now: () => number;
  /** All routes of the service. */
  routes: () => readonly Route[];
};

/** `/Me`: the rights of a client. Without it, a client would learn them only from refusals. */
export function meRoutes(options: MeOptions) {
  return [
    route({
      method: 'GET',
      path: '/Me',
      isExtension: true,
      summary: 'The client itself: its permissions, scope and limits',
      // A token is enough.
      permission: [],
      writes: false,
      warehouses: noWarehouses,
      answer: { 200: Me },
      answerBytes: ({ client }) => answerBytes.warehouses(client.scope.size),
      keyed: false,
      paged: 'never',
      notFound: null,
      description: me,
      handle: async ({ client: caller, wait, renew }) => {
        const client = await untilScopeSettled({ renew, wait }, caller);
        const { reads, feed, rateLimit, operationLimit, now, routes } = options;
        const operationsPerMinute = client.operationsPerMinute ?? operationLimit;
        const position = await feed.soon();
        const me: Me = {
          clientId: client.clientId,
          readOnly: client.readOnly,
          permissions: [...client.permissions]
            .sort((a, b) => a - b)
            .map((securityID) => ({ securityID, name: permissionNames[securityID as Permission] ?? '' })),
          operations: routes()
            .filter(({ permission, writes }) => denyAction(client, permission, writes) === null)
            .map(({ description }) => description.id),
          warehouses: await reads.run((sql) => readWarehouses(sql, [...client.scope]), wait),
          limits: {
            requestsPerMinute: client.rateLimit ?? rateLimit,
            operationsPerMinute,
            operationsPerBatch: Math.min(operationsMax, operationsPerMinute),
            pageSize: pageSizeMax.standard,
          },
          tokenExpires: formatDateTime(client.tokenExpiresAt),
          serverTime: formatDateTime(now()),
          cursor: cursorAt(position, client),
        };
        return { status: 200, text: JSON.stringify(me) };
      },
    }),
  ];
}
