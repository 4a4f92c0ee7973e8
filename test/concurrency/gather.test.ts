import { createClientCache } from '@inventory/api/http/callers/client-cache';
import { gather } from '@inventory/api/turns/gather';
import type { Sql } from '@inventory/db/postgres/pool';
import type { StatementPool } from '@inventory/db/postgres/statement-pool';
import { expect, test } from 'vitest';

/** A pool of one connection; `sql` answers a statement by its first parameter. */
function countingPool(sql: (parameter: unknown) => unknown = () => []) {
  const runs = { count: 0 };
  let last: Promise<unknown> = Promise.resolve();
  const statement = async (_texts: TemplateStringsArray, parameter: unknown) => sql(parameter);
  const pool = {
    run(work: (sql: Sql) => Promise<unknown>) {
      runs.count += 1;
      last = last.then(() => work(statement as unknown as Sql));
      return last;
    },
  } as unknown as StatementPool;
  return { pool, runs };
}

test('questions of one moment are asked together, at most a thousand at a time, each with its own answer', async () => {
  const { pool } = countingPool();
  const sizes: number[] = [];
  const double = gather(pool, async (_sql, inputs: readonly number[]) => {
    sizes.push(inputs.length);
    return inputs.map((input) => 2 * input);
  });
  const inputs = Array.from({ length: 2500 }, (_, index) => index);
  expect(await Promise.all(inputs.map(double))).toEqual(inputs.map((input) => 2 * input));
  expect(sizes).toEqual([1000, 1000, 500]);
});

test('a few statements read the clients of a fleet that wakes up in one moment', async () => {
  const { pool, runs } = countingPool((clientIds) =>
    (clientIds as string[]).map((clientId) => ({ client_id: clientId, permissions: [11], wids: [1] })),
  );
  const clients = createClientCache(pool);
  const ids = Array.from({ length: 2000 }, (_, index) => `scanner-${index}`);
  const found = await Promise.all([...ids, ...ids].map((clientId) => clients.find(clientId)));
  expect(found.map((client) => client?.clientId)).toEqual([...ids, ...ids]);
  expect(runs.count).toBe(2);
});
