import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { run } from '@inventory/local/processes/process';
import {
  LocalStackError,
  removeStackData,
  type Stack,
  type StackOptions,
  startStack,
} from '@inventory/local/stack';
import { findPostgresDisk, readStackFile } from '@inventory/local/stack-file';
import { connect } from '@inventory/postgres/pool';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { programOf } from '../harness/compiled.ts';

// The space is on purpose: a checkout may be in a folder with spaces. Nobody else can enter it, so that root
// has to keep the data elsewhere.
const root = mkdtempSync(join(tmpdir(), 'local stack '));
// All tests share it, because its data take seconds to create.
const folder = join(root, '.local');
const stacks: Stack[] = [];
const owners: ChildProcess[] = [];
let reported: string[];

beforeEach(() => {
  reported = [];
});

afterEach(async () => {
  for (const owner of owners.splice(0)) owner.kill('SIGKILL');
  for (const stack of stacks.splice(0)) await stack.stop();
});

afterAll(async () => {
  // Stops what a failed test has left, and deletes the data outside the folder.
  await removeStackData(folder);
  rmSync(root, { recursive: true });
});

const runStack = join(import.meta.dirname, 'run-stack.ts');

async function start(options: Partial<StackOptions> = {}): Promise<Stack> {
  const stack = await startStack({ folder, report: (line) => reported.push(line), ...options });
  stacks.push(stack);
  return stack;
}

/** Starts a stack in another process and waits until it is up. */
async function startElsewhere(): Promise<{ owner: ChildProcess; databaseUrl: string; redisUrl: string }> {
  const owner = spawn(process.execPath, [...programOf(runStack), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Its own group, as a terminal gives each command.
    detached: true,
  });
  owners.push(owner);
  for await (const line of createInterface(owner.stdout!)) return { owner, ...JSON.parse(line) };
  throw new Error('the stack did not come up');
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null)
    await new Promise((resolve) => child.once('exit', resolve));
  return child.exitCode;
}

/** Files that would block the next start, or name a server. */
function filesInTheWay(): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => /^lock-|\.pid$|^stack\.json$/.test(name));
}

function pidOf(server: 'postgres' | 'redis'): number {
  return (JSON.parse(readFileSync(join(folder, `${server}.pid`), 'utf8')) as { pid: number }).pid;
}

