import { createClientCache } from '@inventory/api/http/callers/client-cache';
import type { Sql } from '@inventory/db/postgres/pool';
import type { StatementPool } from '@inventory/db/postgres/statement-pool';
import { expect, test } from 'vitest';

test('a few statements read the clients of a fleet that wakes up in one moment', async () => {
  let statements = 0;
  const answer = async (_texts: TemplateStringsArray, clientIds: string[]) => {
    statements += 1;
    return clientIds.map((clientId) => ({ client_id: clientId, permissions: [11], wids: [1] }));
  };
  const run = async (work: (sql: Sql) => Promise<unknown>) => work(answer as unknown as Sql);
  const clients = createClientCache({ run } as unknown as StatementPool);
  const ids = Array.from({ length: 2000 }, (_, index) => `scanner-${index}`);
  const found = await Promise.all([...ids, ...ids].map((clientId) => clients.find(clientId)));
  expect(found.map((client) => client?.clientId)).toEqual([...ids, ...ids]);
  expect(statements).toBe(2);
});
