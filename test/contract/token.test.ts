import { expect, test } from 'vitest';
import { errorObject, expectAnswer } from '../harness/answers.ts';
import { type ApiAnswer, createApiClient, send } from '../harness/api-client.ts';
import { uniqueName, useService } from '../harness/service.ts';

const service = useService({ apis: 2 });

const wrongSecret = {
  ...errorObject(401, 'invalid_client', 'The client is unknown or its secret is wrong.'),
  error_description: 'The client is unknown or its secret is wrong.',
};

function refusal(error: string, message: string) {
  return { ...errorObject(400, error, message), error_description: message };
}

function requestToken(
  form: string | Record<string, string>,
  headers: Record<string, string> = {},
  baseUrl = service.baseUrl,
): Promise<ApiAnswer> {
  return send(baseUrl, 'POST', '/Token', {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
  });
}

function credentials(clientId: string, secret: string) {
  return { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
}

function basic(clientId: string, secret: string): Record<string, string> {
  const text = `${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`;
  return { Authorization: `Basic ${Buffer.from(text).toString('base64')}` };
}

test('200: an access token of type bearer and its lifetime', async () => {
  const client = await service.client();
  const answer = await requestToken(credentials(client.clientId, client.secret));
  expectAnswer(answer, 200, { access_token: expect.any(String), token_type: 'bearer', expires_in: 3600 });
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
  expect(answer.headers.get('X-API-Version')).toBe('v1');
  const list = await createApiClient(service.baseUrl, client.clientId, answer.body.access_token).get('/Item');
  expect(list.status).toBe(200);
});

test('200: the same with the credentials by HTTP Basic', async () => {
  const client = await service.client();
  const answer = await requestToken(
    { grant_type: 'client_credentials' },
    basic(client.clientId, client.secret),
  );
  expectAnswer(answer, 200, { access_token: expect.any(String), token_type: 'bearer', expires_in: 3600 });
});

test('the token is a signed JWT that carries no rights', async () => {
  const client = await service.client();
  const [header, payload] = client.token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
  expect(header).toEqual({ alg: 'EdDSA', kid: expect.any(String), typ: 'JWT' });
  expect(payload).toEqual({
    sub: client.clientId,
    iss: expect.any(String),
    aud: expect.any(String),
    iat: expect.any(Number),
    exp: payload.iat + 3600,
    jti: expect.any(String),
  });
});

test('401 invalid_client: a wrong secret and an unknown client answer alike', async () => {
  const client = await service.client();
  const wrong = await requestToken(credentials(client.clientId, 'wrong'));
  const unknown = await requestToken(credentials(uniqueName('nobody'), 'wrong'));
  expectAnswer(wrong, 401, wrongSecret);
  expectAnswer(unknown, 401, wrongSecret);
  expect(wrong.headers.get('Cache-Control')).toBe('no-store');
  const byBasic = await requestToken({ grant_type: 'client_credentials' }, basic(client.clientId, 'wrong'));
  expectAnswer(byBasic, 401, wrongSecret);
  expect(byBasic.headers.get('WWW-Authenticate')).toMatch(/^Basic /);
});

test('401 invalid_client: a disabled client', async () => {
  const client = await service.client();
  await service.sql`update client set disabled = true where client_id = ${client.clientId}`;
  expectAnswer(await requestToken(credentials(client.clientId, client.secret)), 401, wrongSecret);
});

test('401 invalid_client: an id with NUL, which no client has', async () => {
  expectAnswer(await requestToken(credentials('a\u0000b', 'x')), 401, wrongSecret);
});

test('400 unsupported_grant_type: any grant but client_credentials', async () => {
  const answer = await requestToken({ grant_type: 'password', client_id: 'a', client_secret: 'b' });
  expectAnswer(answer, 400, refusal('unsupported_grant_type', 'grant_type must be client_credentials.'));
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
});

test.each([
  ['no grant_type', 'client_id=a&client_secret=b'],
  ['no client_id', 'grant_type=client_credentials&client_secret=b'],
  ['no client_secret', 'grant_type=client_credentials&client_id=a'],
  ['nothing', ''],
  ['a parameter given twice', 'grant_type=client_credentials&client_id=a&client_id=a&client_secret=b'],
])('400 invalid_request: %s', async (_what, form) => {
  expectAnswer(await requestToken(form), 400, refusal('invalid_request', expect.any(String)));
});

test('400 invalid_request: a body that is not a form', async () => {
  const answer = await requestToken('{"grant_type":"client_credentials"}', {
    'Content-Type': 'application/json',
  });
  const message = 'The body must be sent as application/x-www-form-urlencoded.';
  expectAnswer(answer, 400, refusal('invalid_request', message));
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
});

test('400 invalid_request: credentials in two ways at once', async () => {
  const client = await service.client();
  const twice = await requestToken(
    credentials(client.clientId, client.secret),
    basic(client.clientId, client.secret),
  );
  expectAnswer(twice, 400, refusal('invalid_request', 'Client credentials must be sent in one way only.'));
});

test('400 invalid_request: HTTP Basic, and another client_id in the form', async () => {
  const client = await service.client();
  const other = await service.client();
  const answer = await requestToken(
    { grant_type: 'client_credentials', client_id: other.clientId },
    basic(client.clientId, client.secret),
  );
  const message = 'client_id is not that of the Authorization header.';
  expectAnswer(answer, 400, refusal('invalid_request', message));
  const same = await requestToken(
    { grant_type: 'client_credentials', client_id: client.clientId },
    basic(client.clientId, client.secret),
  );
  expect(same.status).toBe(200);
});

test.each(['%%%', '', 'YTpi=YTpi', 'YTpiY', 'YTpj====', 'YTpi YTpi', 'YQ=='])(
  '401 invalid_client: "Basic %s", which is no base64 of an id and a secret',
  async (credentials) => {
    const answer = await requestToken(
      { grant_type: 'client_credentials' },
      { Authorization: `Basic ${credentials}` },
    );
    const message = 'The Authorization header is malformed.';
    expectAnswer(answer, 401, {
      ...errorObject(401, 'invalid_client', message),
      error_description: message,
    });
    expect(answer.headers.get('WWW-Authenticate')).toMatch(/^Basic /);
  },
);

test('405: another method than POST, with Allow', async () => {
  const answer = await send(service.baseUrl, 'GET', '/Token');
  expectAnswer(answer, 405, errorObject(405, 'bad_request', 'Method not allowed; allowed: POST.'));
  expect(answer.headers.get('Allow')).toBe('POST');
});

test('413: a form of more than 64 KB', async () => {
  const answer = await requestToken(`grant_type=client_credentials&x=${'x'.repeat(65_536)}`);
  expectAnswer(answer, 413, errorObject(413, 'bad_request', 'The body is larger than 65536 bytes.'));
});

test('429: too many failures of one client, over all api processes; successes do not count', async () => {
  const client = await service.client();
  const good = credentials(client.clientId, client.secret);
  for (let count = 0; count < 15; count++) expect((await requestToken(good)).status).toBe(200);
  for (let count = 0; count < 10; count++) {
    const answer = await requestToken(credentials(client.clientId, 'wrong'), {}, service.baseUrls[count % 2]);
    expect(answer.status).toBe(401);
  }
  for (const baseUrl of service.baseUrls) {
    const blocked = await requestToken(good, {}, baseUrl);
    expectAnswer(blocked, 429, { message: 'Too many failed attempts; try again later.' });
    expect(Number(blocked.headers.get('Retry-After'))).toBeGreaterThan(0);
  }
  const other = await service.client();
  expect((await requestToken(credentials(other.clientId, other.secret))).status).toBe(200);
});
