import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileStorage, InventoryClient, memoryStorage, type QueueStorage } from '@inventory/client';
import { expect, test } from 'vitest';
import { useFolder } from '../harness/folders.ts';
import { type Fault, startFaultProxy } from '../harness/network/fault-proxy.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { typedClient } from '../harness/service/typed-client.ts';

const service = useService();
const folder = useFolder();

const inFolder = () => join(folder, uniqueName('queue'));

/** The applied transactions of an item, oldest first. */
async function ledgerOf(itemID: string) {
  const inventory = await typedClient(service);
  const found = [];
  for await (const each of inventory.transactions({ itemID })) found.push(each);
  return found.reverse();
}

test('work without a network is applied when it is back: each operation once, in order, with its evidence', async () => {
  const itemID = await service.item();
  let isOnline = false;
  const faults: Fault[] = ['lose', 'cut', 'drop', { refuse: 503 }, { instead: 502 }];
  const proxy = await startFaultProxy(service.baseUrl, () =>
    isOnline ? (faults.shift() ?? 'pass') : 'drop',
  );
  const inventory = await typedClient(service, { baseUrl: proxy.baseUrl });
  const queue = inventory.offlineQueue({ storage: fileStorage(inFolder()), deviceID: 's-12' });
  const receipt = { op: 'receive' as const, itemID, units: '0.5', wid: 1, reasonCode: 0 };
  const pushed = await Promise.all(Array.from({ length: 40 }, () => queue.push(receipt)));
  expect(queue.size).toBe(40);
  isOnline = true;
  await queue.drained();
  expect([queue.size, queue.refused, queue.error]).toEqual([0, [], null]);
  const ledger = await ledgerOf(itemID);
  expect(ledger.map(({ deviceSeq }) => deviceSeq)).toEqual(pushed.map(({ deviceSeq }) => deviceSeq));
  expect(ledger.every(({ deviceID, capturedAt }) => deviceID === 's-12' && capturedAt !== null)).toBe(true);
  await queue.close();
});

test('a refused operation waits for a person and holds up nothing, also when the program starts anew', async () => {
  const itemID = await service.item();
  const inventory = await typedClient(service);
  const path = inFolder();
  const begin = () => inventory.offlineQueue({ storage: fileStorage(path), deviceID: 's-1' });
  const first = begin();
  const whole = { itemID, wid: 1, reasonCode: 0 };
  await first.push({ op: 'issue', units: 5, key: uniqueName('no'), ...whole });
  await first.push({ op: 'receive', units: 2, ...whole });
  await first.drained();
  await first.close();
  const second = begin();
  await second.drained();
  expect(second.refused).toMatchObject([
    {
      operation: { op: 'issue', units: 5 },
      ...{
        statusCode: 409,
        error: { reason: 'insufficientStock', figures: { asked: 5 } },
        outcome: 'notApplied',
      },
    },
  ]);
  await second.forget(second.refused[0]!.operation.key);
  expect(second.refused).toEqual([]);
  await second.close();
  const third = begin();
  await third.drained();
  expect(third.refused).toEqual([]);
  expect((await ledgerOf(itemID)).map(({ kind }) => kind)).toEqual(['receive']);
  await third.close();
});

test('an operation captured a year ahead moves the corrected times of no other one', async () => {
  const itemID = await service.item();
  const storage = memoryStorage();
  const yearMs = 366 * 24 * 3_600_000;
  const [hourAgo, ahead, now] = [-3_600_000, yearMs, 0].map((by) => new Date(Date.now() + by).toISOString());
  for (const capturedAt of [hourAgo!, ahead!, now!]) {
    const evidence = { capturedAt, deviceID: 's-9', key: uniqueName('captured') };
    await storage.add({ op: 'receive', itemID, units: 1, wid: 1, reasonCode: 0, ...evidence });
  }
  const queue = (await typedClient(service)).offlineQueue({ storage, deviceID: 's-9' });
  await queue.drained();
  expect(queue.refused).toEqual([]);
  await queue.close();
  const rows = await service.sql<{ raw: Date; corrected: Date }[]>`
    select captured_at as raw, captured_at_corrected as corrected
    from stock_transaction
    where part_no = (select part_no from item where short_id = ${itemID})
    order by transaction_no`;
  expect(rows.map(({ raw }) => raw.toISOString())).toEqual([hourAgo, ahead, now]);
  const minute = 60_000;
  for (const { raw, corrected } of [rows[0]!, rows[2]!])
    expect(Math.abs(corrected.getTime() - raw.getTime())).toBeLessThan(10 * minute);
  expect(Math.abs(rows[1]!.corrected.getTime() - Date.now())).toBeLessThan(10 * minute);
});

