import { readdirSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import { basename, join } from 'node:path';
import {
  fileStorage,
  InventoryClient,
  indexedDbStorage,
  memoryStorage,
  type QueueStorage,
} from '@inventory/client';
import { afterEach, expect, test, vi } from 'vitest';
import { useFolder } from '../harness/folders.ts';
import { uniqueName } from '../harness/service/service.ts';

const folder = useFolder();
const inFolder = () => join(folder, uniqueName('queue'));
const receipt = { op: 'receive' as const, itemID: 'A', units: 1, wid: 1, reasonCode: 0 };
const stored = { ...receipt, key: 'stored', capturedAt: '2026-01-01T00:00:00Z', deviceID: 's' };

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

type Answer = (url: URL, init: RequestInit) => Response | Promise<Response>;

/** A client of a service that gives tokens, and answers everything else so. */
function clientOf(answer: Answer, timeoutMs = 1000): InventoryClient {
  const fetch = async (input: string | URL | Request, init: RequestInit = {}) => {
    const url = new URL(String(input));
    if (!url.pathname.endsWith('/Token')) return answer(url, init);
    return Response.json({ access_token: 't', expires_in: 1e6 });
  };
  const credentials = { baseUrl: 'http://localhost/api/v1', clientId: 'a', clientSecret: 'b' };
  return new InventoryClient({ ...credentials, timeoutMs, fetch: fetch as typeof globalThis.fetch });
}

const operationsOf = ({ body }: RequestInit): unknown[] => JSON.parse(body as string).operations;
const applyAll = (init: RequestInit) =>
  Response.json({ results: operationsOf(init).map(() => ({ status: 'applied', body: {} })) });
const applying = () => clientOf((_, init) => applyAll(init));

test('an error while the storage of a queue cannot be read; what waits is sent once it can', async () => {
  const memory = memoryStorage();
  await memory.add(stored);
  let isAway = true;
  const away = new Error('the disk is not there yet');
  const storage = { ...memory, load: () => (isAway ? Promise.reject(away) : memory.load()) };
  const errors: unknown[] = [];
  const sent: unknown[] = [];
  const inventory = clientOf((_, init) => {
    sent.push(...operationsOf(init));
    return applyAll(init);
  });
  const queue = inventory.offlineQueue({
    ...{ storage, deviceID: 's' },
    onChange: ({ error }) => errors.push(error),
  });
  await expect.poll(() => errors.length).toBeGreaterThan(1);
  expect(new Set(errors)).toEqual(new Set([away]));
  expect(queue.error).toBe(away);
  await expect(queue.push(receipt)).rejects.toBe(away);
  await expect(queue.drained()).rejects.toBe(away);
  isAway = false;
  // Nobody asks for anything meanwhile.
  await expect.poll(() => sent).toMatchObject([{ key: 'stored' }]);
  await expect.poll(() => queue.error).toBeNull();
  await queue.close();
});

test('a queue on the file of a program that is ending goes on when that has ended', async () => {
  const path = inFolder();
  const ending = fileStorage(path);
  await ending.add(stored);
  const queue = applying().offlineQueue({ storage: fileStorage(path), deviceID: 's' });
  await expect(queue.push(receipt)).rejects.toThrow('open in this program');
  // Its last work is not lost, and what it had taken out does not come back.
  await ending.add({ ...stored, key: 'last' });
  await ending.take([1], []);
  await ending.close!();
  await queue.push(receipt);
  await queue.drained();
  expect([queue.size, queue.refused]).toEqual([0, []]);
  await queue.close();
});

test('a push after the queue was closed is refused, and opens nothing; one before it is stored', async () => {
  const path = inFolder();
  const offline = clientOf(() => Promise.reject(new Error('no network')));
  const queue = offline.offlineQueue({ storage: fileStorage(path), deviceID: 's' });
  const before = queue.push({ ...receipt, key: 'before' });
  await queue.close();
  expect(await before).toMatchObject({ key: 'before', deviceSeq: 1 });
  await expect(queue.push(receipt)).rejects.toThrow('the queue was closed');
  await expect(queue.forget('before')).rejects.toThrow('the queue was closed');
  expect(readdirSync(folder).filter((name) => name.startsWith(basename(path)))).toEqual([basename(path)]);
  const next = fileStorage(path);
  const { waiting } = await next.load();
  expect(waiting.map(({ operation }) => operation.key)).toEqual(['before']);
  // One that could never be read opens nothing either.
  const late = offline.offlineQueue({ storage: fileStorage(path), deviceID: 's' });
  await expect(late.push(receipt)).rejects.toThrow('open in this program');
  await late.close();
  await next.close!();
  await expect(late.push(receipt)).rejects.toThrow('the queue was closed');
  expect(readdirSync(folder).filter((name) => name.startsWith(basename(path)))).toEqual([basename(path)]);
});

const tooSlow: [string, (init: RequestInit) => Response | Promise<Response>][] = [
  [
    'no answer in time',
    ({ signal }) =>
      new Promise<never>((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason))),
  ],
  ['408', () => Response.json({ statusCode: 408, error: 'bad_request', message: 'No.' }, { status: 408 })],
];
test.each(tooSlow)('%s: a queue sends half as many at once, and more again later', async (_, answer) => {
  const storage = memoryStorage();
  for (let count = 0; count < 300; count++) await storage.add({ ...stored, key: `${count}` });
  const lengths: number[] = [];
  const inventory = clientOf((_, init) => {
    const { length } = operationsOf(init);
    // A list may be sent several times in one call.
    if (lengths.at(-1) !== length) lengths.push(length);
    return length > 100 ? answer(init) : applyAll(init);
  });
  const queue = inventory.offlineQueue({ storage, deviceID: 's' });
  await queue.drained();
  expect(lengths).toEqual([300, 150, 75, 150, 75, 150, 75]);
  expect(queue.refused).toEqual([]);
  await queue.close();
});

