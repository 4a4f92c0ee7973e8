import { describe, expect, test } from 'vitest';
import { expectAnswer, forbidden, validationError } from '../harness/contract/answers.ts';
import {
  enoughFor,
  nameOf,
  requestOf,
  routes,
  tooLittleFor,
  warehouseRoutes,
} from '../harness/contract/routes.ts';
import { allPermissions, uniqueName, useService } from '../harness/service/service.ts';
import { notEnough } from '../harness/stock/stock.ts';

const service = useService();

/**
 * The status of a request that nothing forbids, for an item that exists and has no stock: 400 and 409 come
 * after the rights.
 */
const due: Record<string, number> = {
  'GET /Me': 200,
  'GET /Inventory/Transactions': 200,
  'GET /Inventory/Transactions/:transactionNo': 404,
  'GET /Inventory/Lots/:recNo': 404,
  'GET /Inventory': 200,
  'GET /Inventory/StockLevels': 200,
  'GET /Inventory/StockLevels/:wid': 200,
  'GET /Inventory/:wid': 200,
  'POST /Inventory/Receive': 201,
  'POST /Inventory/Move': 409,
  'POST /Inventory/Issue': 409,
  'POST /Inventory/Count': 200,
  'POST /Inventory/Reverse': 404,
  'POST /Inventory/Batch': 200,
  'GET /Item': 200,
  'GET /Item/All': 200,
  'GET /Item/:partNo': 200,
  'POST /Item': 400,
  'PUT /Item': 200,
  'DELETE /Item/:shortID': 200,
  'GET /Item/:partNo/Aliases': 200,
  'PUT /Item/:partNo/Aliases/:alias': 200,
  'DELETE /Item/:partNo/Aliases/:alias': 404,
  'POST /Scan': 200,
};

describe.each(routes.map((declared) => [nameOf(declared), declared] as const))('%s', (name, declared) => {
  const [without = []] = tooLittleFor(declared, allPermissions);

  test.each(tooLittleFor(declared, allPermissions).map((each) => [each.join(', '), each] as const))(
    '403: permissions %s alone',
    async (_names, permissions) => {
      const client = await service.client({ permissions });
      const { method, path, ...options } = requestOf(declared, { itemID: await service.item() });
      expectAnswer(await client.send(method, path, options), 403, forbidden.permission);
    },
  );

  test.each(enoughFor(declared).map((each) => [each.join(', '), each] as const))(
    `${due[name]}: permissions %s alone`,
    async (_names, permissions) => {
      const client = await service.client({ permissions });
      const { method, path, ...options } = requestOf(declared, { itemID: await service.item() });
      expect((await client.send(method, path, options)).status).toBe(due[name]);
    },
  );

  test(`${declared.writes ? 403 : 200}: a read-only client`, async () => {
    const client = await service.client({ readOnly: true });
    const { method, path, ...options } = requestOf(declared, { itemID: await service.item() });
    const answer = await client.send(method, path, options);
    if (declared.writes) expectAnswer(answer, 403, forbidden.readOnly);
    else expect(answer.status).not.toBe(403);
  });

  const isOpen = tooLittleFor(declared, allPermissions).length === 0 && !declared.writes;

  test.skipIf(isOpen)('403 comes before any check of body, query or parameters', async () => {
    const client = await service.client({ permissions: without, readOnly: declared.writes });
    const { method, path, body } = requestOf(declared, { itemID: uniqueName('NO'), partNo: 999_999 });
    const answer = await client.send(method, `${path}${path.includes('?') ? '&' : '?'}page=0&x=1&x=2`, {
      ...(body === undefined ? {} : { body: '{' }),
    });
    expectAnswer(answer, 403, declared.writes ? forbidden.readOnly : forbidden.permission);
  });
});

describe.each(warehouseRoutes.map((declared) => [nameOf(declared), declared] as const))(
  '%s',
  (name, declared) => {
    test('403: a warehouse outside the scope, and one that does not exist, alike', async () => {
      const client = await service.client({ warehouses: [1, 2] });
      const itemID = await service.item();
      const answers = [];
      for (const wid of [3, 4_000, 2 ** 31 - 1]) {
        const { method, path, ...options } = requestOf(declared, { itemID, wid });
        answers.push(await client.send(method, path, options));
      }
      for (const answer of answers) expectAnswer(answer, 403, forbidden.scope);
      expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    });

    test(`${due[name]}: a warehouse in the scope`, async () => {
      const client = await service.client({ warehouses: [3] });
      const { method, path, ...options } = requestOf(declared, { itemID: await service.item(), wid: 3 });
      expect((await client.send(method, path, options)).status).toBe(due[name]);
    });
  },
);

test('404 of a path parameter comes after the permission', async () => {
  const client = await service.client({ permissions: [88] });
  expectAnswer(await client.get('/Item/none'), 403, forbidden.permission);
  expectAnswer(await client.get('/Inventory/none'), 403, forbidden.permission);
});

test('403 of the scope comes after 400 of the body and before 400 of the item', async () => {
  const client = await service.client({ warehouses: [1] });
  const body = { itemID: uniqueName('NO'), units: 1, wid: 2, reasonCode: 0 };
  expectAnswer(
    await client.post('/Inventory/Issue', { ...body, units: 0 }),
    400,
    validationError({ units: ['units must be greater than 0.'] }),
  );
  expectAnswer(await client.post('/Inventory/Issue', body), 403, forbidden.scope);
  expectAnswer(
    await client.post('/Inventory/Issue', { ...body, wid: 1 }),
    400,
    validationError({ itemID: ['itemID is not a known item.'] }),
  );
  expectAnswer(
    await client.post('/Inventory/Issue', { ...body, wid: 1, itemID: await service.item() }),
    409,
    notEnough(1, 0),
  );
});

test('403 of the scope comes after 400 of the query', async () => {
  const client = await service.client({ warehouses: [1] });
  expectAnswer(
    await client.get('/Inventory/2?page=0'),
    400,
    validationError({ page: [expect.stringMatching(/^page must be/)] }),
  );
});

test('403: a move between warehouses when only one is in the scope', async () => {
  const client = await service.client({ warehouses: [1] });
  const itemID = await service.item();
  const move = { itemID, units: 1, toSpot: 'B' };
  expectAnswer(await client.post('/Inventory/Move', { ...move, wid: 1, shipToWid: 2 }), 403, forbidden.scope);
  expectAnswer(await client.post('/Inventory/Move', { ...move, wid: 2, shipToWid: 1 }), 403, forbidden.scope);
  expectAnswer(
    await client.post('/Inventory/Move', { ...move, wid: 1, shipToWid: 9_999 }),
    403,
    forbidden.scope,
  );
});

test('403: a refused request writes nothing', async () => {
  const client = await service.client({ warehouses: [1], readOnly: true });
  const itemID = await service.item();
  await client.post('/Inventory/Receive', { itemID, units: 5, wid: 1, reasonCode: 0 });
  await client.delete(`/Item/${itemID}`);
  const [item] = await service.sql`
    select discontinued, (select count(*) from lot where lot.part_no = item.part_no) as lots
    from item
    where short_id = ${itemID}`;
  expect(item).toEqual({ discontinued: false, lots: 0 });
});