test('an operation stays until its answer is definite', async () => {
  const itemID = await service.item();
  const answers: Fault[] = [
    { refuse: 401, body: '{"statusCode":401,"error":"unauthorized"}' },
    { refuse: 401, body: '{"statusCode":401,"error":"unauthorized"}' },
    { refuse: 403, body: '{"statusCode":403,"error":"forbidden"}' },
    // A proxy; such an answer settles nothing, so it is not even an error yet.
    { refuse: 400, body: '{"error":"bad_request"}' },
    // A portal of a hotel.
    { refuse: 200, body: '{"results":[]}' },
    { refuse: 200, body: '{"results":[{"status":"notApplied","statusCode":503}]}' },
  ];
  const proxy = await startFaultProxy(service.baseUrl, ({ path }) =>
    path.endsWith('/Token') ? 'pass' : (answers.shift() ?? 'pass'),
  );
  const inventory = await typedClient(service, { baseUrl: proxy.baseUrl });
  const errors: unknown[] = [];
  const queue = inventory.offlineQueue({
    ...{ storage: memoryStorage(), deviceID: 's-1' },
    onChange: ({ error }) => errors.push(error),
  });
  await queue.push({ op: 'receive', itemID, units: 1, wid: 1, reasonCode: 0 });
  await queue.drained();
  expect(await ledgerOf(itemID)).toHaveLength(1);
  expect(queue.refused).toEqual([]);
  expect(errors.filter((error) => error !== null)).toHaveLength(4);
  await queue.close();
});

test('a foreign 400 refuses nothing of the queue', async () => {
  const itemID = await service.item();
  let isForeign = true;
  const proxy = await startFaultProxy(service.baseUrl, ({ path }) =>
    isForeign && !path.endsWith('/Token') ? { refuse: 400, body: '{"error":"bad_request"}' } : 'pass',
  );
  const inventory = await typedClient(service, { baseUrl: proxy.baseUrl, timeoutMs: 1000 });
  const errors: unknown[] = [];
  const queue = inventory.offlineQueue({
    ...{ storage: memoryStorage(), deviceID: 's-1' },
    onChange: ({ error }) => errors.push(error),
  });
  for (let count = 0; count < 3; count++)
    await queue.push({ op: 'receive', itemID, units: 1, wid: 1, reasonCode: 0 });
  await expect.poll(() => errors.filter((error) => error !== null).length).toBe(3);
  expect([queue.size, queue.refused]).toEqual([3, []]);
  expect(queue.error).toMatchObject({ code: 'unexpected_answer', status: 400, outcome: 'unknown' });
  isForeign = false;
  await queue.drained();
  expect(queue.refused).toEqual([]);
  expect(await ledgerOf(itemID)).toHaveLength(3);
  await queue.close();
});

test('work of a device whose clock was set back is applied', async () => {
  const itemID = await service.item();
  const inventory = await typedClient(service);
  const queue = inventory.offlineQueue({ storage: memoryStorage(), deviceID: 's' });
  const receipt = { op: 'receive' as const, itemID, units: 1, wid: 1, reasonCode: 0 };
  await queue.push({ ...receipt, capturedAt: new Date(Date.now() + 86_400_000).toISOString() });
  await queue.push(receipt);
  await queue.drained();
  expect(queue.refused).toEqual([]);
  expect(await ledgerOf(itemID)).toHaveLength(2);
  await queue.close();
});

test('an operation that spoils its list is found and refused alone', async () => {
  const itemID = await service.item();
  const spoilt = uniqueName('spoilt');
  const error = JSON.stringify({ statusCode: 400, error: 'bad_request', message: 'No.' });
  const proxy = await startFaultProxy(service.baseUrl, ({ body }) =>
    body.includes(spoilt) ? { refuse: 400, body: error } : 'pass',
  );
  const inventory = await typedClient(service, { baseUrl: proxy.baseUrl });
  const storage = memoryStorage();
  const remarks = ['a', 'b', 'c', spoilt, 'd', 'e'];
  for (const remark of remarks)
    await storage.add({
      ...{ op: 'receive', itemID, units: 1, wid: 1, reasonCode: 0, remark, key: uniqueName('key') },
      ...{ capturedAt: new Date().toISOString(), deviceID: 's' },
    });
  const queue = inventory.offlineQueue({ storage, deviceID: 's' });
  await queue.drained();
  expect(queue.refused.map(({ operation }) => (operation as { remark: string }).remark)).toEqual([spoilt]);
  expect((await ledgerOf(itemID)).map(({ remark }) => remark)).toEqual(['a', 'b', 'c', 'd', 'e']);
  await queue.close();
});

