import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileStorage, InventoryClient, type QueueStorage } from '@inventory/client';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { installClient } from '../harness/client-package.ts';
import { useFolder } from '../harness/folders.ts';
import { uniqueName } from '../harness/service/service.ts';

const folder = useFolder();

const operation = (key: string, remark = '') => ({
  ...{ op: 'receive' as const, itemID: 'A', units: 1, wid: 1, reasonCode: 0, remark, key },
  ...{ capturedAt: '2026-01-01T00:00:00Z', deviceID: 's' },
});

async function keysIn(path: string): Promise<string[]> {
  const storage = fileStorage(path);
  const { waiting } = await storage.load();
  await storage.close!();
  return waiting.map((each) => each.operation.key);
}

// Opens a queue when it is told to, and says so; then stores operations until it is killed, and says which.
const program = `
import { fileStorage } from '@inventory/client';
import { writeSync } from 'node:fs';
const [path, name] = process.argv.slice(2);
const say = (text) => writeSync(1, text + '\\n');
say('ready');
await new Promise((resolve) => process.stdin.once('data', resolve));
const storage = fileStorage(path);
try {
  await storage.load();
} catch (error) {
  say(error.message.includes('another program') ? 'refused' : error.stack);
  setInterval(() => {}, 1000);
  await new Promise(() => {});
}
say('opened');
for (let count = 0; ; count++) {
  const key = name + '/' + count;
  await storage.add({ op: 'receive', itemID: 'A', units: 1, wid: 1, reasonCode: 0, remark: 'x'.repeat(3000), key });
  say(key);
  if (count % 40 === 39) await storage.take(Array.from({ length: 1000 }, (_, index) => 1e9 + index), []);
}
`;

