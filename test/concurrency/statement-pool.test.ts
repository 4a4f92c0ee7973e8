import { setTimeout } from 'node:timers/promises';
import { connect } from '@inventory/postgres/pool';
import {
  createStatementPool,
  type StatementPool,
  type StatementPoolOptions,
} from '@inventory/postgres/statement-pool';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openHeldWay } from '../harness/network/held-connections.ts';
import { turn } from '../harness/queue/submitter.ts';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';
import { uniqueName } from '../harness/service/service.ts';
import { collectGarbage } from '../harness/watch/garbage.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  await database.sql`create table note (text text)`;
});
afterAll(() => database.drop());

type TestPool = StatementPool & { name: string; connectionCount(): Promise<number> };

/** Nothing overruns and nothing is given up unless asked for; the pool ends with the test. */
function openPool(options: Partial<StatementPoolOptions> = {}): TestPool {
  const name = uniqueName('pool');
  const pool = createStatementPool({
    open: () => connect(database.url, { name, connectionsMax: 1 }),
    connectionsMax: 1,
    overrunMs: 60_000,
    limitMs: 60_000,
    waitMs: 60_000,
    ...options,
  });
  onTestFinished(() => pool.end());
  return {
    ...pool,
    name,
    async connectionCount() {
      const rows = await database.sql`select from pg_stat_activity where application_name = ${name}`;
      return rows.length;
    },
  };
}

const note = (pool: StatementPool, text: string, wait?: Parameters<StatementPool['run']>[1]) =>
  pool.run((sql) => sql`insert into note values (${text})`, wait);
const notes = async () =>
  (await database.sql<{ text: string }[]>`select text from note`).map(({ text }) => text);
const outcome = (work: Promise<unknown>) =>
  Promise.race([
    work.then(
      () => 'done',
      (error: { code?: string }) => error.code,
    ),
    setTimeout(60_000, 'still waits', { ref: false }),
  ]);

/**
 * Sends what was asked for, then blocks the process for this long: timers run next, before anything is read.
 */
async function standStill(timeMs: number): Promise<void> {
  for (let turns = 0; turns < 5; turns++) await turn();
  const begunAt = performance.now();
  while (performance.now() - begunAt < timeMs);
}

/** Holds a lock until `letGo`: statements that want it run as long. */
async function holdLock() {
  const [row] = await database.sql<{ key: number }[]>`select (random() * 1e9)::integer as key`;
  const { key } = row!;
  const holder = await database.sql.reserve();
  await holder`select pg_advisory_lock(${key})`;
  let held = true;
  const letGo = async () => {
    if (!held) return;
    held = false;
    await holder`select pg_advisory_unlock(${key})`;
    holder.release();
  };
  onTestFinished(letGo);
  return {
    key,
    /** Runs for as long as the lock is held. */
    want: (pool: StatementPool, wait?: Parameters<StatementPool['run']>[1]) =>
      pool.run((sql) => sql`select pg_advisory_xact_lock(${key})`, wait),
    letGo,
  };
}

describe('work that waits for a connection', () => {
  test('is never begun once its caller’s time is over', async () => {
    const pool = openPool();
    const lock = await holdLock();
    const slow = lock.want(pool);
    const text = uniqueName('late');
    const wait = { until: performance.now() + 200, hasGone: () => false };
    expect(await outcome(note(pool, text, wait))).toBe('NEVER_BEGUN');
    await lock.letGo();
    await slow;
    await note(pool, 'after');
    expect(await notes()).not.toContain(text);
  });

  test('is not begun when its caller has left; the next in line is served', async () => {
    const pool = openPool();
    const lock = await holdLock();
    const slow = lock.want(pool);
    let gone = false;
    const text = uniqueName('gone');
    const left = outcome(note(pool, text, { until: Number.POSITIVE_INFINITY, hasGone: () => gone }));
    const behind = outcome(note(pool, uniqueName('behind')));
    gone = true;
    await lock.letGo();
    await slow;
    expect(await Promise.all([left, behind])).toEqual(['NEVER_BEGUN', 'done']);
    expect(await notes()).not.toContain(text);
  });

  test('is served in order of arrival, on at most as many connections as the pool may have', async () => {
    const texts = Array.from({ length: 20 }, (_, index) => `in order ${index}`);
    for (const connectionsMax of [1, 2]) {
      const pool = openPool({ connectionsMax });
      const served: string[] = [];
      await Promise.all(texts.map((text) => note(pool, text).then(() => served.push(text))));
      if (connectionsMax === 1) expect(served).toEqual(texts);
      expect(await pool.connectionCount()).toBe(connectionsMax);
    }
  });
});

