import { createReplica, type Replica } from '@inventory/api/lists/replica';
import { connect, type Sql } from '@inventory/postgres/pool';
import { createStatementPool, type StatementPool, type Wait } from '@inventory/postgres/statement-pool';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';

let database: TestDatabase;
let positions: StatementPool;
let replica: Replica;
const reports: string[] = [];

beforeAll(async () => {
  database = await createDatabase();
  const { url } = database;
  positions = createStatementPool({
    open: () => connect(url, { name: 'positions', connectionsMax: 1 }),
    connectionsMax: 2,
    overrunMs: 10_000,
    limitMs: 20_000,
    waitMs: 60_000,
  });
  // A primary is always level with itself.
  replica = createReplica(url, positions, (error) => reports.push(error.message));
});

afterAll(async () => {
  await replica?.end();
  await database?.drop();
});

const wait = (): Wait => ({ until: performance.now() + 60_000, hasGone: () => false });
const sleep = (seconds: number) => async (sql: Sql) => {
  await sql`select pg_sleep(${seconds})`;
  return 'slept';
};
const answer = async (sql: Sql) => (await sql<{ answer: number }[]>`select 7 as answer`)[0]!.answer;
const fails = (code: string) => async (sql: Sql) => {
  await sql.unsafe(`do $$ begin raise exception using errcode = '${code}'; end $$`);
  return 'nothing';
};

test('a list that takes too long there, or is in the way of replay, leaves the replica to the others', async () => {
  expect(await replica.read('cheap', answer, wait())).toBe(7);
  expect(await replica.read('cheap', fails('57014'), wait())).toBe(null);
  expect(await replica.read('cheap', answer, wait())).toBe(7);
  expect(await replica.read('cheap', fails('40001'), wait())).toBe(null);
  expect(await replica.read('cheap', answer, wait())).toBe(7);
  expect(reports).toEqual([]);
});

test('a list that finds no free connection there leaves the replica to lists of another kind', async () => {
  const slow = Array.from({ length: 3 }, () => replica.read('costly', sleep(1), wait()));
  const answers = await Promise.all(slow);
  expect(answers.sort()).toEqual([null, 'slept', 'slept'].sort());
  const busy = Array.from({ length: 2 }, () => replica.read('costly', sleep(1), wait()));
  expect(await replica.read('costly', answer, wait())).toBe(null);
  expect(await replica.read('cheap', answer, wait())).toBe(7);
  expect(await Promise.all(busy)).toEqual(['slept', 'slept']);
  expect(reports).toEqual([]);
});

test('an error that says the server is away rests the replica', async () => {
  expect(await replica.read('cheap', fails('57P01'), wait())).toBe(null);
  expect(await replica.read('cheap', answer, wait())).toBe(null);
  expect(reports).toHaveLength(1);
  await expect.poll(() => replica.read('cheap', answer, wait())).toBe(7);
});

test('a delay before a list is read concerns every list: the replica rests, and the delay is reported', async () => {
  let takesLong = true;
  const slow: StatementPool = {
    ...positions,
    run: (work, wait) =>
      positions.run(async (sql) => {
        if (takesLong) await fails('57014')(sql);
        return work(sql);
      }, wait),
  };
  const told: string[] = [];
  const another = createReplica(database.url, slow, (error) => told.push(error.message));
  const isRead = () => another.read('cheap', answer, wait());
  // While the replica is checked, and while the primary is asked for its position.
  for (const count of [1, 2]) {
    takesLong = true;
    expect(await isRead()).toBe(null);
    expect(told).toHaveLength(count);
    takesLong = false;
    await expect.poll(isRead).toBe(7);
  }
});