const asks: [string, string, (inventory: InventoryClient) => { close(): unknown }][] = [
  [
    'a queue',
    '/Inventory/Batch',
    (inventory) => {
      const queue = inventory.offlineQueue({ storage: memoryStorage(), deviceID: 's' });
      void queue.push(receipt);
      return queue;
    },
  ],
  [
    'a feed',
    '/Changes',
    (inventory) => {
      const ending = new AbortController();
      const feed = inventory.changes({ after: 'c', wait: 0 }, { signal: ending.signal });
      const ended = feed[Symbol.asyncIterator]().next();
      ended.catch(() => {});
      return { close: () => ending.abort() };
    },
  ],
  [
    'a mirror',
    '/Me',
    (inventory) => inventory.mirror({ store: { position: () => null, clear() {}, upsert() {} } }),
  ],
];
test.each(asks)(
  '%s calls again once the time is over that the service asked to wait',
  async (_, path, begin) => {
    const times: number[] = [];
    const busy = { statusCode: 503, error: 'internal_error', message: 'busy' };
    const inventory = clientOf(({ pathname }) => {
      if (pathname.endsWith(path)) times.push(performance.now());
      return Response.json(busy, { status: 503, headers: { 'Retry-After': '2' } });
    }, 500);
    const begun = begin(inventory);
    await expect.poll(() => times.length).toBe(2);
    await begun.close();
    // A timer may be early by a part of a millisecond.
    expect(times[1]! - times[0]!).toBeGreaterThan(1990);
  },
);

test('without /proc, a lock of a machine with a similar name is left alone', async () => {
  const path = inFolder();
  const readFile = fs.readFile;
  vi.spyOn(fs, 'readFile').mockImplementation((async (...given: Parameters<typeof readFile>) => {
    if (String(given[0]).startsWith('/proc/')) throw new Error('ENOENT');
    return readFile(...given);
  }) as typeof readFile);
  // A folder on NFS.
  vi.spyOn(fs, 'statfs').mockResolvedValue({ type: 0x6969 } as never);
  const hostname = vi.spyOn(os, 'hostname').mockReturnValue('scanner-01');
  const locks = () => readdirSync(folder).filter((name) => name.startsWith(`${basename(path)}.lock-`));
  const first = fileStorage(path);
  await first.load();
  const [lock] = locks();
  await first.close!();
  // As if its program had been killed, or could not be reached from the other machine.
  writeFileSync(join(folder, lock!), '');
  hostname.mockReturnValue('scanner-02');
  await expect(fileStorage(path).load()).rejects.toThrow(
    `another program uses this queue; ${folder}/${lock}`,
  );
  expect(locks()).toEqual([lock]);
  hostname.mockReturnValue('scanner-01');
  const again = fileStorage(path);
  await again.load();
  expect(locks()).not.toContain(lock);
  await again.close!();
});

test('storage_failed, unknown: IndexedDB does not answer a push, which it may still carry out', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const database = {
    // It never ends.
    transaction: () => ({ objectStore: () => ({ put: () => ({}), getAll: () => ({}) }) }),
    close() {},
  };
  const open = () => {
    const request = { result: database, onsuccess() {} };
    queueMicrotask(() => request.onsuccess());
    return request;
  };
  vi.stubGlobal('indexedDB', { open });
  const storage = indexedDbStorage(uniqueName('queue'));
  const errorOf = (call: Promise<unknown>) => call.then(String, (error: unknown) => error);
  const errors = [errorOf(storage.add(stored)), errorOf(storage.load())];
  await vi.advanceTimersByTimeAsync(600_000);
  const [ofAdd, ofLoad] = await Promise.all(errors);
  expect(ofAdd).toMatchObject({ code: 'storage_failed', outcome: 'unknown' });
  // It has changed nothing.
  expect(ofLoad).toMatchObject({ name: 'TimeoutError', message: 'IndexedDB does not answer' });
  await storage.close!();
});