describe('work that takes too long', () => {
  test('others are served beside it, and it ends in its own time', async () => {
    const pool = openPool({ overrunMs: 100 });
    const lock = await holdLock();
    const slow = outcome(lock.want(pool));
    expect(await outcome(note(pool, 'beside'))).toBe('done');
    await lock.letGo();
    expect(await slow).toBe('done');
    // None where the machine stood still for longer than work may take: then both were too long.
    await expect.poll(() => pool.connectionCount()).toBeLessThan(2);
  });

  test('takes at most three times the pool’s connections', async () => {
    const pool = openPool({ overrunMs: 50, connectionsMax: 2 });
    const lock = await holdLock();
    const slow = Array.from({ length: 12 }, () => outcome(lock.want(pool)));
    await expect.poll(() => pool.connectionCount()).toBe(6);
    // As long as a seventh would need to come.
    expect(await outcome(note(pool, 'x', { until: performance.now() + 500, hasGone: () => false }))).toBe(
      'NEVER_BEGUN',
    );
    expect(await pool.connectionCount()).toBe(6);
    await lock.letGo();
    expect(await Promise.all(slow)).toEqual(Array(12).fill('done'));
  });

  // Opening a connection takes a slow server longer than a statement. If it were asked to open one for each
  // answer that comes late, nothing would be answered in time any more.
  test('opens no more connections, however many answers come late', async () => {
    let opened = 0;
    const name = uniqueName('pool');
    const pool = openPool({
      open: () => {
        opened += 1;
        return connect(database.url, { name, connectionsMax: 1 });
      },
      connectionsMax: 2,
      overrunMs: 20,
    });
    const work = () => pool.run((sql) => sql`select pg_sleep(0.05)`).then(() => pool.doubtIdle(Infinity));
    const callers = Array.from({ length: 8 }, async () => {
      for (let count = 0; count < 25; count++) await work();
    });
    await Promise.all(callers);
    // Its own, and those that are asked whether they still answer.
    expect(opened).toBeLessThanOrEqual(20);
  });

  // On a machine that is too busy, a login takes longer than work may: all of them would end half-way, again
  // and again, and keep it busy.
  test('never begins on a connection that is late to open, which is used once it is open', async () => {
    const way = await openHeldWay(database.url);
    onTestFinished(() => way.close());
    let opened = 0;
    const pool = openPool({
      open: () => {
        opened += 1;
        return connect(way.url, { name: 'late to open', connectionsMax: 1 });
      },
      ...{ connectionsMax: 2, overrunMs: 20, limitMs: 100, waitMs: 50 },
    });
    way.hold();
    const before = await notes();
    const tried = await Promise.all(Array.from({ length: 20 }, () => outcome(note(pool, 'never'))));
    expect(new Set(tried)).toEqual(new Set(['NEVER_BEGUN']));
    for (let count = 0; count < 5; count++) expect(await outcome(note(pool, 'never'))).toBe('NEVER_BEGUN');
    // Its own, and as many suspects as it may have.
    expect(opened).toBeLessThanOrEqual(6);
    way.letGo();
    await expect.poll(() => pool.counts().suspect).toBe(0);
    expect(await outcome(note(pool, 'then'))).toBe('done');
    expect(await notes()).toEqual([...before, 'then']);
    expect(opened).toBeLessThanOrEqual(6);
  });

  test('leaves a connection that is used again', async () => {
    const pool = openPool({ overrunMs: 100 });
    const pidOf = async (timeMs: number) =>
      (await pool.run((sql) => sql`select pg_backend_pid() as pid, pg_sleep(${timeMs / 1000})`))[0]!.pid;
    const first = await pidOf(0);
    expect(await pidOf(300)).toBe(first);
    expect(await pidOf(0)).toBe(first);
    pool.doubtIdle(Number.POSITIVE_INFINITY);
    await expect.poll(() => pool.counts()).toEqual({ busy: 0, idle: 1, suspect: 0 });
    expect(await pidOf(0)).toBe(first);
  });

  test('is neither given up nor taken for hanging when its answer came while the process stood still', async () => {
    let overruns = 0;
    const pool = openPool({ limitMs: 500, overrunMs: 400, onOverrun: () => overruns++ });
    await note(pool, 'connected');
    const asked = outcome(pool.run((sql) => sql`select pg_sleep(0.1)`));
    await standStill(1000);
    expect(await asked).toBe('done');
    expect(overruns).toBe(0);
  });
});

