import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createBatchPool } from '@inventory/db/batch/batch-pool';
import { connect } from '@inventory/db/postgres/pool';
import { expect, test } from 'vitest';
import { useBatches } from '../harness/queue/batches.ts';

const batches = useBatches();
setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('a pool keeps no result of a batch in memory while its connection stays open', async () => {
  const { pool } = batches.worker();
  const said: WeakRef<object>[] = [];
  for (let index = 0; index < 100; index++) {
    await pool.transaction(async (tx) => {
      await tx`select 1`;
      const result = { index };
      said.push(new WeakRef(result));
      return { result, write: null };
    });
  }
  await expect
    .poll(() => {
      collectGarbage();
      return said.filter((each) => each.deref() !== undefined).length;
    })
    .toBeLessThan(10);
});

test('a pool that ends while it opens a connection leaves none open', async () => {
  const sql = connect(batches.url, { name: 'ended-early', connectionsMax: 1, byKeys: true });
  const pool = createBatchPool(sql);
  const work = pool.transaction(async (tx) => {
    await tx`select 1`;
    return { result: null, write: null };
  });
  await pool.end({ timeout: 0 });
  await work.catch(() => {});
  await sql.end();
  await expect
    .poll(
      async () => {
        const [row] = await batches.sql<{ open: number }[]>`
          select count(*)::integer as open from pg_stat_activity where application_name = 'ended-early'`;
        return row!.open;
      },
      { timeout: 60_000 },
    )
    .toBe(0);
});
