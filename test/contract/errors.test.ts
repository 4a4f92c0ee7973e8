import { expect, test } from 'vitest';
import { errorObject, expectAnswer } from '../harness/contract/answers.ts';
import { send } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();

const nothingHere = errorObject(404, 'not_found', 'There is nothing at this path.');

test.each([
  '/item',
  '/ITEM',
  '/Item/',
  '/Item/All/',
  '/Items',
  '/inventory',
  '/Inventory/',
  '/Inventory/stocklevels',
  '/Inventory/StockLevels/',
  '/Inventory/1/',
  '/Inventory/Main',
  '/Inventory/1.5',
  '/Inventory/1/2/3',
  '/Nothing',
  '/',
])('404: the path %s, because paths are exact', async (path) => {
  const client = await service.client();
  expectAnswer(await client.get(path), 404, nothingHere);
});

test.each([
  ['POST', '/Inventory/Main'],
  ['DELETE', '/Inventory/1.5'],
  ['PUT', '/Inventory/Transactions/last'],
])('404: %s %s, as with any method on an unknown path', async (method, path) => {
  const client = await service.client();
  for (const each of ['GET', method]) expectAnswer(await client.send(each, path), 404, nothingHere);
});

test('404: the path /Item/all, because paths are exact and this one is a part number', async () => {
  const client = await service.client();
  const answer = await client.get('/Item/all');
  expect(answer.status).toBe(404);
  expect(answer.body).toMatchObject({ error: 'not_found', message: expect.stringContaining('part number') });
});

test('404: a path outside the base path', async () => {
  const root = service.baseUrl.replace('/api/v1', '');
  for (const path of ['/api/v2/Item', '/Item', '/api/v1']) {
    const response = await fetch(root + path);
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 404,
      body: nothingHere,
    });
  }
});

test.each([
  ['PATCH', '/Item', ['GET', 'HEAD', 'POST', 'PUT']],
  ['DELETE', '/Item', ['GET', 'HEAD', 'POST', 'PUT']],
  // An item may be called All: it can be discontinued, and nothing else is possible at this path.
  ['POST', '/Item/All', ['DELETE', 'GET', 'HEAD']],
  ['PUT', '/Item/All', ['DELETE', 'GET', 'HEAD']],
  ['POST', '/Item/1', ['DELETE', 'GET', 'HEAD']],
  ['POST', '/Inventory', ['GET', 'HEAD']],
  ['PUT', '/Inventory/1', ['GET', 'HEAD']],
  ['PUT', '/Inventory/%31', ['GET', 'HEAD']],
  ['DELETE', '/Inventory/StockLevels', ['GET', 'HEAD']],
  ['GET', '/Inventory/Receive', ['POST']],
  ['HEAD', '/Inventory/Receive', ['POST']],
  ['PUT', '/Inventory/Move', ['POST']],
  ['POST', '/Inventory/StockLevels', ['GET', 'HEAD']],
  ['OPTIONS', '/Inventory/Issue', ['POST']],
])('405: %s %s, with the methods allowed in Allow', async (method, path, allowed) => {
  const client = await service.client();
  const answer = await client.send(method, path);
  expect(answer.status).toBe(405);
  const allow = answer.headers.get('Allow') ?? '';
  expect(allow.split(', ').sort()).toEqual(allowed);
  if (method === 'HEAD') return;
  expect(answer.body).toEqual(errorObject(405, 'bad_request', `Method not allowed; allowed: ${allow}.`));
});

test('404: the error object, without a details field', async () => {
  const client = await service.client();
  const answer = await client.get('/Item?key=NONE&type=id');
  expectAnswer(answer, 404, errorObject(404, 'not_found', 'There is no such item.'));
  expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/);
});

test('HEAD answers like GET, without the body', async () => {
  const client = await service.client();
  await service.item();
  const get = await client.get('/Item?pageSize=1');
  const head = await client.send('HEAD', '/Item?pageSize=1');
  expect(head.status).toBe(200);
  expect(head.text).toBe('');
  for (const name of ['X-Total-Count', 'X-Page', 'X-Page-Size', 'X-API-Version', 'Content-Length']) {
    expect(head.headers.get(name), name).toBe(get.headers.get(name));
  }
  expect((await client.send('HEAD', '/Item/999999')).status).toBe(404);
});

test('X-Request-Id comes back as it was sent', async () => {
  const client = await service.client();
  const answer = await client.send('GET', '/Item', { headers: { 'X-Request-Id': 'order-4711/2' } });
  expect(answer.headers.get('X-Request-Id')).toBe('order-4711/2');
});

test.each(['', 'with space', 'x'.repeat(129), 'é'])(
  'X-Request-Id is made by the service when the caller sends none, or an unusable one: "%s"',
  async (given) => {
    const client = await service.client();
    const answer = await client.send('GET', '/Item', { headers: { 'X-Request-Id': given } });
    expect(answer.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
  },
);

test('every answer has X-API-Version and X-Request-Id, and may be neither stored nor sniffed, also a refusal', async () => {
  const client = await service.client();
  for (const answer of [
    await client.get('/Item'),
    await client.get('/Nothing'),
    await client.post('/Item', '{'),
    await client.get('/WorkOrder'),
    await send(service.baseUrl, 'GET', '/Item'),
    await send(service.baseUrl, 'POST', '/Token'),
  ]) {
    expect(answer.headers.get('X-API-Version')).toBe('v1');
    expect(answer.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
    expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff');
  }
});
