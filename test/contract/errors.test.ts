import { expect } from 'vitest';
import { errorObject, expectAnswer } from '../harness/contract/answers.ts';
import { useStock } from '../harness/contract/item-stock.ts';
import { send } from '../harness/service/api-client.ts';

const { service, test } = useStock();

const nothingHere = errorObject(404, 'not_found', 'There is nothing at this path.');

test.for([
  ...['/item', '/ITEM', '/Item/', '/Item/All/', '/Items', '/inventory', '/Inventory/', '/Nothing', '/'],
  ...['/Inventory/stocklevels', '/Inventory/StockLevels/', '/Inventory/1/', '/Inventory/1/2/3'],
  ...['/Inventory/Main', '/Inventory/1.5', '/Inventory/Transactions/last'],
])('404: the path %s, because paths are exact, with any method', async (path, { client }) => {
  for (const method of ['GET', 'POST', 'PUT', 'DELETE'])
    expectAnswer(await client.send(method, path), 404, nothingHere);
});

test('404: a path outside the base path', async () => {
  const root = service.baseUrl.replace('/api/v1', '');
  for (const path of ['/api/v2/Item', '/Item', '/api/v1']) {
    const answer = await fetch(root + path);
    expect([answer.status, await answer.json()]).toEqual([404, nothingHere]);
  }
});

const read = 'GET, HEAD';

test.for([
  ['PATCH', '/Item', 'GET, HEAD, POST, PUT'],
  ['DELETE', '/Item', 'GET, HEAD, POST, PUT'],
  // An item may be called All: it can be discontinued, and nothing else is possible at this path.
  ['POST', '/Item/All', 'DELETE, GET, HEAD'],
  ['PUT', '/Item/All', 'DELETE, GET, HEAD'],
  ['POST', '/Item/1', 'DELETE, GET, HEAD'],
  ['POST', '/Inventory', read],
  ['PUT', '/Inventory/1', read],
  ['PUT', '/Inventory/%31', read],
  ['DELETE', '/Inventory/StockLevels', read],
  ['POST', '/Inventory/StockLevels', read],
  ['POST', '/Me', read],
  ...['Receive', 'Move', 'Issue', 'Count', 'Reverse', 'Hold', 'Batch'].flatMap((call) => [
    ['GET', `/Inventory/${call}`, 'POST'],
    ['HEAD', `/Inventory/${call}`, 'POST'],
  ]),
  ['PUT', '/Inventory/Move', 'POST'],
  ['OPTIONS', '/Inventory/Issue', 'POST'],
  ['GET', '/Token', 'POST'],
])('405: %s %s, with the methods allowed in Allow, whatever the client may do', async (given, { client }) => {
  const [method, path, allowed] = given;
  for (const asker of [client, await service.client({ permissions: [], readOnly: true })]) {
    const answer = await asker.send(method!, path!);
    const allow = answer.headers.get('Allow') ?? '';
    expect([answer.status, allow.split(', ').sort().join(', ')]).toEqual([405, allowed]);
    if (method === 'HEAD') continue;
    expect(answer.body).toEqual(errorObject(405, 'bad_request', `Method not allowed; allowed: ${allow}.`));
  }
});

test('DELETE /Item/All discontinues the item of that name', async ({ client }) => {
  await service.item({ shortID: 'All' });
  const weak = await service.client({ permissions: [11] });
  expect((await weak.delete('/Item/All')).status).toBe(403);
  expectAnswer(await client.delete('/Item/All'), 200, { shortID: 'All', status: 'discontinued' });
});

test('404: the error object as JSON, without details', async ({ client }) => {
  const answer = await client.get('/Item?key=NONE&type=id');
  expectAnswer(answer, 404, errorObject(404, 'not_found', 'There is no such item.'));
  expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/);
});

test('HEAD answers like GET, without the body', async ({ client, itemID }) => {
  for (const path of ['/Item?pageSize=1', `/Item?key=${itemID}&type=id`, '/Item/999999']) {
    const [get, head] = [await client.get(path), await client.send('HEAD', path)];
    expect([head.status, head.text]).toEqual([get.status, '']);
    for (const name of ['X-Total-Count', 'X-Page', 'X-Page-Size', 'X-API-Version', 'Content-Length'])
      expect(head.headers.get(name), name).toBe(get.headers.get(name));
  }
});

test.for<[given: string, told: RegExp]>([
  ['order-4711/2', /^order-4711\/2$/],
  // Made by the service when the caller sends none, or an unusable one.
  ...['', 'with space', 'x'.repeat(129), 'é'].map((given): [string, RegExp] => [given, /^[0-9a-f-]{36}$/]),
])('X-Request-Id "%s" is told as %s', async ([given, told], { client }) => {
  const answer = await client.send('GET', '/Item', { headers: { 'X-Request-Id': given } });
  expect(answer.headers.get('X-Request-Id')).toMatch(told);
});

test('every answer has its version and id, and is neither stored nor sniffed', async ({ client }) => {
  for (const { headers } of [
    await client.get('/Item'),
    await client.get('/Nothing'),
    await client.post('/Item', '{'),
    await client.get('/WorkOrder'),
    await send(service.baseUrl, 'GET', '/Item'),
    await send(service.baseUrl, 'POST', '/Token'),
  ]) {
    expect(headers.get('X-API-Version')).toBe('v1');
    expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  }
});