/** A caller that leaves when told to. */
function caller(until = Number.POSITIVE_INFINITY) {
  const told = new Set<() => void>();
  let gone = false;
  return {
    wait: {
      until,
      hasGone: () => gone,
      onGone: (tell: () => void) => {
        told.add(tell);
        return () => told.delete(tell);
      },
    },
    go() {
      gone = true;
      for (const tell of told) tell();
    },
  };
}

describe('work of a pool that cancels', () => {
  const wanting = async () => {
    const rows = await database.sql`
      select
      from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`;
    return rows.length;
  };
  // Not by expect.poll, which moves the clock of a test by 50 ms at each try.
  const untilWanting = async (count: number) => {
    while ((await wanting()) !== count) await turn();
  };

  test('ends in Postgres when its caller goes, also in a transaction', async () => {
    const pool = openPool({ cancels: true, connectionsMax: 2 });
    const lock = await holdLock();
    const who = caller();
    const alone = outcome(lock.want(pool, who.wait));
    const inTransaction = outcome(
      pool.run((sql) => sql.begin((tx) => tx`select pg_advisory_xact_lock(${lock.key})`), who.wait),
    );
    await untilWanting(2);
    who.go();
    await untilWanting(0);
    expect(await Promise.all([alone, inTransaction])).toEqual(['57014', '57014']);
    expect(await outcome(note(pool, 'after those who went'))).toBe('done');
  });

  test('ends in Postgres before its caller’s time is over', async () => {
    const pool = openPool({ cancels: true });
    await note(pool, 'opened before the clock stands still');
    const lock = await holdLock();
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const asked = lock.want(pool, caller(performance.now() + 10_000).wait);
    await untilWanting(1);
    vi.advanceTimersByTime(9900);
    vi.useRealTimers();
    expect(await outcome(asked)).toBe('57014');
    await untilWanting(0);
  });

  test('has half of its caller’s time, however short that is', async () => {
    const pool = openPool({ cancels: true });
    await note(pool, 'opened before the clock stands still');
    const lock = await holdLock();
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const asked = outcome(lock.want(pool, caller(performance.now() + 400).wait));
    await untilWanting(1);
    vi.advanceTimersByTime(190);
    await lock.letGo();
    expect(await asked).toBe('done');
  });

  test('ends although nothing of it has been sent yet', async () => {
    const way = await openHeldWay(database.url);
    onTestFinished(() => way.close());
    way.hold();
    const pool = openPool({
      cancels: true,
      open: () => connect(way.url, { name: 'held', connectionsMax: 1 }),
    });
    const who = caller();
    const asked = outcome(pool.run((sql) => sql`select 1`, who.wait));
    await expect.poll(() => way.heldCount()).toBe(1);
    who.go();
    expect(await asked).toBe('NEVER_BEGUN');
    way.letGo();
    expect(await outcome(note(pool, 'after one that was not sent'))).toBe('done');
  });

  test('a cancel that comes late ends nothing else', async () => {
    const way = await openHeldWay(database.url);
    onTestFinished(() => way.close());
    const pool = openPool({
      cancels: true,
      open: () => connect(way.url, { name: 'late', connectionsMax: 1 }),
    });
    const lock = await holdLock();
    const who = caller();
    const slow = outcome(lock.want(pool, who.wait));
    await untilWanting(1);
    way.hold();
    who.go();
    await expect.poll(() => way.heldCount()).toBe(1);
    await lock.letGo();
    expect(await slow).toBe('done');
    const other = await holdLock();
    const next = outcome(other.want(pool));
    // On its own connection, which is also held; on the old one it would wait in Postgres already.
    await expect.poll(async () => way.heldCount() === 2 || (await wanting()) === 1).toBe(true);
    const closed = way.closedCount();
    way.letGo();
    await expect.poll(() => way.closedCount()).toBeGreaterThan(closed);
    await Promise.race([next, untilWanting(1)]);
    await other.letGo();
    expect(await next).toBe('done');
  });

  /** Bytes that are still needed. */
  function usedMemory(): number {
    collectGarbage();
    const { arrayBuffers, heapUsed } = process.memoryUsage();
    return arrayBuffers + heapUsed;
  }

  test('rows that were read are not kept', async () => {
    const pool = openPool({ cancels: true });
    await pool.run(async (sql) => {
      const before = usedMemory();
      for (let count = 0; count < 50; count++) await sql`select repeat('x', 2000000)`;
      // One collection may leave buffers to a thread that has not freed them yet.
      await expect.poll(() => usedMemory() - before).toBeLessThan(50_000_000);
    }, caller().wait);
  });
});