test('a push of a key that waits already stores it once', async () => {
  const inventory = new InventoryClient({
    baseUrl: 'http://127.0.0.1:9/api/v1',
    clientId: 'a',
    clientSecret: 'b',
  });
  const queue = inventory.offlineQueue({ storage: memoryStorage(), deviceID: 's' });
  const operation = { op: 'reverse' as const, transactionNo: 1, key: 'twice' };
  const [one, same] = await Promise.all([queue.push(operation), queue.push(operation)]);
  expect([same, await queue.push(operation)]).toEqual([one, one]);
  expect(queue.size).toBe(1);
  await queue.close();
});

test('a file that ends at any byte is read up to its last whole line, and goes on there', async () => {
  const path = inFolder();
  const operation = (remark: string) => ({
    ...{ op: 'receive' as const, itemID: 'Ä', units: 1, wid: 1, reasonCode: 0, remark, key: remark },
    ...{ capturedAt: '2026-01-01T00:00:00Z', deviceID: 's' },
  });
  const whole = fileStorage(path);
  const sizes: number[] = [];
  const note = async () => sizes.push((await readFile(path)).length);
  const first = await whole.add(operation('één'));
  await note();
  await whole.add(operation('two'));
  await note();
  await whole.take([first], []);
  await note();
  await whole.close!();
  const bytes = await readFile(path);
  const states = [[], ['één'], ['één', 'two'], ['two']];
  for (let length = 0; length <= bytes.length; length++) {
    const cut = `${path}-${length}`;
    await writeFile(cut, bytes.subarray(0, length));
    const storage = fileStorage(cut);
    const expected = states[sizes.filter((size) => size <= length).length]!;
    expect(await remarksIn(storage), `${length} bytes`).toEqual(expected);
    const seq = await storage.add(operation('next'));
    expect(seq).toBeGreaterThan(expected.length === 0 ? 0 : 1);
    await storage.close!();
    const again = fileStorage(cut);
    expect(await remarksIn(again)).toEqual([...expected, 'next']);
    await again.close!();
  }
});

async function remarksIn(storage: QueueStorage): Promise<unknown[]> {
  return (await storage.load()).waiting.map(({ operation }) => (operation as { remark: string }).remark);
}

test('a file is written anew when most of it is past, and keeps its numbers', async () => {
  const path = inFolder();
  const storage = fileStorage(path);
  let last = 0;
  for (let round = 0; round < 40; round++) {
    const operation = {
      ...{ op: 'receive' as const, itemID: 'A', units: 1, wid: 1, reasonCode: 0, remark: 'x'.repeat(1000) },
      ...{ key: `${round}`, capturedAt: '2026-01-01T00:00:00Z', deviceID: 's' },
    };
    const seqs = await Promise.all(Array.from({ length: 20 }, () => storage.add(operation)));
    expect(seqs[0]).toBe(last + 1);
    last = seqs.at(-1)!;
    await storage.take(seqs, []);
  }
  await storage.close!();
  expect((await readFile(path)).length).toBeLessThan(600_000);
  const again = fileStorage(path);
  expect((await again.load()).waiting).toEqual([]);
  await expect(fileStorage(path).load()).rejects.toThrow('open in this program');
  await again.close!();
});

test('each definite answer is told, when the queue knows it', async () => {
  const itemID = await service.item();
  const inventory = await typedClient(service);
  const told: unknown[] = [];
  const queue = inventory.offlineQueue({
    storage: memoryStorage(),
    deviceID: 's-1',
    onDecided({ operation }, result) {
      const isKnown = queue.refused.some(({ operation: { key } }) => key === operation.key);
      told.push([operation.op, result.status, isKnown]);
    },
  });
  const whole = { itemID, wid: 1, reasonCode: 0 };
  await queue.push({ op: 'receive', units: 2, ...whole });
  await queue.push({ op: 'issue', units: 5, ...whole });
  await queue.drained();
  await queue.close();
  expect(told).toEqual([
    ['receive', 'applied', false],
    ['issue', 'refused', true],
  ]);
});