/** In containers that share a folder, two programs have the same number. */
const apart = ['unshare', '-pf', '--mount-proc', '--kill-child'];
const canPartPids = (() => {
  try {
    execFileSync(apart[0]!, [...apart.slice(1), 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

function startProgram(path: string, name: string) {
  const command = [...(canPartPids ? apart : []), process.execPath, join(folder, 'program.mjs'), path, name];
  const child: ChildProcess = spawn(command[0]!, command.slice(1), {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout!);
  const said: string[] = [];
  lines.on('line', (line) => said.push(line));
  return {
    said,
    begin: () => child.stdin!.write('now\n'),
    async end() {
      const closed = once(lines, 'close');
      child.kill('SIGKILL');
      await closed;
    },
  };
}

beforeAll(() => {
  installClient(folder);
  writeFileSync(join(folder, 'program.mjs'), program);
});

test('of two programs that open a queue at the same moment one is refused, whatever is killed when, and nothing is lost', async () => {
  // The path of a socket is limited; that of a queue is not.
  const deep = join(folder, 'd'.repeat(120));
  mkdirSync(deep);
  const path = join(deep, 'queue');
  const stored: string[] = [];
  for (let round = 0; round < 9; round++) {
    const two = ['a', 'b'].map((name) => startProgram(path, `${round}${name}`));
    const isSaid = (what: RegExp) => () =>
      two.filter(({ said }) => said.some((line) => what.test(line))).length;
    await expect.poll(isSaid(/ready/)).toBe(2);
    for (const { begin } of two) begin();
    if (round % 3 === 2) {
      // In the middle of opening it.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
    } else {
      await expect.poll(isSaid(/opened|refused/)).toBe(2);
      const answers = two.map(({ said }) => said[1]);
      expect(answers.sort(), `round ${round}`).toEqual(['opened', 'refused']);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
    }
    await Promise.all(two.map(({ end }) => end()));
    expect(isSaid(/opened/)(), `round ${round}`).toBeLessThan(2);
    stored.push(...two.flatMap(({ said }) => said.filter((line) => line.includes('/'))));
  }
  const kept = new Set(await keysIn(path));
  expect(stored.filter((key) => !kept.has(key))).toEqual([]);
  expect(stored.length).toBeGreaterThan(0);
  // An orderly end leaves nothing beside the queue, and what killed ones left is gone.
  expect(readdirSync(deep)).toEqual(['queue']);
});

test('a queue is one by whatever name it is opened', async () => {
  const path = join(folder, uniqueName('queue'));
  const storage = fileStorage(path);
  await storage.load();
  const link = join(folder, uniqueName('link'));
  await fs.symlink(path, link);
  await expect(fileStorage(link).load()).rejects.toThrow('open in this program');
  await storage.close!();
});

type Method = 'appendFile' | 'datasync' | 'truncate';

/** Makes a method of open files fail the next `times`, after it has done `half` of its work. */
async function failing(method: Method, code: string, times = 1) {
  const files = Object.getPrototypeOf(await probeFile()) as FileHandle;
  const real = files[method] as (this: FileHandle, ...given: unknown[]) => Promise<void>;
  let left = times;
  return vi.spyOn(files, method).mockImplementation(async function (this: FileHandle, ...given: unknown[]) {
    if (left <= 0) return real.apply(this, given);
    left -= 1;
    const [bytes] = given;
    if (method === 'appendFile') {
      const some = bytes as Uint8Array;
      // Some lines are whole, and one is not.
      await real.call(this, some.subarray(0, Math.floor(some.length * 0.7)));
    }
    throw Object.assign(new Error(`${code}: injected`), { code });
  });
}

test.each<[string, [Method, string, number][], 'refused' | 'unknown']>([
  ['the disk is full', [['appendFile', 'ENOSPC', 1]], 'refused'],
  ['the disk has an error', [['datasync', 'EIO', 1]], 'refused'],
  [
    'taking it back fails at first, too',
    [
      ['datasync', 'EIO', 2],
      ['truncate', 'EIO', 1],
    ],
    'refused',
  ],
  [
    'the disk takes nothing back either',
    [
      ['datasync', 'EIO', 1],
      ['truncate', 'EIO', 100],
    ],
    'unknown',
  ],
])('a push that was refused is not there after a restart: %s', async (_, faults, expected) => {
  const path = join(folder, uniqueName('queue'));
  const storage = fileStorage(path);
  await storage.add(operation('first'));
  const spies = await Promise.all(faults.map((fault) => failing(...fault)));
  const keys = Array.from({ length: 10 }, (_, index) => `refused ${index}`);
  const answers = await Promise.allSettled(keys.map((key) => storage.add(operation(key))));
  for (const answer of answers) {
    expect(answer.status).toBe('rejected');
    const { reason } = answer as PromiseRejectedResult;
    expect(reason.outcome).toBe(expected === 'unknown' ? 'unknown' : undefined);
  }
  // As if it were killed now: the file as it stands.
  const copy = join(folder, uniqueName('copy'));
  await fs.copyFile(path, copy);
  for (const spy of spies) spy.mockRestore();
  if (expected === 'refused') expect(await keysIn(copy)).toEqual(['first']);
  await storage.add(operation('next'));
  await storage.close!();
  expect(await keysIn(path)).toEqual(['first', 'next']);
});

const mounted = join(folder, 'small');
mkdirSync(mounted);
const canMount = (() => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', mounted], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

afterAll(() => {
  if (canMount) execFileSync('umount', ['-l', mounted]);
});
afterEach(() => {
  vi.restoreAllMocks();
});

test.skipIf(!canMount)(
  'pushes onto a full disk are refused, and none of them is there after a restart',
  async () => {
    const path = join(mounted, 'queue');
    const storage = fileStorage(path);
    const kept: string[] = [];
    let refused = 0;
    for (let round = 0; round < 40; round++) {
      const keys = Array.from({ length: 7 }, (_, index) => `${round}/${index}`);
      const answers = await Promise.allSettled(
        keys.map((key) => storage.add(operation(key, 'x'.repeat(500)))),
      );
      kept.push(...keys.filter((_, index) => answers[index]!.status === 'fulfilled'));
      refused += answers.filter(({ status }) => status === 'rejected').length;
      const copy = join(folder, uniqueName('copy'));
      await fs.copyFile(path, copy);
      expect(await keysIn(copy)).toEqual(kept);
    }
    expect(refused).toBeGreaterThan(0);
    await storage.close!();
    expect(await keysIn(path)).toEqual(kept);
  },
);

test('a rewrite that fails leaves no file open and no second file, and the queue goes on', async () => {
  const path = join(folder, uniqueName('queue'));
  const storage = fileStorage(path);
  const openFiles = () => readdirSync('/proc/self/fd').length;
  await storage.add(operation('first'));
  const before = openFiles();
  const spy = vi
    .spyOn(fs, 'rename')
    .mockRejectedValue(Object.assign(new Error('EACCES'), { code: 'EACCES' }));
  for (let round = 0; round < 12; round++) {
    const seq = await storage.add(operation(`${round}`, 'x'.repeat(200_000)));
    await storage.take([seq], []);
  }
  expect(spy.mock.calls.length).toBeGreaterThan(1);
  expect(openFiles()).toBeLessThanOrEqual(before);
  spy.mockRestore();
  await storage.add(operation('last'));
  await storage.close!();
  expect(readdirSync(folder).filter((name) => path.endsWith(name.replace(/\.new$/, '')))).toHaveLength(1);
  expect(await keysIn(path)).toEqual(['first', 'last']);
});

/** A service that applies everything, and counts its lists. */
function applying() {
  let lists = 0;
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    if (String(input).endsWith('/Token')) return Response.json({ access_token: 't', expires_in: 1e6 });
    lists += 1;
    const { operations } = JSON.parse(init!.body as string);
    return Response.json({ results: operations.map(() => ({ status: 'applied', body: {} })) });
  };
  const credentials = { baseUrl: 'http://localhost/api/v1', clientId: 'a', clientSecret: 'b' };
  const inventory = new InventoryClient({ ...credentials, fetch: fetch as typeof globalThis.fetch });
  return { inventory, lists: () => lists };
}

test('a list costs the same, however many operations wait', async () => {
  const costs = [];
  for (const count of [5000, 80_000]) {
    const path = join(folder, uniqueName('queue'));
    const lines = Array.from({ length: count }, (_, index) => ({
      add: { seq: index + 1, operation: operation(`${index}`) },
    }));
    await fs.writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const storage = fileStorage(path);
    let read = 0;
    const counted: QueueStorage = {
      ...storage,
      async load() {
        const loaded = await storage.load();
        read += loaded.waiting.length;
        return loaded;
      },
      async oldest(most) {
        const some = await storage.oldest!(most);
        read += some.length;
        return some;
      },
    };
    const files = Object.getPrototypeOf(await probeFile()) as FileHandle;
    const writes = vi.spyOn(files, 'appendFile');
    const { inventory, lists } = applying();
    const queue = inventory.offlineQueue({ storage: counted, deviceID: 's' });
    await queue.drained();
    await queue.close();
    const written = writes.mock.calls.reduce((sum, [bytes]) => sum + (bytes as Uint8Array).length, 0);
    vi.restoreAllMocks();
    // It is loaded once, to begin with.
    costs.push({ read: (read - count) / lists(), written: written / lists() });
  }
  const [few, many] = costs as [(typeof costs)[0], (typeof costs)[0]];
  expect(many.read).toBe(few.read);
  // Numbers of more digits.
  expect(many.written).toBeLessThan(1.5 * few.written);
});

async function probeFile(): Promise<FileHandle> {
  const probe = await fs.open(join(folder, 'probe'), 'a');
  await probe.close();
  return probe;
}
