import { watchNeeds } from '@inventory/api/watch-needs';
import { createBatchPool } from '@inventory/db/batch/batch-pool';
import { createLeftBehind } from '@inventory/postgres/left-behind';
import { connect, type Sql, untilDone } from '@inventory/postgres/pool';
import { createStatementPool, NeverBegunError, type StatementPool } from '@inventory/postgres/statement-pool';
import { createFoldedLog } from '@inventory/process/log/folded-log';
import { createLog } from '@inventory/process/log/log';
import { createPresence } from '@inventory/process/presence';
import { createUnwritable } from '@inventory/process/unwritable';
import { openWorkerDatabase } from '@inventory/worker/database';
import { createTimedPool } from '@inventory/worker/timed-pool';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';
import { uniqueName } from '../harness/service/service.ts';

describe('statements left behind', () => {
  /** Leaves this many behind where two may be; `countActive`: how many Postgres says still run. */
  function leave(count: number, countActive: () => Promise<number>) {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let told = 0;
    const leftBehind = createLeftBehind(2, countActive, () => told++);
    onTestFinished(() => leftBehind.end());
    const ends: (() => void)[] = [];
    for (let nth = 0; nth < count; nth++) leftBehind.add((tell) => ends.push(tell));
    return { leftBehind, ends, told: () => told, pass: () => vi.advanceTimersByTimeAsync(10_000) };
  }

  test('another connection may open as soon as they are done, however many there were', () => {
    const { leftBehind, ends, told } = leave(10, async () => 10);
    expect(leftBehind.mayOpen()).toBe(false);
    for (const end of ends) end();
    expect(told()).toBe(10);
    expect(leftBehind.mayOpen()).toBe(true);
  });

  test('another connection may open when Postgres says that they have ended', async () => {
    let active = 2;
    const { leftBehind, told, pass } = leave(10, async () => active);
    // Eight of ten have ended: two go on, and that is the limit.
    await pass();
    expect({ told: told(), mayOpen: leftBehind.mayOpen() }).toEqual({ told: 1, mayOpen: false });
    active = 1;
    await pass();
    expect(leftBehind.mayOpen()).toBe(true);
  });

  test('one that ended silently is forgotten before the next ones come, although it held nothing up', async () => {
    const { leftBehind, told, pass } = leave(1, async () => 0);
    await pass();
    expect(told()).toBe(1);
    leftBehind.add(() => {});
    expect(leftBehind.mayOpen()).toBe(true);
  });

  test('no connection may open while Postgres cannot be asked', async () => {
    const { leftBehind, pass } = leave(10, () => Promise.reject(new Error('away')));
    await pass();
    expect(leftBehind.mayOpen()).toBe(false);
  });

  test('a connection on which nothing reached Postgres does not count', () => {
    const { leftBehind } = leave(0, async () => 0);
    for (let count = 0; count < 10; count++) leftBehind.add(null);
    expect(leftBehind.mayOpen()).toBe(true);
  });
});

const lockKey = 1;
const lock = `select pg_advisory_xact_lock(${lockKey})`;
const limitMs = 300;
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

type Work = { pool: { end(): Promise<void> }; work: () => Promise<unknown> };

// Each works until the lock is free.
const kinds: Record<string, (open: () => Sql) => Work> = {
  'statements of the api'(open) {
    const places = { connectionsMax: 1, overrunMs: 60_000, waitMs: 100 };
    const pool = createStatementPool({ open, limitMs, ...places });
    return { pool, work: () => pool.run((sql) => sql.unsafe(lock)) };
  },
  'statements of a worker'(open) {
    const pool = createTimedPool(open, limitMs, untilDone, open);
    return { pool, work: () => pool.run((sql) => sql.unsafe(lock)) };
  },
  batches(open) {
    const openBatches = () => {
      const sql = open();
      const batches = createBatchPool(sql);
      const end = (timing: { timeout: number }) => batches.end(timing).then(() => sql.end(timing));
      return { ...batches, end };
    };
    const pool = createTimedPool(openBatches, limitMs, (each) => each.untilDone(), open);
    const wait = async (tx: Pick<Sql, 'unsafe'>) => {
      await tx.unsafe(`set local client_connection_check_interval = 0`);
      await tx.unsafe(lock);
      return { result: null, write: null };
    };
    return { pool, work: () => pool.run((batches) => batches.transaction(wait)) };
  },
  /** The pool beside the transactions of batches, as for a new gate. */
  gates() {
    const { batches, end } = openWorkerDatabase(database.url);
    const wait = `set statement_timeout = 0; set lock_timeout = 0; ${lock}`;
    return { pool: { end }, work: () => batches.run(({ sql }) => sql.unsafe(wait), limitMs) };
  },
};

test.each(Object.keys(kinds))(
  '%s that were given up and go on in Postgres use up no more places than some; then work goes on',
  async (kind) => {
    const name = uniqueName('timed');
    const { pool, work } = kinds[kind]!(() => connect(database.url, { name, connectionsMax: 1 }));
    onTestFinished(() => pool.end());
    const holder = await database.sql.reserve();
    onTestFinished(() => holder.release());
    await holder`select pg_advisory_lock(${lockKey})`;
    const outcome = () =>
      work().then(
        () => 'done',
        ({ code }: { code: string }) => code,
      );
    const outcomes: string[] = [];
    while (outcomes.length < 20 && outcomes.at(-1) !== 'NEVER_BEGUN') outcomes.push(await outcome());
    expect(new Set(outcomes)).toEqual(new Set(['TOO_LATE', 'NEVER_BEGUN']));
    await holder`select pg_advisory_unlock(${lockKey})`;
    await expect.poll(outcome).toBe('done');
  },
);

test('hanging commits show when every request behind them was given up and nothing is sent any more', async () => {
  const poolOf = (run: () => Promise<unknown>) =>
    ({ run, counts: () => ({ busy: 0, idle: 0, suspect: 0 }) }) as unknown as StatementPool;
  const queue = { isOpen: () => true, look: () => new Promise<never>(() => {}) };
  const pools = {
    verdicts: poolOf(() => Promise.reject(new NeverBegunError('left behind'))),
    operations: poolOf(() => Promise.resolve(3)),
  };
  const presence = createPresence(createFoldedLog(createLog('api')));
  const needs = watchNeeds(presence, queue, pools, createUnwritable());
  onTestFinished(needs.stop);
  await expect.poll(needs.hangingCommits).toBe(3);
  expect(needs.whyNoAnswer()).toBe('postgres');
});
