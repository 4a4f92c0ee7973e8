import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createSecret, digestSecret } from '@inventory/auth/secret';
import { addSecret } from '@inventory/db/access/clients';
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
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      'X-Forwarded-For': address,
      ...headers,
    },
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

// From the process that has not given the client a token yet: the other one repeats its own for a minute.
const elsewhere = () => service.baseUrls[1];
const issued = { access_token: expect.any(String), token_type: 'bearer', expires_in: 3600 };

test('200: an access token of type bearer and its lifetime', async () => {
  const client = await service.client();
  const answer = await requestToken(credentials(client.clientId, client.secret), {}, elsewhere());
  expectAnswer(answer, 200, issued);
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
  expect(answer.headers.get('X-API-Version')).toBe('v1');
  const list = await createApiClient(service.baseUrl, client.clientId, answer.body.access_token).get('/Item');
  expect(list.status).toBe(200);
});

test('200: the same with the credentials in HTTP Basic', async () => {
  const client = await service.client();
  const answer = await requestToken(
    { grant_type: 'client_credentials' },
    basic(client.clientId, client.secret),
    elsewhere(),
  );
  expectAnswer(answer, 200, issued);
});

test('the token is a signed JWT without rights', async () => {
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
  '401 invalid_client: "Basic %s", which is not base64 of an id and a secret',
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

test('405: any method but POST, with Allow', async () => {
  const answer = await send(service.baseUrl, 'GET', '/Token');
  expectAnswer(answer, 405, errorObject(405, 'bad_request', 'Method not allowed; allowed: POST.'));
  expect(answer.headers.get('Allow')).toBe('POST');
});

test('413: a form of more than 4 KB', async () => {
  const start = 'grant_type=client_credentials&x=';
  const ofBytes = (bytes: number) => requestToken(start.padEnd(bytes, 'x'));
  expect((await ofBytes(4096)).status).toBe(400);
  expectAnswer(
    await ofBytes(4097),
    413,
    errorObject(413, 'bad_request', 'The body is larger than 4096 bytes.'),
  );
});

test('415: a compressed form', async () => {
  const answer = await requestToken('grant_type=client_credentials', { 'Content-Encoding': 'gzip' });
  expectAnswer(answer, 415, errorObject(415, 'bad_request', 'The body must not be compressed.'));
  expect(answer.headers.get('Accept-Encoding')).toBe('identity');
});

const tooMany = { message: 'Too many failed attempts; try again later.' };

/** Sends this many wrong secrets at once over both processes; returns the number of answers by status. */
async function sendWrong(count: number, clientId: () => string, from = () => address) {
  const answers = await inChunks(count, 40, (index) =>
    requestToken(
      credentials(clientId(), uniqueName('wrong')),
      { 'X-Forwarded-For': from() },
      service.baseUrls[index % 2],
    ),
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
    return sendWrong(
      12,
      () => uniqueName('nobody'),
      () => from,
    );
  };
  await expect.poll(counts).toEqual({ 401: 10, 429: 2 });
}

// On a slow machine a process that hears late from Redis counts alone, as when Redis is away.
const again = { retry: 3 };

describe('wrong secrets', () => {
  beforeEach(untilCountedTogether);

  test(
    '401 ten times in a window of 60 s, then 429, however many arrive at once: for one client id',
    again,
    async () => {
      const client = await service.client();
      const counts = await sendWrong(400, () => client.clientId, newAddress);
      expect(counts).toEqual({ 401: 10, 429: 390 });
    },
  );

  test(
    '401 ten times in a window of 60 s, then 429, however many arrive at once: from one address',
    again,
    async () => {
      expect(await sendWrong(400, () => uniqueName('nobody'))).toEqual({ 401: 10, 429: 390 });
    },
  );

  test('200: the right secret, whatever wrong ones came for its id and from its address', again, async () => {
    const client = await service.client();
    const right = credentials(client.clientId, client.secret);
    expect(await sendWrong(40, () => client.clientId)).toEqual({ 401: 10, 429: 30 });
    for (const baseUrl of service.baseUrls) {
      for (const headers of [{}, { 'X-Forwarded-For': newAddress() }]) {
        expect((await requestToken(right, headers, baseUrl)).status).toBe(200);
      }
      const byBasic = { grant_type: 'client_credentials' };
      expect((await requestToken(byBasic, basic(client.clientId, client.secret), baseUrl)).status).toBe(200);
    }
    // A right one is not counted, and does not give a wrong one another try.
    expect(await sendWrong(20, () => client.clientId)).toEqual({ 429: 20 });
  });

  test('200: every right secret sent among wrong ones at the same moment', again, async () => {
    const client = await service.client();
    const right = credentials(client.clientId, client.secret);
    const answers = await inChunks(400, 40, (index) =>
      requestToken(
        index % 4 === 0 ? right : credentials(client.clientId, 'wrong'),
        {},
        service.baseUrls[index % 2],
      ),
    );
    const rights = answers.filter((_, index) => index % 4 === 0);
    expect(rights.map(({ status }) => status)).toEqual(Array(100).fill(200));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
  });

  test(
    '429 for a used-up address leaves other addresses alone, and its refused attempts do not use up a client id',
    again,
    async () => {
      const client = await service.client();
      expect(await sendWrong(10, () => uniqueName('nobody'))).toEqual({ 401: 10 });
      expect(await sendWrong(30, () => client.clientId)).toEqual({ 429: 30 });
      expect(await sendWrong(12, () => client.clientId, newAddress)).toEqual({ 401: 10, 429: 2 });
    },
  );

  test('a new secret is right at once, and a revoked one is wrong', async () => {
    const client = await service.client();
    const [oldest, middle, newest] = [client.secret, createSecret(), createSecret()];
    expect((await requestToken(credentials(client.clientId, middle))).status).toBe(401);
    await addSecret(service.sql, client.clientId, digestSecret(middle));
    expect((await requestToken(credentials(client.clientId, middle))).status).toBe(200);
    await addSecret(service.sql, client.clientId, digestSecret(newest));
    expect((await requestToken(credentials(client.clientId, newest))).status).toBe(200);
    expect((await requestToken(credentials(client.clientId, oldest))).status).toBe(401);
  });

  test('401 invalid_client: an id of 3 KB, which no client has; each of many at once gets its own answer', async () => {
    const client = await service.client();
    const answers = await Promise.all([
      requestToken(credentials('x'.repeat(3000), 'wrong')),
      requestToken(credentials('{"a","b\\\\"}', 'wrong')),
      requestToken(credentials(client.clientId, client.secret)),
      requestToken(credentials(uniqueName('nobody'), client.secret)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 200, 401]);
  });
});

describe('behind a proxy', () => {
  beforeEach(untilCountedTogether);

  test('addresses that the caller writes itself change nothing: one more is 429', again, async () => {
    const invented = () => `${newAddress()}, ${address}`;
    expect(await sendWrong(30, () => uniqueName('nobody'), invented)).toEqual({ 401: 10, 429: 20 });
  });

  test('the proxy’s entry counts, even in its own header line', again, async () => {
    const lines = `X-Forwarded-For: 10.1.1.1\r\nX-Forwarded-For: ${address}:4711`;
    const body = new URLSearchParams(credentials(uniqueName('nobody'), 'wrong')).toString();
    const statuses = [];
    for (let count = 0; count < 11; count++) statuses.push(await sendLines(lines, body));
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
  });

  test('an IPv6 caller is its /64', again, async () => {
    const net = `2001:db8:${addressCount}:7`;
    const anywhere = () => `${net}:${Math.floor(Math.random() * 65_535).toString(16)}::1`;
    expect(await sendWrong(20, () => uniqueName('nobody'), anywhere)).toEqual({ 401: 10, 429: 10 });
    expect(
      await sendWrong(
        1,
        () => uniqueName('nobody'),
        () => `2001:db8:${addressCount}:8::1`,
      ),
    ).toEqual({
      401: 1,
    });
  });
});

/** Posts a form with these header lines as they are; returns the status. */
async function sendLines(lines: string, body: string): Promise<number> {
  const { port } = new URL(service.baseUrl);
  const socket = connect(Number(port), '127.0.0.1');
  const type = 'Content-Type: application/x-www-form-urlencoded';
  socket.write(
    `POST /api/v1/Token HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${type}\r\n${lines}\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  const answer = (await text(socket)).split(' ');
  return Number(answer[1]);
}
