import { join } from 'node:path';
import { InventoryClient, InventoryError } from '@inventory/client';
import { addReason } from '@inventory/db/operator/manage-reasons';
import { expect, test } from 'vitest';
import { startFaultProxy } from '../harness/network/fault-proxy.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { credentialsFor, typedClient } from '../harness/service/typed-client.ts';

const service = useService();

async function all<Each>(list: AsyncIterable<Each>): Promise<Each[]> {
  const found: Each[] = [];
  for await (const each of list) found.push(each);
  return found;
}

test('every verb gives the answer of its call', async () => {
  const inventory = await typedClient(service);
  const itemID = uniqueName('VERBS');
  const item = await inventory.createItem({ shortID: itemID, description: 'first', units: '2.5' });
  expect(item).toMatchObject({ shortID: itemID, units: 2.5, status: 'created' });
  expect(await inventory.updateItem({ shortID: itemID, description: 'second' })).toEqual({
    shortID: itemID,
    status: 'updated',
  });

  const received = await inventory.receive({ itemID, units: '5.25', wid: 1, reasonCode: 1, spot: 'A' });
  expect(received).toMatchObject({ status: 'received', dryRun: false, lot: { units: 5.25, spot: 'A' } });
  const tried = await inventory.move({ itemID, units: 2, wid: 1, toSpot: 'B', dryRun: true });
  expect([tried.transactionNo, tried.skipped]).toEqual([null, []]);
  const moved = await inventory.move({ itemID, units: 2, wid: 1, toSpot: 'B' });
  const number: number = moved.transactionNo;
  const issued = await inventory.issue({ itemID, units: '1.25', wid: 1, reasonCode: 2, spot: 'A' });
  expect(issued.lots).toEqual([{ recNo: received.recNo, units: 1.25, remaining: 2 }]);
  const counted = await inventory.count({ itemID, wid: 1, spot: 'B', counted: '1.5', reasonCode: 4 });
  expect(counted).toMatchObject({ before: 2, counted: 1.5, difference: -0.5 });
  const reversed = await inventory.reverse({ transactionNo: counted.transactionNo });
  expect(reversed).toMatchObject({ status: 'reversed', reverses: counted.transactionNo });

  expect(await inventory.item(itemID)).toMatchObject({ partNo: item.partNo, description: 'second' });
  expect(await inventory.item(item.partNo)).toMatchObject({ shortID: itemID });
  expect((await inventory.lot(received.recNo)).history).toHaveLength(3);
  expect(await inventory.transaction(number)).toMatchObject({ kind: 'move', itemID });
  expect((await inventory.me()).warehouses.map(({ wID }) => wID)).toEqual([1, 2]);
  const levels = await all(inventory.stockLevels({ wid: 1, view: 'full' }));
  expect(levels.find(({ shortID }) => shortID === itemID)).toMatchObject({ inStock: 4 });
  const kinds = (await all(inventory.transactions({ itemID }))).map(({ kind }) => kind);
  expect(kinds).toEqual(['reverse', 'count', 'issue', 'move', 'receive']);

  const lent = { reasonCode: 8, name: 'Lent', operations: ['issue' as const] };
  await addReason(service.sql, lent);
  expect(await all(inventory.reasons())).toEqual([lent]);

  const { results } = await inventory.scan({ scans: [{ data: itemID }], wid: 1 });
  expect(results[0]!.matches).toMatchObject([{ kind: 'item', shortID: itemID }]);

  expect(await inventory.discontinueItem(itemID)).toEqual({ shortID: itemID, status: 'discontinued' });
  const isIt = ({ shortID }: { shortID: string }) => shortID === itemID;
  expect((await all(inventory.items())).filter(isIt)).toEqual([]);
  expect((await all(inventory.items({ all: true }))).filter(isIt)).toMatchObject([{ discontinued: true }]);
});

test('api gives the answer of the calls that have no method', async () => {
  const inventory = await typedClient(service);
  const { api } = inventory;
  const itemID = await service.item();
  const { partNo } = await inventory.item(itemID);
  const alias = uniqueName('ALIAS');
  const path = { partNo, alias };
  const taught = await api.PUT('/Item/{partNo}/Aliases/{alias}', { params: { path }, body: {} });
  expect(taught.data).toMatchObject({ alias, status: 'added' });
  const listed = await api.GET('/Item/{partNo}/Aliases', { params: { path } });
  expect(listed.data).toMatchObject({ value: [{ alias }] });
  const removed = await api.DELETE('/Item/{partNo}/Aliases/{alias}', { params: { path } });
  expect(removed.data).toMatchObject({ alias, status: 'removed' });
  expect((await api.GET('/Webhooks')).data).toMatchObject({ value: [] });
  // The list of a category, which may be empty.
  for (const Category of [0, 987_654])
    expect((await api.GET('/Item', { params: { query: { Category } } })).data).toBeInstanceOf(Array);
  expect((await api.HEAD('/Item' as never, {} as never)).response.status).toBe(200);
});