test('a listener that throws changes nothing: its errors are uncaught, and everything is told', async () => {
  const uncaught: unknown[] = [];
  const runSoon = queueMicrotask;
  vi.stubGlobal('queueMicrotask', (run: () => void) =>
    runSoon(() => {
      try {
        run();
      } catch (error) {
        uncaught.push(error);
      }
    }),
  );
  const told: string[] = [];
  const fail = (what: string) => {
    told.push(what);
    throw new Error(`of ${what}`);
  };
  const queue = applying().offlineQueue({
    ...{ storage: memoryStorage(), deviceID: 's' },
    onChange: ({ size }) => fail(`change to ${size}`),
    onDecided: ({ operation }) => fail(operation.key),
  });
  const keys = ['a', 'b'];
  await Promise.all(keys.map((key) => queue.push({ ...receipt, key })));
  await queue.drained();
  await expect.poll(() => told).toEqual(expect.arrayContaining([...keys, 'change to 0']));
  expect([queue.size, queue.error]).toEqual([0, null]);
  await queue.close();
  expect(uncaught).toEqual(told.map((what) => new Error(`of ${what}`)));
});

test('an answer that the storage could not note is noted before anything is sent again', async () => {
  const memory = memoryStorage();
  let failures = 0;
  const storage: QueueStorage = {
    ...memory,
    async take(...given) {
      failures += 1;
      if (failures <= 2) throw new Error('the disk is full');
      await memory.take(...given);
    },
  };
  let lists = 0;
  const inventory = clientOf((_, init) => {
    lists += 1;
    return applyAll(init);
  });
  const told: unknown[] = [];
  const queue = inventory.offlineQueue({
    ...{ storage, deviceID: 's' },
    onDecided: ({ operation }) => told.push(operation.key),
  });
  await queue.push({ ...receipt, key: 'full' });
  await queue.drained();
  expect([lists, told]).toEqual([1, ['full']]);
  await queue.close();
});

test('capturedAt without an offset is UTC, wherever the device is', async () => {
  vi.stubEnv('TZ', 'America/New_York');
  expect(new Date().getTimezoneOffset()).toBeGreaterThan(0);
  let sentAt = '';
  const inventory = clientOf((_, init) => {
    sentAt = JSON.parse(init.body as string).sentAt;
    return applyAll(init);
  });
  const queue = inventory.offlineQueue({ storage: memoryStorage(), deviceID: 's' });
  const capturedAt = new Date(Date.now() - 60_000).toISOString().slice(0, -1);
  for (const form of [capturedAt, capturedAt.replace('T', ' ')]) {
    await queue.push({ ...receipt, capturedAt: form });
    await queue.drained();
    expect(Math.abs(Date.parse(sentAt) - Date.now())).toBeLessThan(50_000);
  }
  await queue.close();
});

test('storage_failed: a push onto a file that was removed, which ends with this program', async () => {
  const path = inFolder();
  const storage = fileStorage(path);
  await storage.add(stored);
  await fs.rm(path);
  await expect(storage.add(stored)).rejects.toMatchObject({ code: 'storage_failed', outcome: 'unknown' });
  await storage.close!();
});

test('a file with a second name is refused: there are two places for its lock', async () => {
  const path = inFolder();
  const storage = fileStorage(path);
  await storage.add(stored);
  await fs.link(path, `${path}-other`);
  await expect(fileStorage(`${path}-other`).load()).rejects.toThrow('second name');
  await storage.close!();
});

test('close: a file that cannot be closed is free for the next program', async () => {
  const path = inFolder();
  const open = fs.open;
  vi.spyOn(fs, 'open').mockImplementation(async (...given) => {
    const file = await open(...given);
    if (given[1] !== 'a+') return file;
    const close = file.close;
    file.close = async () => {
      await close.call(file);
      throw new Error('EIO: injected');
    };
    return file;
  });
  const storage = fileStorage(path);
  await storage.add(stored);
  await expect(storage.close!()).rejects.toThrow('injected');
  vi.restoreAllMocks();
  const next = fileStorage(path);
  expect((await next.load()).waiting).toHaveLength(1);
  await next.close!();
});

test('close: a queue whose turn does not come ends all the same, and IndexedDB that does not open', async () => {
  const asked: unknown[] = [];
  const request = (name: string, { signal }: { signal?: AbortSignal }) => {
    asked.push(name);
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  };
  vi.stubGlobal('navigator', { locks: { request } });
  vi.stubGlobal('indexedDB', { open: () => ({}) });
  const { lock, close } = indexedDbStorage(uniqueName('queue'));
  const storage = { ...memoryStorage(), lock: lock!, close: close! };
  const queue = applying().offlineQueue({ storage, deviceID: 's' });
  await queue.push(receipt);
  await expect.poll(() => asked).toHaveLength(1);
  await queue.close();
});

test('a feed that does not wait is not asked all the time', async () => {
  const inventory = clientOf(() => Response.json({ value: [], nextCursor: 'c', hasMore: false }));
  const pages = inventory.changes({ after: 'c', wait: 0 }).pages()[Symbol.asyncIterator]();
  await pages.next();
  const asked = performance.now();
  await pages.next();
  expect(performance.now() - asked).toBeGreaterThan(400);
});