test('the rest of a transaction whose connection broke runs nowhere', async () => {
  const pool = openPool({ cancels: true });
  const { wait } = caller();
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let left: Promise<unknown> = Promise.resolve();
  let began = () => {};
  const begun = new Promise<void>((resolve) => {
    began = resolve;
  });
  const text = uniqueName('left');
  const broken = outcome(
    pool.run(
      (sql) =>
        sql.begin(async (tx) => {
          await tx`select`;
          began();
          await held;
          left = tx`insert into note values (${text})`.catch(() => {});
          await left;
        }),
      wait,
    ),
  );
  await begun;
  await database.sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${pool.name}`;
  expect(['CONNECTION_CLOSED', '57P01']).toContain(await broken);
  await note(pool, 'in its place');
  goOn();
  await expect.poll(() => left).toBeUndefined();
  expect(await outcome(note(pool, 'after it'))).toBe('done');
  expect(await notes()).not.toContain(text);
});

test('an idle connection serves nothing until it answers when work on others to the server overran after its last answer', async () => {
  const overruns: number[] = [];
  const quick = openPool({ overrunMs: 100, onOverrun: (startedAt) => overruns.push(startedAt) });
  const rare = openPool({});
  const pidOf = async () => (await rare.run((sql) => sql`select pg_backend_pid() as pid`))[0]!.pid;
  const first = await pidOf();
  const before = performance.now();
  const lock = await holdLock();
  const slow = lock.want(quick);
  await expect.poll(() => overruns).toHaveLength(1);
  await lock.letGo();
  await slow;
  expect(overruns[0]).toBeGreaterThanOrEqual(before);
  rare.doubtIdle(before - 60_000);
  expect(await pidOf()).toBe(first);
  rare.doubtIdle(Number.POSITIVE_INFINITY);
  expect(await pidOf()).not.toBe(first);
});

test('Postgres checks within seconds whether the machine behind a silent connection is still there', async () => {
  const pool = openPool();
  const [asks] = await pool.run(
    (sql) => sql`
      select current_setting('tcp_keepalives_idle') as idle, current_setting('tcp_keepalives_interval') as interval,
        current_setting('tcp_keepalives_count') as count`,
  );
  expect({ ...asks }).toEqual({ idle: '10', interval: '5', count: '3' });
});
