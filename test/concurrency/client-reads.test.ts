import { setTimeout } from 'node:timers/promises';
import { createClientCache } from '@inventory/api/http/callers/client-cache';
import type { Sql } from '@inventory/postgres/pool';
import type { StatementPool } from '@inventory/postgres/statement-pool';
import { expect, test } from 'vitest';
import { expectWaiting } from '../harness/queue/batches.ts';
import { useService } from '../harness/service/service.ts';

const service = useService({ hears503: true });

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

test.each(['client', 'verifying_key'])(
  'applied: a batch for which %s was being read when Postgres ended the connection',
  async (table) => {
    const itemID = await service.item();
    const client = await service.client();
    const operations = [{ op: 'receive', key: table, itemID, units: 1, wid: 1, reasonCode: 0 }];
    // The client and the keys are read again only when they are older than half a second.
    await setTimeout(1000);
    const held = await service.sql.reserve();
    await held`begin`;
    await held`lock table ${held(table)} in access exclusive mode`;
    const answer = client.post('/Inventory/Batch', { mode: 'each', operations });
    await expectWaiting(service.sql, 1);
    await service.sql`
    select pg_terminate_backend(pid, 10000) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
    await held`rollback`;
    held.release();
    expect(await answer).toMatchObject({ status: 200, body: { summary: { applied: 1 } } });
  },
);
