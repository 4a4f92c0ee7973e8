import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect } from '@inventory/db/postgres/pool';
import {
  LocalStackError,
  readRunningStack,
  removeStackData,
  type Stack,
  type StackOptions,
  startStack,
} from '@inventory/local/stack';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { programOf } from '../harness/compiled.ts';

// The space is on purpose: a checkout may be in a folder with spaces.
let root: string;
let folder: string;
let stacks: Stack[];
let owners: ChildProcess[];
let reported: string[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'local stack '));
  chmodSync(root, 0o755);
  folder = join(root, '.local');
  stacks = [];
  owners = [];
  reported = [];
});

afterEach(async () => {
  for (const owner of owners) owner.kill('SIGKILL');
  for (const stack of stacks) await stack.stop();
  // Stops the servers of a killed owner, and deletes data outside the folder.
  await (await startStack({ folder, throwAway: true, report: () => {} })).stop();
  expect(filesInTheWay()).toEqual([]);
  rmSync(root, { recursive: true });
});

async function start(options: Partial<StackOptions> = {}): Promise<Stack> {
  const stack = await startStack({ folder, report: (line) => reported.push(line), ...options });
  stacks.push(stack);
  return stack;
}

/** Starts a stack in another process and waits until it is up. */
async function startElsewhere(): Promise<{ owner: ChildProcess; databaseUrl: string; redisUrl: string }> {
  const script = join(import.meta.dirname, 'run-stack.ts');
  const owner = spawn(process.execPath, [...programOf(script), folder], {
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

async function refusal(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(LocalStackError);
  return (error as LocalStackError).message;
}

test('data is there again after a stop and a start, on the same ports', async () => {
  const first = await start();
  expect(first).toMatchObject({ postgres: 'local', redis: 'local' });
  await query(first.databaseUrl, 'create table kept as select 42 as answer');
  const settings = await query<{ name: string; setting: string }>(
    first.databaseUrl,
    `select name, setting from pg_settings
      where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'listen_addresses', 'server_encoding') order by name`,
  );
  expect(settings.map(({ setting }) => setting)).toEqual(['on', 'on', '127.0.0.1', 'UTF8', 'on']);
  const pids = [pidOf('postgres'), pidOf('redis')];
  await first.stop();
  await first.stop();
  expect(pids.filter(isAlive)).toEqual([]);
  expect(filesInTheWay()).toEqual([]);

  const second = await start();
  expect(await query(second.databaseUrl, 'select answer from kept')).toEqual([{ answer: 42 }]);
  expect(second.databaseUrl).toBe(first.databaseUrl);
  expect(new URL(second.redisUrl).port).toBe(new URL(first.redisUrl).port);
});

test('data is gone after its removal, which is refused while the stack runs', async () => {
  const first = await start();
  await query(first.databaseUrl, 'create table lost ()');
  expect(await refusal(removeStackData(folder))).toMatch(/^already running here: /);
  expect(await query(first.databaseUrl, `select to_regclass('lost') is null as gone`)).toEqual([
    { gone: false },
  ]);
  await first.stop();
  await removeStackData(folder);
  expect(existsSync(join(folder, 'postgres', 'data'))).toBe(false);
  expect(filesInTheWay()).toEqual([]);
  const second = await start();
  expect(await query(second.databaseUrl, `select to_regclass('lost') is null as gone`)).toEqual([
    { gone: true },
  ]);
  await removeStackData(join(folder, 'none'));
});

test('temporary data is gone after the stop, and downloads stay', async () => {
  const stack = await start({ throwAway: true });
  await query(stack.databaseUrl, 'create table lost ()');
  await stack.stop();
  expect(existsSync(join(folder, 'postgres'))).toBe(false);
  const next = await start({ throwAway: true });
  expect(await query(next.databaseUrl, `select to_regclass('lost') as found`)).toEqual([{ found: null }]);
});

test('a killed Postgres or Redis comes back on its port', async () => {
  const { databaseUrl } = await start();
  await query(databaseUrl, 'create table kept as select 42 as answer');
  process.kill(pidOf('postgres'), 'SIGKILL');
  process.kill(pidOf('redis'), 'SIGKILL');
  await expect
    .poll(() => reported)
    .toEqual(expect.arrayContaining(['Postgres is up again', 'Redis is up again']));
  expect(await query(databaseUrl, 'select answer from kept')).toEqual([{ answer: 42 }]);
});

test('after a kill -9 of its owner, the next start stops the leftover servers and the data is there', async () => {
  const { owner, databaseUrl } = await startElsewhere();
  await query(databaseUrl, 'create table kept as select 42 as answer');
  const orphans = [pidOf('postgres'), pidOf('redis')];
  owner.kill('SIGKILL');
  await ended(owner);
  expect(orphans.filter(isAlive)).toEqual(orphans);
  expect(await readRunningStack(folder)).toBeNull();

  const stack = await start();
  expect(orphans.filter(isAlive)).toEqual([]);
  expect(await query(stack.databaseUrl, 'select answer from kept')).toEqual([{ answer: 42 }]);
});

test.each([
  ['is gone', (path: string) => rmSync(path)],
  ['is empty, as a full disk or a power cut leaves it', (path: string) => writeFileSync(path, '')],
])('a kept password that %s costs no data: a new one is made', async (_how, lose) => {
  const first = await start();
  await query(first.databaseUrl, 'create table kept as select 42 as answer');
  await first.stop();
  lose(join(folder, 'postgres-password'));
  const second = await start();
  expect(await query(second.databaseUrl, `select to_regclass('kept') as found`)).toEqual([{ found: 'kept' }]);
  expect(second.databaseUrl).not.toBe(first.databaseUrl);
  expect(reported).toContain('setting a new password for the Postgres data: the stored one is gone…');
  await second.stop();
  expect((await start()).databaseUrl).toBe(second.databaseUrl);
});

test.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
  'root recognises the server of a folder that it may not look into, as in a container',
  async () => {
    const { databaseUrl } = await start();
    const data = (
      await query<{ data: string }>(databaseUrl, `select current_setting('data_directory') as data`)
    )[0]!.data;
    const script = `
      import { worksIn } from '@inventory/local/processes/process-identity';
      const [pid, ...folders] = process.argv.slice(1);
      console.log(JSON.stringify(folders.map((each) => worksIn(Number(pid), each))));`;
    const inContainer = ['--bounding-set', '-sys_ptrace', process.execPath, '--import', 'tsx'];
    const { stdout } = spawnSync(
      'setpriv',
      [...inContainer, '--input-type=module', '--eval', script, String(pidOf('postgres')), data, folder],
      { cwd: import.meta.dirname, encoding: 'utf8' },
    );
    expect(JSON.parse(stdout)).toEqual([true, false]);
  },
);

test('after a kill -9 of the owner and of Postgres, the stale postmaster.pid does not block the start', async () => {
  const { owner } = await startElsewhere();
  const pid = pidOf('postgres');
  owner.kill('SIGKILL');
  await ended(owner);
  process.kill(pid, 'SIGKILL');
  const stack = await start();
  expect(await query(stack.databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('while another process runs the folder, its URLs can be read and a second start is refused', async () => {
  const { owner, databaseUrl, redisUrl } = await startElsewhere();
  expect(await readRunningStack(folder)).toEqual({ databaseUrl, operatorUrl: null, redisUrl });
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
  expect(await readRunningStack(folder)).toBeNull();
});

test('given servers are used unchanged, and still run after the stop', async () => {
  const { databaseUrl, redisUrl } = await start();
  const given = await start({ folder: join(root, 'other'), databaseUrl, redisUrl });
  expect(given).toMatchObject({ databaseUrl, redisUrl, postgres: 'given', redis: 'given' });
  await given.stop();
  expect(await query(databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(existsSync(join(root, 'other'))).toBe(false);
});

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

test.runIf(process.getuid?.() === 0)(
  'as root, in a folder closed to everybody else, data is kept outside of it and found again',
  async () => {
    chmodSync(root, 0o700);
    mkdirSync(folder);
    const first = await start();
    await query(first.databaseUrl, 'create table kept as select 42 as answer');
    await first.stop();
    const home = readFileSync(join(folder, 'postgres-home'), 'utf8').trim();
    expect(statSync(home).uid).not.toBe(0);

    const second = await start();
    expect(await query(second.databaseUrl, 'select answer from kept')).toEqual([{ answer: 42 }]);
    await second.stop();

    await (await start({ throwAway: true })).stop();
    expect(existsSync(home)).toBe(false);
  },
);

test('nobody else may enter the folder or read a file in it, whatever their modes were', async () => {
  mkdirSync(folder, { mode: 0o755 });
  writeFileSync(join(folder, 'demo-client.json'), '{}', { mode: 0o644 });
  chmodSync(join(folder, 'demo-client.json'), 0o664);
  await start();
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const files = readdirSync(folder)
    .map((name) => ({ name, found: statSync(join(folder, name)) }))
    .filter(({ found }) => found.isFile());
  expect(files.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['demo-client.json', 'postgres-password', 'redis.acl', 'stack.json']),
  );
  for (const { name, found } of files) expect({ name, mode: found.mode & 0o077 }).toEqual({ name, mode: 0 });
});

test('Redis refuses connections without a name and a password, and limits each part to its own work', async () => {
  const { redisUrl, redisUrls } = await start({ queuePrefix: 'mine' });
  const answerOf = async (url: string, command: string, ...values: string[]) => {
    const redis = new Redis(url, { retryStrategy: () => null, disableClientInfo: true });
    redis.on('error', () => {});
    const answer = await redis.call(command, ...values).catch((error: Error) => error.message.split(' ')[0]);
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
