import { createSecret, digestSecret } from '@inventory/auth/secret';
import { addSecret } from '@inventory/db/access/clients';
import { request } from 'undici';
import { beforeEach, describe, expect, test } from 'vitest';
import { errorObject, expectAnswer, inChunks } from '../harness/contract/answers.ts';
import { type ApiAnswer, createApiClient, send } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

// Behind a proxy, so that each test has its own address, whose limit earlier tests have not used.
const service = useService({ apis: 2, env: { TRUST_PROXY: '1' } });
let address: string;
let addressCount = 0;

/** An address that no other test has. */
function newAddress(): string {
  addressCount += 1;
  return `198.51.${100 + Math.floor(addressCount / 250)}.${addressCount % 250}`;
}

beforeEach(() => {
  address = newAddress();
});

function refusal(error: string, message: string, status = 400) {
  return { ...errorObject(status, error, message), error_description: message };
}

const wrongSecret = refusal('invalid_client', 'The client is unknown or its secret is wrong.', 401);

function requestToken(
  form: string | Record<string, string>,
  headers: Record<string, string> = {},
  baseUrl = service.baseUrl,
): Promise<ApiAnswer> {
  return send(baseUrl, 'POST', '/Token', {
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      'X-Forwarded-For': address,
      ...headers,
    },
    body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
  });
}

const grant = { grant_type: 'client_credentials' };

type Credentials = { clientId: string; secret: string };

function credentials({ clientId, secret }: Credentials) {
  return { ...grant, client_id: clientId, client_secret: secret };
}

function basic({ clientId, secret }: Credentials): Record<string, string> {
  const text = `${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`;
  return { Authorization: `Basic ${Buffer.from(text).toString('base64')}` };
}

const wrong = ({ clientId }: { clientId: string }) => ({ clientId, secret: uniqueName('wrong') });
const nobody = () => ({ clientId: uniqueName('nobody'), secret: uniqueName('wrong') });

// From the process that has not given the client a token yet: the other one repeats its own for a minute.
const elsewhere = () => service.baseUrls[1];
const issued = { access_token: expect.any(String), token_type: 'bearer', expires_in: 3600 };

test('200: an access token of type bearer and its lifetime', async () => {
  const client = await service.client();
  const answer = await requestToken(credentials(client), {}, elsewhere());
  expectAnswer(answer, 200, issued);
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
  expect(answer.headers.get('X-API-Version')).toBe('v1');
  const list = await createApiClient(service.baseUrl, client.clientId, answer.body.access_token).get('/Item');
  expect(list.status).toBe(200);
});

test('200: the same with the credentials in HTTP Basic', async () => {
  const client = await service.client();
  expectAnswer(await requestToken(grant, basic(client), elsewhere()), 200, issued);
});

test('the token is a signed JWT without rights', async () => {
  const client = await service.client();
  const [header, payload] = client.token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
  const text = expect.any(String);
  expect(header).toEqual({ alg: 'EdDSA', kid: text, typ: 'JWT' });
  const { iat } = payload;
  expect(payload).toEqual({ sub: client.clientId, iss: text, aud: text, iat, exp: iat + 3600, jti: text });
});

test('401 invalid_client: a wrong secret and an unknown client answer alike', async () => {
  const client = wrong(await service.client());
  const answers = [
    await requestToken(credentials(client)),
    await requestToken(credentials(nobody())),
    // An id that no client has.
    await requestToken(credentials({ clientId: 'a\u0000b', secret: 'x' })),
    await requestToken(grant, basic(client)),
  ];
  for (const answer of answers) {
    expectAnswer(answer, 401, wrongSecret);
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
  }
  expect(answers.at(-1)!.headers.get('WWW-Authenticate')).toMatch(/^Basic /);
});

