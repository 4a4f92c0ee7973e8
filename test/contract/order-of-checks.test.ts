import { describe, expect, test as plain } from 'vitest';
import { errorObject, expectAnswer, forbidden, invalid } from '../harness/contract/answers.ts';
import { useStock } from '../harness/contract/item-stock.ts';
import { nameOf, requestOf, routes, tooLittleFor } from '../harness/contract/routes.ts';
import { send } from '../harness/service/api-client.ts';
import { allPermissions, uniqueName } from '../harness/service/service.ts';
import { notEnough } from '../harness/stock/stock.ts';

// 401, 429, 403 for a read-only client, 403 for a permission, 400 of body and query, 403 of the scope, then
// 400 and 404 of item and lot, and 409. The table in security/permission-matrix has the rights themselves.

const { service, test } = useStock();

plain('401 comes before everything else', async () => {
  const answer = await send(service.baseUrl, 'POST', '/Inventory/Receive?page=0&page=0', { body: '{' });
  expectAnswer(answer, 401, errorObject(401, 'unauthorized', 'Authentication is required.'));
});

plain('429 comes before 403, 404 and 400, and nothing is written', async () => {
  const client = await service.client({ rateLimit: 1, permissions: [116] });
  const shortID = uniqueName('NEW');
  await client.get('/Me');
  for (const answer of [
    await client.get('/Item'),
    await client.get('/Nothing'),
    await client.post('/Item', '{'),
    await client.get('/Report'),
    await client.post('/Item', { shortID }),
  ])
    expectAnswer(answer, 429, { message: 'Rate limit exceeded: 1 requests per minute.' });
  expect([...(await service.sql`select from item where short_id = ${shortID}`)]).toEqual([]);
});

/** The routes that the rights of a client can refuse, each with permissions that are not enough. */
const refusable = routes
  .map((declared) => ({ declared, name: nameOf(declared), without: tooLittleFor(declared, allPermissions) }))
  .filter(({ declared, without }) => declared.writes || without.length > 0);

describe.each(refusable)('$name', ({ declared, without: [permissions = []] }) => {
  plain('403 comes before any check of body, query or parameters', async () => {
    const client = await service.client({ permissions, readOnly: declared.writes });
    const { method, path, body } = requestOf(declared, { itemID: uniqueName('NO'), partNo: 999_999 });
    const spoiled = `${path}${path.includes('?') ? '&' : '?'}page=0&x=1&x=2`;
    const answer = await client.send(method, spoiled, body === undefined ? {} : { body: '{' });
    expectAnswer(answer, 403, declared.writes ? forbidden.readOnly : forbidden.permission);
  });
});

plain('404 of a path parameter comes after the permission', async () => {
  const client = await service.client({ permissions: [88] });
  for (const path of ['/Item/none', '/Inventory/none'])
    expectAnswer(await client.get(path), 403, forbidden.permission);
});

test('403 of the scope comes between 400 of the fields and 400 of the item', async ({ client, itemID }) => {
  const page = invalid({ page: 'must be from 1 to 999999999999999.' });
  expectAnswer(await client.get('/Inventory/3?page=0'), 400, page);
  const issue = (fields: object) => {
    const body = { itemID: uniqueName('NO'), units: 1, wid: 3, reasonCode: 0, ...fields };
    return client.post('/Inventory/Issue', body);
  };
  expectAnswer(await issue({ units: 0 }), 400, invalid({ units: 'must be greater than 0.' }));
  expectAnswer(await issue({}), 403, forbidden.scope);
  expectAnswer(await issue({ wid: 1 }), 400, invalid({ itemID: 'is not a known item.' }));
  expectAnswer(await issue({ wid: 1, itemID }), 409, notEnough(1, 0));
});