test('api takes the options and the middleware of openapi-fetch', async () => {
  const { api } = await typedClient(service);
  const itemID = await service.item();
  const seen: unknown[] = [];
  const failure = new Error('of the program');
  const middleware: Parameters<typeof api.use>[0] = {
    onRequest: ({ request, schemaPath }) => {
      seen.push(schemaPath);
      request.headers.set('X-Request-Id', 'of-this-program');
    },
    onResponse: ({ response }) => void seen.push(response.headers.get('X-Request-Id')),
    onError: ({ error }) => {
      seen.push((error as InventoryError).status);
      return failure;
    },
  };
  const missing = { params: { path: { partNoOrShortID: 987_654 } } };
  await expect(api.GET('/Item/{partNoOrShortID}', missing)).rejects.toMatchObject({ status: 404 });
  api.use(middleware);
  const query = { key: itemID, type: 'id' as const };
  const text = await api.GET('/Item', { params: { query }, parseAs: 'text' });
  expect(JSON.parse(text.data as string)).toMatchObject({ shortID: itemID });
  await expect(api.GET('/Item/{partNoOrShortID}', missing)).rejects.toBe(failure);
  api.eject(middleware);
  const told = { onRequest: () => Response.json({ value: 'cached' }) };
  expect((await api.GET('/Reasons', { middleware: [told] })).data).toEqual({ value: 'cached' });
  expect(seen).toEqual(['/Item', 'of-this-program', '/Item/{partNoOrShortID}', 404]);
});

test('a list comes whole, page by page, or one page at a time', async () => {
  const inventory = await typedClient(service);
  const itemID = await service.item();
  const operations = Array.from({ length: 7 }, (_, index) => ({
    ...{ op: 'receive' as const, itemID, units: index + 1, wid: 1, reasonCode: 0 },
  }));
  await inventory.batch({ mode: 'each', operations });
  const lots = inventory.lots({ wid: 1, itemID, pageSize: 3 });
  expect((await all(lots)).map(({ units }) => units)).toEqual([7, 6, 5, 4, 3, 2, 1]);
  const page = await lots.page(3);
  expect(page).toMatchObject({ page: 3, pageSize: 3, totalCount: 7, hasMore: false });
  expect(page.nextModifiedSince).toMatch(/^\d{4}-.*Z$/);
  expect(page.value.map(({ units }) => units)).toEqual([1]);
  const full = await inventory.lots({ itemID, view: 'full', pageSize: 1 }).page();
  expect(full.value[0]!.reasonCode).toBe(0);
});

test('the constructor names the settings that are missing or empty', () => {
  const all = { baseUrl: '/api/v1', clientId: 'a', clientSecret: 'b' };
  for (const name of Object.keys(all))
    for (const value of [undefined, null, '', ' ', 5])
      expect(() => new InventoryClient({ ...all, [name]: value as string })).toThrow(name);
  expect(() => new InventoryClient({} as typeof all)).toThrow('baseUrl, clientId, clientSecret');
});

test('the message of a refusal names its fields', async () => {
  const inventory = await typedClient(service);
  const body = { itemID: 'A', units: -1, wid: 1, reasonCode: 0 };
  await expect(inventory.receive(body)).rejects.toThrow(/units/);
});

test('an exact client gives and takes every digit', async () => {
  const credentials = await credentialsFor(service);
  const exact = new InventoryClient({ ...credentials, exact: true });
  const itemID = await service.item();
  const units = '999999999999.123457';
  const received = await exact.receive({ itemID, units, wid: 1, reasonCode: 0, remark: '"units":5' });
  const text: string = received.lot.units;
  expect(text).toBe(units);
  expect(received.lot.remark).toBe('"units":5');
  expect(Number.isInteger(received.lot.recNo)).toBe(true);
  const error = await exact
    .issue({ itemID, units: '999999999999.123458', wid: 1, reasonCode: 0 })
    .catch(String);
  expect(error).toContain('999999999999.123458 asked');
  await expect(
    exact.issue({ itemID, units: '999999999999.123458', wid: 1, reasonCode: 0 }),
  ).rejects.toMatchObject({ figures: { asked: '999999999999.123458', available: units } });
  const levels = await all(exact.stockLevels());
  expect(levels.map(({ available }) => available)).toContain(units);
});