function isAlive(pid: number): boolean {
  try {
    // A zombie that nobody has collected yet counts as gone.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function query<T extends object>(databaseUrl: string, text: string): Promise<T[]> {
  const sql = connect(databaseUrl, { name: 'local stack test', connectionsMax: 1 });
  try {
    return [...(await sql.unsafe<T[]>(text))];
  } finally {
    await sql.end({ timeout: 0 });
  }
}

/** Makes a table, if it is not there, that every later start on the same data has. */
const keep = (databaseUrl: string) =>
  query(databaseUrl, 'create table if not exists kept as select 42 as answer');
const expectKept = async (databaseUrl: string) =>
  expect(await query(databaseUrl, 'select answer from kept')).toEqual([{ answer: 42 }]);

async function dataOf(databaseUrl: string): Promise<string> {
  return (await query<{ data: string }>(databaseUrl, `select current_setting('data_directory') as data`))[0]!
    .data;
}

async function refusal(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(LocalStackError);
  return (error as LocalStackError).message;
}

test('a start that is broken off at any moment leaves nothing running', async () => {
  const moments: { soon?: (abort: () => void) => void; onLine?: RegExp; onFile?: string }[] = [
    { soon: (abort) => abort() },
    { soon: (abort) => setTimeout(abort, 30) },
    // While the data is being created.
    { onLine: /creating/ },
    { onLine: /Redis .* is up/ },
    // While Postgres itself starts, or just after.
    { onFile: 'postgres.pid', onLine: /Postgres .* is up/ },
  ];
  for (const { soon, onLine, onFile } of moments) {
    const controller = new AbortController();
    const abort = () => controller.abort();
    // From within the start, so that the moment is neither missed nor waited for, however long a download
    // takes.
    const report = (line: string) => {
      if (onLine?.test(line)) abort();
    };
    const looking = setInterval(() => {
      if (onFile !== undefined && existsSync(join(folder, onFile))) abort();
    }, 1);
    soon?.(abort);
    try {
      expect(await refusal(start({ signal: controller.signal, report }))).toBe('the start was interrupted');
    } finally {
      clearInterval(looking);
    }
    expect(filesInTheWay()).toEqual([]);
  }
});

test('data is there again after a stop and a start, on the same ports', async () => {
  const first = await start();
  expect(first).toMatchObject({ postgres: 'local', redis: 'local' });
  await keep(first.databaseUrl);
  const pids = [pidOf('postgres'), pidOf('redis')];
  await first.stop();
  await first.stop();
  expect(pids.filter(isAlive)).toEqual([]);
  expect(filesInTheWay()).toEqual([]);

  const second = await start();
  await expectKept(second.databaseUrl);
  expect(second.databaseUrl).toBe(first.databaseUrl);
  expect(new URL(second.redisUrl).port).toBe(new URL(first.redisUrl).port);
});

describe('a running stack', () => {
  let stack: Stack;
  const lines: string[] = [];
  beforeAll(async () => {
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'demo-client.json'), '{}');
    chmodSync(join(folder, 'demo-client.json'), 0o664);
    stack = await startStack({ folder, queuePrefix: 'mine', report: (line) => lines.push(line) });
    await keep(stack.databaseUrl);
  });
  afterAll(() => stack?.stop());

  test('has a Postgres that loses nothing and listens on loopback alone', async () => {
    const settings = await query<{ setting: string }>(
      stack.databaseUrl,
      `select setting from pg_settings
        where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'listen_addresses', 'server_encoding') order by name`,
    );
    expect(settings.map(({ setting }) => setting)).toEqual(['on', 'on', '127.0.0.1', 'UTF8', 'on']);
  });

  test('has a folder and files that nobody else may enter or read, whatever their modes were', () => {
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const files = readdirSync(folder)
      .map((name) => ({ name, found: statSync(join(folder, name)) }))
      .filter(({ found }) => found.isFile());
    expect(files.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['demo-client.json', 'postgres-password', 'redis.acl', 'stack.json']),
    );
    for (const { name, found } of files)
      expect({ name, mode: found.mode & 0o077 }).toEqual({ name, mode: 0 });
  });

  test.runIf(process.getuid?.() === 0)(
    'as root keeps the data outside a folder that is closed to everybody else, under another user',
    async () => {
      const data = await dataOf(stack.databaseUrl);
      expect(data.startsWith(root)).toBe(false);
      expect(statSync(data).uid).not.toBe(0);
    },
  );

  test.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
    'is recognised by a root that may not look into its folder, as in a container',
    async () => {
      const script = `
        import { worksIn } from '@inventory/local/processes/process-identity';
        const [pid, ...folders] = process.argv.slice(1);
        console.log(JSON.stringify(folders.map((each) => worksIn(Number(pid), each))));`;
      const program = programOf(runStack);
      const inContainer = ['--bounding-set', '-sys_ptrace', process.execPath, ...program.slice(0, -1)];
      const args = ['--input-type=module', '--eval', script, String(pidOf('postgres'))];
      const { stdout } = spawnSync(
        'setpriv',
        [...inContainer, ...args, await dataOf(stack.databaseUrl), folder],
        { cwd: dirname(program.at(-1)!), encoding: 'utf8' },
      );
      expect(JSON.parse(stdout)).toEqual([true, false]);
    },
  );

  test('used by another one as given servers is left unchanged, and still runs after the stop', async () => {
    const { databaseUrl, redisUrl } = stack;
    const given = await start({ folder: join(root, 'other'), databaseUrl, redisUrl });
    expect(given).toMatchObject({ databaseUrl, redisUrl, postgres: 'given', redis: 'given' });
    await given.stop();
    await expectKept(databaseUrl);
    expect(existsSync(join(root, 'other'))).toBe(false);
  });

  test('with a given Postgres tells other processes so; that of an older version tells nothing', async () => {
    const beside = join(root, 'beside');
    const { databaseUrl } = stack;
    const { redisUrl } = await start({ folder: beside, databaseUrl });
    const told = { databaseUrl, postgres: 'given', operatorUrl: null, redisUrl };
    expect(readStackFile(beside)).toEqual(told);
    const file = join(beside, 'stack.json');
    const { postgres: _, ...older } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify(older));
    expect(readStackFile(beside)).toEqual({ ...told, postgres: 'local' });
  });

  test('names the folder of its data, inside its own folder or outside, to look at the disk', async () => {
    const home = dirname(await dataOf(stack.databaseUrl));
    expect(realpathSync(findPostgresDisk(folder))).toBe(home);
  });

  test('keeps its data: their removal is refused', async () => {
    expect(await refusal(removeStackData(folder))).toMatch(/^already running here: /);
    await expectKept(stack.databaseUrl);
  });

  test('Redis refuses connections without a name and a password, and limits each part to its own work', async () => {
    const { redisUrl, redisUrls } = stack;
    const answerOf = async (url: string, command: string, ...values: string[]) => {
      const redis = new Redis(url, { retryStrategy: () => null, disableClientInfo: true });
      redis.on('error', () => {});
      const answer = await redis
        .call(command, ...values)
        .catch((error: Error) => error.message.split(' ')[0]);
      redis.disconnect();
      return answer;
    };
    const nobody = new URL(redisUrls.api);
    nobody.username = '';
    nobody.password = '';
    expect(await answerOf(nobody.href, 'PING')).toBe('NOAUTH');
    expect(redisUrl).toBe(redisUrls.admin);
    for (const url of Object.values(redisUrls)) {
      expect(await answerOf(url, 'PING')).toBe('PONG');
      for (const command of [
        ['FLUSHALL'],
        ['KEYS', '*'],
        ['CONFIG', 'GET', 'dir'],
        ['ACL', 'LIST'],
        ['MONITOR'],
        ['GET', 'another:key'],
        ['SCRIPT', 'FLUSH'],
        ['PUBLISH', 'a', 'b'],
      ])
        expect({ command, answer: await answerOf(url, ...(command as [string])) }).toEqual({
          command,
          answer: 'NOPERM',
        });
    }
    const queued = ['EVAL', "return redis.call('SET', KEYS[1], '1')", '1', 'mine:{stock-0}:wait'] as const;
    const limits = ['GET', 'mine:requests:client'] as const;
    expect(await answerOf(redisUrls.api, ...queued)).toBe('OK');
    expect(await answerOf(redisUrls.worker, ...queued)).toBe('OK');
    expect(await answerOf(redisUrls.admin, ...queued)).toBe('NOPERM');
    expect(await answerOf(redisUrls.api, ...limits)).toBeNull();
    expect(await answerOf(redisUrls.worker, ...limits)).toBe('NOPERM');
  });

  test('brings a killed Postgres or Redis back on its port', async () => {
    process.kill(pidOf('postgres'), 'SIGKILL');
    process.kill(pidOf('redis'), 'SIGKILL');
    await expect
      .poll(() => lines)
      .toEqual(expect.arrayContaining(['Postgres is up again', 'Redis is up again']));
    await expectKept(stack.databaseUrl);
  });
});

