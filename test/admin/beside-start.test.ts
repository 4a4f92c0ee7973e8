import { mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeStackFile } from '@inventory/local/stack-file';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { copyRepository } from '../harness/copy-repository.ts';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';
import { runCommand, startCommand } from '../harness/service/command-line.ts';
import { toExamined } from '../harness/service/doctor.ts';
import { uniqueName } from '../harness/service/service.ts';

// Commands of one shell while `start` runs in another, in the same checkout: a copy, which nobody else uses.

const copy = join(import.meta.dirname, '../../.local', uniqueName('beside'));
const options = { program: join(copy, 'apps/admin/src/main.ts'), cwd: copy };
const unset = { DATABASE_URL: '', REDIS_URL: '' };
let database: TestDatabase;

beforeAll(() => copyRepository(copy));
afterAll(() => rm(copy, { recursive: true, force: true }));
beforeEach(async () => {
  database = await createDatabase();
  return () => database.drop();
});

/** Runs a command in a shell with these settings alone. */
const run = (args: readonly string[], env: Record<string, string> = {}) =>
  runCommand(args, { ...unset, ...env }, options);

/** `start` on the given Postgres, with a Redis of its own, until its banner is there. */
async function startOnGiven(): Promise<void> {
  const env = { ...unset, DATABASE_URL: database.url, PORT: '0', INTERNAL_PORT: '' };
  const { child, ended } = startCommand(['start', '--no-demo'], env, options);
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  let printed = '';
  child.stdout!.on('data', (text: string) => {
    printed += text;
  });
  await expect.poll(() => printed).toContain('Ctrl-C');
}

const examine = async () => toExamined(JSON.parse((await run(['doctor', '--json'])).stdout));

test('the Postgres that start was given is left alone by seed without --yes, and doctor does not see its disk', async () => {
  await startOnGiven();
  const seed = ['seed', '--items', '2', '--warehouses', '1', '--lots', '3'];
  expect(await run(seed)).toEqual({
    code: 2,
    stdout: '',
    stderr: 'error: seed adds made-up stock for good; --yes allows it in the database of DATABASE_URL\n',
  });
  expect([...(await database.sql`select from item`)]).toEqual([]);
  expect((await examine()).checks.disk).toMatchObject({
    state: 'unknown',
    found: expect.stringMatching(/; free space cannot be seen from here$/),
  });
  expect((await run([...seed, '--yes'])).code).toBe(0);
});

test('status sees the whole service if it is given the database of start, and no Redis if it is given another', async () => {
  await startOnGiven();
  const { code, stdout } = await run(['status', '--json'], { DATABASE_URL: database.url });
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({
    code: 0,
    redis: { state: 'ok' },
    apis: 1,
    workers: 1,
  });
  const other = await createDatabase();
  onTestFinished(() => other.drop());
  const elsewhere = await run(['status', '--json'], { DATABASE_URL: other.url });
  expect(JSON.parse(elsewhere.stdout)).toMatchObject({ redis: { state: 'unknown' }, apis: null });
});

test('doctor looks at the disk of the place where root keeps the data of Postgres', async () => {
  const folder = join(copy, '.local');
  mkdirSync(folder, { recursive: true });
  const redisUrl = 'redis://127.0.0.1:1';
  writeStackFile(folder, { databaseUrl: database.url, postgres: 'local', operatorUrl: null, redisUrl });
  expect((await examine()).checks.disk!.found).toMatch(/ free$/);
  // A place that cannot be looked at, because a test has no second disk.
  writeFileSync(join(folder, 'postgres-home'), `${join(copy, 'not-there')}\n`);
  expect((await examine()).checks.disk).toMatchObject({
    state: 'unknown',
    found: expect.stringContaining('could not be checked'),
  });
});