test('a refusal is an error with the fields of the error object', async () => {
  const inventory = await typedClient(service);
  const itemID = await service.item();
  const error = await inventory.issue({ itemID, units: 3, wid: 1, reasonCode: 1 }).catch((each) => each);
  expect(error).toBeInstanceOf(InventoryError);
  expect(error).toMatchObject({
    ...{ name: 'InventoryError', status: 409, code: 'conflict', reason: 'insufficientStock' },
    ...{ figures: { asked: 3, available: 0, onHold: 0, expired: 0 }, details: null, outcome: 'notApplied' },
  });
  expect(error.requestId).toMatch(/\S/);
  // A misspelled field is refused, not ignored.
  const misspelled = { itemID, units: 3, wid: 1, reasonCode: 1, Spot: 'A' };
  await expect(inventory.issue(misspelled)).rejects.toMatchObject({
    ...{ status: 400, code: 'validation_error', details: { Spot: ['Spot is unknown.'] } },
  });
  const half = { itemID, units: 'half', wid: 1, reasonCode: 1 };
  await expect(inventory.issue(half)).rejects.toMatchObject({ details: { units: [expect.any(String)] } });
  const wrong = new InventoryClient({ ...(await credentialsFor(service)), clientSecret: 'wrong' });
  await expect(wrong.me()).rejects.toMatchObject({ status: 401, code: 'invalid_client' });
});

test('an error of another copy of the package is an InventoryError', async () => {
  const path = `${join(import.meta.dirname, '../../packages/client/src/http/inventory-error.ts')}?copy`;
  const { InventoryError: Other }: { InventoryError: typeof InventoryError } = await import(path);
  expect(Other).not.toBe(InventoryError);
  const fields = { message: 'no', status: 409, code: 'conflict', outcome: 'notApplied' } as const;
  expect(new Other(fields)).toBeInstanceOf(InventoryError);
  expect(new InventoryError(fields)).toBeInstanceOf(Other);
  expect(new Error('no')).not.toBeInstanceOf(InventoryError);
});

test('a batch of any length goes in lists of 500, in order, each operation once', async () => {
  const proxy = await startFaultProxy(service.baseUrl, () => 'pass');
  const inventory = await typedClient(service, { baseUrl: proxy.baseUrl });
  const itemID = await service.item();
  const operations = Array.from({ length: 1203 }, (_, index) =>
    index === 700
      ? { op: 'issue' as const, itemID, units: 10_000, wid: 1, reasonCode: 0 }
      : { op: 'receive' as const, itemID, units: 1, wid: 1, reasonCode: 0 },
  );
  const { results, summary } = await inventory.batch({ mode: 'each', operations });
  expect(summary).toEqual({ applied: 1202, refused: 1, notApplied: 0 });
  expect(results.map(({ index }) => index)).toEqual(operations.map((_, index) => index));
  expect(results[700]).toMatchObject({ status: 'refused', error: { reason: 'insufficientStock' } });
  const lists: string[][] = proxy.seen
    .filter(({ path }) => path.endsWith('/Batch'))
    .map(({ body }) => JSON.parse(body).operations.map(({ key }: { key: string }) => key));
  // Operations that a busy service did not apply came once more.
  const sizes = lists
    .filter((keys, at) => !lists.slice(0, at).flat().includes(keys[0]!))
    .map(({ length }) => length);
  expect(sizes).toEqual([500, 500, 203]);
  expect([...new Set(lists.flat())]).toEqual(results.map(({ key }) => key));
  const page = await inventory.lots({ itemID, pageSize: 1 }).page();
  expect(page.totalCount).toBe(1202);
});

test('an atomic batch that is refused tells the result of each operation', async () => {
  const inventory = await typedClient(service);
  const itemID = await service.item();
  const issue = { op: 'issue' as const, itemID, units: 1, wid: 1, reasonCode: 0 };
  const error = await inventory
    .batch({
      mode: 'atomic',
      operations: [
        { ...issue, op: 'receive' },
        { ...issue, units: 2 },
      ],
    })
    .catch((each) => each);
  expect(error).toMatchObject({ status: 409, reason: 'operationRefused', outcome: 'notApplied' });
  expect(error.results.map(({ status }: { status: string }) => status)).toEqual(['notApplied', 'refused']);
});
