import { describe, expect, test } from 'vitest';
import { errorObject, expectAnswer } from '../harness/contract/answers.ts';
import { nameOf, requestOf, routes } from '../harness/contract/routes.ts';
import { send } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();

const missing = errorObject(401, 'unauthorized', 'Authentication is required.');
const invalid = errorObject(401, 'unauthorized', 'The access token is invalid or expired.');

const everything = [
  ...routes.map((declared) => ({ name: nameOf(declared), ...requestOf(declared, { itemID: 'ANY' }) })),
  { name: 'GET of an unknown path', method: 'GET', path: '/Nothing' },
  { name: 'GET of another family', method: 'GET', path: '/PurchaseOrder' },
  { name: 'PATCH of a known path', method: 'PATCH', path: '/Item' },
];

describe.each(everything)('$name', ({ method, path, ...options }) => {
  test('401: no token', async () => {
    const answer = await send(service.baseUrl, method, path, options);
    expectAnswer(answer, 401, missing);
    expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer');
    expect(answer.headers.get('X-API-Version')).toBe('v1');
  });

  test('401: a token that the service did not issue', async () => {
    const answer = await send(service.baseUrl, method, path, {
      ...options,
      headers: { Authorization: 'Bearer not.a.token' },
    });
    expectAnswer(answer, 401, invalid);
    expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer error="invalid_token"');
  });
});

test.each(['Basic YTpi', 'Bearer', 'Bearer ', 'Token abc', 'Bearer a b'])(
  '401: the header "Authorization: %s"',
  async (header) => {
    const answer = await send(service.baseUrl, 'GET', '/Item', { headers: { Authorization: header } });
    expectAnswer(answer, 401, invalid);
  },
);

test('200: the scheme in any case', async () => {
  const client = await service.client();
  const answer = await send(service.baseUrl, 'GET', '/Item', {
    headers: { Authorization: `bearer ${client.token}` },
  });
  expect(answer.status).toBe(200);
});

test('401: a client that was disabled after it got its token', async () => {
  const client = await service.client();
  await service.sql`update client set disabled = true where client_id = ${client.clientId}`;
  expectAnswer(await client.get('/Item'), 401, invalid);
});

test('401 comes before any check of body, query or path', async () => {
  const answer = await send(service.baseUrl, 'POST', '/Inventory/Receive?page=0&page=0', { body: '{' });
  expectAnswer(answer, 401, missing);
});