test('401 invalid_client: a disabled client', async () => {
  const client = await service.client();
  await service.sql`update client set disabled = true where client_id = ${client.clientId}`;
  expectAnswer(await requestToken(credentials(client)), 401, wrongSecret);
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

test.each([
  [
    'unsupported_grant_type',
    'any grant but client_credentials',
    'grant_type=password&client_id=a&client_secret=b',
    {},
    'grant_type must be client_credentials.',
  ],
  [
    'invalid_request',
    'a body that is not a form',
    '{"grant_type":"client_credentials"}',
    { 'Content-Type': 'application/json' },
    'The body must be sent as application/x-www-form-urlencoded.',
  ],
  [
    'invalid_request',
    'credentials in two ways at once',
    credentials({ clientId: 'a', secret: 'b' }),
    basic({ clientId: 'a', secret: 'b' }),
    'Client credentials must be sent in one way only.',
  ],
  [
    'invalid_request',
    'HTTP Basic, and another client_id in the form',
    { ...grant, client_id: 'b' },
    basic({ clientId: 'a', secret: 'b' }),
    'client_id is not that of the Authorization header.',
  ],
])('400 %s: %s', async (error, _what, form, headers, message) => {
  const answer = await requestToken(form, headers);
  expectAnswer(answer, 400, refusal(error, message));
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
});

test('200: HTTP Basic, and the same client_id in the form', async () => {
  const client = await service.client();
  const answer = await requestToken({ ...grant, client_id: client.clientId }, basic(client));
  expect(answer.status).toBe(200);
});

test.each(['%%%', '', 'YTpi=YTpi', 'YTpiY', 'YTpj====', 'YTpi YTpi', 'YQ=='])(
  '401 invalid_client: "Basic %s", which is not base64 of an id and a secret',
  async (text) => {
    const answer = await requestToken(grant, { Authorization: `Basic ${text}` });
    expectAnswer(answer, 401, refusal('invalid_client', 'The Authorization header is malformed.', 401));
    expect(answer.headers.get('WWW-Authenticate')).toMatch(/^Basic /);
  },
);

test('413: a form of more than 4 KB', async () => {
  const ofBytes = (bytes: number) => requestToken('grant_type=client_credentials&x='.padEnd(bytes, 'x'));
  expect((await ofBytes(4096)).status).toBe(400);
  const tooLarge = errorObject(413, 'bad_request', 'The body is larger than 4096 bytes.');
  expectAnswer(await ofBytes(4097), 413, tooLarge);
});

test('415: a compressed form', async () => {
  const answer = await requestToken(grant, { 'Content-Encoding': 'gzip' });
  expectAnswer(answer, 415, errorObject(415, 'bad_request', 'The body must not be compressed.'));
  expect(answer.headers.get('Accept-Encoding')).toBe('identity');
});

const tooMany = { message: 'Too many failed attempts; try again later.' };

/** Sends this many wrong secrets at once over both processes; returns the number of answers by status. */
async function sendWrong(count: number, as: () => { clientId: string }, from = () => address) {
  const answers = await inChunks(count, 40, (index) =>
    requestToken(credentials(wrong(as())), { 'X-Forwarded-For': from() }, service.baseUrls[index % 2]),
  );
  for (const answer of answers.filter(({ status }) => status === 429)) {
    expectAnswer(answer, 429, tooMany);
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
  }
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/**
 * Waits until the processes count together: a process that Redis did not answer at once, as may happen in the
 * first moments of a slow machine, counts alone for a second.
 */
async function untilCountedTogether() {
  const counts = () => {
    const from = newAddress();
    return sendWrong(12, nobody, () => from);
  };
  await expect.poll(counts).toEqual({ 401: 10, 429: 2 });
}

// On a slow machine a process that hears late from Redis counts alone, as when Redis is away.
const again = { retry: 3 };

describe('wrong secrets', () => {
  beforeEach(untilCountedTogether);

  test.each([
    ['for one client id', (client: Credentials) => client, newAddress],
    ['from one address', nobody, () => address],
  ])(
    '401 ten times in a window of 60 s, then 429, however many arrive at once: %s',
    again,
    async (_what, as, from) => {
      const client = await service.client();
      expect(await sendWrong(400, () => as(client), from)).toEqual({ 401: 10, 429: 390 });
    },
  );

  test('200: the right secret, whatever wrong ones came for its id and from its address', again, async () => {
    const client = await service.client();
    expect(await sendWrong(40, () => client)).toEqual({ 401: 10, 429: 30 });
    for (const baseUrl of service.baseUrls) {
      const other = { 'X-Forwarded-For': newAddress() };
      expect((await requestToken(credentials(client), {}, baseUrl)).status).toBe(200);
      expect((await requestToken(credentials(client), other, baseUrl)).status).toBe(200);
      expect((await requestToken(grant, basic(client), baseUrl)).status).toBe(200);
    }
    // A right one is not counted, and does not give a wrong one another try.
    expect(await sendWrong(20, () => client)).toEqual({ 429: 20 });
  });

  test('200: every right secret sent among wrong ones at the same moment', again, async () => {
    const client = await service.client();
    const answers = await inChunks(400, 40, (index) => {
      const form = credentials(index % 4 === 0 ? client : wrong(client));
      return requestToken(form, {}, service.baseUrls[index % 2]);
    });
    const rights = answers.filter((_, index) => index % 4 === 0);
    expect(rights.map(({ status }) => status)).toEqual(Array(100).fill(200));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
  });

  test(
    '429 for a used-up address leaves other addresses alone, and its refused attempts do not use up a client id',
    again,
    async () => {
      const client = await service.client();
      expect(await sendWrong(10, nobody)).toEqual({ 401: 10 });
      expect(await sendWrong(30, () => client)).toEqual({ 429: 30 });
      expect(await sendWrong(12, () => client, newAddress)).toEqual({ 401: 10, 429: 2 });
    },
  );

  test('a new secret is right at once, and a revoked one is wrong', async () => {
    const { clientId, secret: oldest } = await service.client();
    const [middle, newest] = [createSecret(), createSecret()];
    const statusOf = async (secret: string) => (await requestToken(credentials({ clientId, secret }))).status;
    expect(await statusOf(middle)).toBe(401);
    await addSecret(service.sql, clientId, digestSecret(middle));
    expect(await statusOf(middle)).toBe(200);
    await addSecret(service.sql, clientId, digestSecret(newest));
    expect([await statusOf(newest), await statusOf(oldest)]).toEqual([200, 401]);
  });

  test('401 invalid_client: an id of 3 KB, which no client has; each of many at once gets its own answer', async () => {
    const client = await service.client();
    const { secret } = client;
    const ids = ['x'.repeat(3000), '{"a","b\\\\"}', client.clientId, uniqueName('nobody')];
    const answers = await Promise.all(ids.map((clientId) => requestToken(credentials({ clientId, secret }))));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 200, 401]);
  });
});

describe('behind a proxy', () => {
  beforeEach(untilCountedTogether);

  test('addresses that the caller writes itself change nothing: one more is 429', again, async () => {
    const invented = () => `${newAddress()}, ${address}`;
    expect(await sendWrong(30, nobody, invented)).toEqual({ 401: 10, 429: 20 });
  });

  test('the proxy’s entry counts, even in its own header line', again, async () => {
    const lines = ['10.1.1.1', `${address}:4711`].flatMap((from) => ['x-forwarded-for', from]);
    const headers = ['content-type', 'application/x-www-form-urlencoded', ...lines];
    const body = new URLSearchParams(credentials(nobody())).toString();
    const statuses = [];
    for (let count = 0; count < 11; count++) {
      const answer = await request(`${service.baseUrl}/Token`, { method: 'POST', headers, body });
      await answer.body.dump();
      statuses.push(answer.statusCode);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
  });

  test('an IPv6 caller is its /64', again, async () => {
    const net = `2001:db8:${addressCount}`;
    const anywhere = () => `${net}:7:${Math.floor(Math.random() * 65_535).toString(16)}::1`;
    expect(await sendWrong(20, nobody, anywhere)).toEqual({ 401: 10, 429: 10 });
    expect(await sendWrong(1, nobody, () => `${net}:8::1`)).toEqual({ 401: 1 });
  });
});