test('while another process runs the folder, its URLs can be read and a second start is refused', async () => {
  const { owner, databaseUrl, redisUrl } = await startElsewhere();
  expect(readStackFile(folder)).toEqual({ databaseUrl, postgres: 'local', operatorUrl: null, redisUrl });
  expect(statSync(join(folder, 'stack.json')).mode & 0o777).toBe(0o600);
  expect(await refusal(start({ throwAway: true }))).toBe(
    `already running here: process ${owner.pid} uses ${folder}; stop it first`,
  );
  expect(await query(databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }]);

  const pids = [pidOf('postgres'), pidOf('redis')];
  // Like Ctrl-C, to the whole group. The servers are in their own groups and are stopped in order.
  process.kill(-owner.pid!, 'SIGINT');
  expect(await ended(owner)).toBe(0);
  expect(pids.filter(isAlive)).toEqual([]);
  expect(readStackFile(folder)).toBeNull();
});

test.each([
  ['its owner, the servers end, too', []],
  ['its owner and of Postgres, the stale postmaster.pid is no obstacle', ['postgres'] as const],
])('after a kill -9 of %s, and the next start has the data', async (_what, more) => {
  const { owner, databaseUrl } = await startElsewhere();
  await keep(databaseUrl);
  const orphans = [pidOf('postgres'), pidOf('redis')];
  const pids = more.map(pidOf);
  owner.kill('SIGKILL');
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  await ended(owner);
  // Without setpriv of util-linux, the next start ends them.
  if (existsSync('/usr/bin/setpriv')) await expect.poll(() => orphans.filter(isAlive)).toEqual([]);
  expect(readStackFile(folder)).toBeNull();

  const stack = await start();
  expect(orphans.filter(isAlive)).toEqual([]);
  await expectKept(stack.databaseUrl);
});

test('a kept password that is gone, or empty as a full disk leaves it, costs no data: a new one is made', async () => {
  const path = join(folder, 'postgres-password');
  for (const lose of [() => rmSync(path), () => writeFileSync(path, '')]) {
    const before = readFileSync(path, 'utf8');
    lose();
    const stack = await start();
    await expectKept(stack.databaseUrl);
    expect(stack.databaseUrl).not.toContain(before);
    expect(reported.splice(0)).toContain(
      'setting a new password for the Postgres data: the stored one is gone…',
    );
    await stack.stop();
  }
  await expectKept((await start()).databaseUrl);
  expect(reported).not.toContainEqual(expect.stringContaining('password'));
});

test('the reason of a program that failed is told, not that it cleans up after that', async () => {
  const script = `echo 'initdb: error: could not write to file "x": No space left on device' >&2
    echo 'initdb: removing contents of data directory "y"' >&2; exit 1`;
  await expect(run('/bin/sh', ['-c', script])).rejects.toThrow(
    '/bin/sh ended with 1: initdb: error: could not write to file "x": No space left on device',
  );
});

// The last one: it removes the data.
test('data is gone after its removal, and temporary data after the stop', async () => {
  const data = await dataOf((await start()).databaseUrl);
  await stacks[0]!.stop();
  await removeStackData(folder);
  expect(existsSync(data)).toBe(false);
  expect(filesInTheWay()).toEqual([]);
  await removeStackData(join(folder, 'none'));

  const stack = await start({ throwAway: true });
  expect(await query(stack.databaseUrl, `select to_regclass('kept') as found`)).toEqual([{ found: null }]);
  const temporary = await dataOf(stack.databaseUrl);
  await stack.stop();
  expect(existsSync(temporary)).toBe(false);
});
