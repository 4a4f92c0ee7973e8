import { createBatchPool } from '@inventory/db/batch/batch-pool';
import { connect, type Sql, untilDone } from '@inventory/db/postgres/pool';
import { openWorkerDatabase } from '@inventory/worker/database';
import { createTimedPool } from '@inventory/worker/timed-pool';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';
import { uniqueName } from '../harness/service/service.ts';

const patient = { timeout: 60_000 };
const lockKey = 1;
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

// Each works until the lock is free.
const kinds = {
  statements(open: () => Sql) {
    const pool = createTimedPool(open, 1000, untilDone, open);
    return { pool, work: () => pool.run((sql) => sql`select pg_advisory_xact_lock(${lockKey})`) };
  },
  batches(open: () => Sql) {
    const openBatches = () => {
      const sql = open();
      const batches = createBatchPool(sql);
      return {
        ...batches,
        end: (timing: { timeout: number }) => batches.end(timing).then(() => sql.end(timing)),
      };
    };
    const pool = createTimedPool(openBatches, 1000, (each) => each.untilDone(), open);
    const lock = async (tx: Pick<Sql, 'unsafe'>) => {
      await tx.unsafe(`set local client_connection_check_interval = 0`);
      await tx.unsafe(`select pg_advisory_xact_lock(${lockKey})`);
      return { result: null, write: null };
    };
    return { pool, work: () => pool.run((batches) => batches.transaction(lock)) };
  },
  /** The pool beside the transactions of batches, as for a new gate. */
  gates() {
    const { batches, end } = openWorkerDatabase(database.url, 5000);
    const lock = `
      set statement_timeout = 0; set lock_timeout = 0; select pg_advisory_xact_lock(${lockKey})`;
    return { pool: { end }, work: () => batches.run(({ sql }) => sql.unsafe(lock)) };
  },
};

test.each(['statements', 'batches', 'gates'] as const)(
  '%s that were given up and go on in Postgres use up no more connections than some; then work goes on',
  async (kind) => {
    const name = uniqueName('timed');
    const { pool, work } = kinds[kind](() => connect(database.url, { name, connectionsMax: 1 }));
    onTestFinished(() => pool.end());
    const holder = await database.sql.reserve();
    onTestFinished(() => holder.release());
    await holder`select pg_advisory_lock(${lockKey})`;
    const codes = new Set<string>();
    for (let count = 0; count < 20 && !codes.has('NEVER_BEGUN'); count++) {
      codes.add(
        await work().then(
          () => 'done',
          ({ code }: { code: string }) => code,
        ),
      );
    }
    expect(codes).toEqual(new Set(['TOO_LATE', 'NEVER_BEGUN']));
    await holder`select pg_advisory_unlock(${lockKey})`;
    await expect
      .poll(
        () =>
          work().then(
            () => 'done',
            () => 'not yet',
          ),
        patient,
      )
      .toBe('done');
  },
);
