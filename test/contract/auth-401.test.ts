import { describe, expect, test } from 'vitest';
import { errorObject, expectAnswer } from '../harness/contract/answers.ts';
import { nameOf, requestOf, routes } from '../harness/contract/routes.ts';
import { send } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();

const missing = errorObject(401, 'unauthorized', 'Authentication is required.');
const invalid = errorObject(401, 'unauthorized', 'The access token is invalid or expired.');

describe.each([
  ...routes.map((declared) => ({ name: nameOf(declared), ...requestOf(declared, { itemID: 'ANY' }) })),
  { name: 'GET of an unknown path', method: 'GET', path: '/Nothing' },
  { name: 'GET of another family', method: 'GET', path: '/PurchaseOrder' },
  { name: 'PATCH of a known path', method: 'PATCH', path: '/Item' },
])('$name', ({ method, path, ...options }) => {
  test.each([
    ['no token', {}, missing, 'Bearer'],
    [
      'a token that the service did not issue',
      { Authorization: 'Bearer not.a.token' },
      invalid,
      'Bearer error="invalid_token"',
    ],
  ])('401: %s', async (_what, headers, body, challenge) => {
    const answer = await send(service.baseUrl, method, path, { ...options, headers });
    expectAnswer(answer, 401, body);
    expect(answer.headers.get('WWW-Authenticate')).toBe(challenge);
  });
});

test.each(['Basic YTpi', 'Bearer', 'Bearer ', 'Token abc', 'Bearer a b'])(
  '401: the header "Authorization: %s"',
  async (Authorization) => {
    expectAnswer(await send(service.baseUrl, 'GET', '/Item', { headers: { Authorization } }), 401, invalid);
  },
);

test('200: the scheme in any case', async () => {
  const { token } = await service.client();
  const headers = { Authorization: `bearer ${token}` };
  expect((await send(service.baseUrl, 'GET', '/Item', { headers })).status).toBe(200);
});

test('401: a client that was disabled after it got its token', async () => {
  const client = await service.client();
  await service.sql`update client set disabled = true where client_id = ${client.clientId}`;
  expectAnswer(await client.get('/Item'), 401, invalid);
});
