import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  sign,
} from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { createSigningKey } from '@inventory/auth/token';
import { readPrivateHalves, rotateSigningKey } from '@inventory/db/access/signing-keys';
import { describe, expect, test } from 'vitest';
import { errorObject, expectAnswer } from '../harness/contract/answers.ts';
import { type ApiClient, createApiClient, send } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();

const invalid = errorObject(401, 'unauthorized', 'The access token is invalid or expired.');

type Claims = Record<string, unknown>;

function encode(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function partsOf(token: string): { header: Claims; claims: Claims } {
  const [header, claims] = token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
  return { header, claims };
}

async function serviceKey() {
  const [key] = await readPrivateHalves(service.sql);
  return createPrivateKey({ key: key!.privateJwk as never, format: 'jwk' });
}

/** A token signed with the service's own key, with any content. */
async function signed(header: unknown, claims: unknown): Promise<string> {
  const input = `${encode(header)}.${encode(claims)}`;
  return `${input}.${sign(null, Buffer.from(input), await serviceKey()).toString('base64url')}`;
}

async function expectInvalid(client: ApiClient, token: string) {
  const answer = await createApiClient(service.baseUrl, client.clientId, token).get('/Item');
  expectAnswer(answer, 401, invalid);
  expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer error="invalid_token"');
}

test('200: a token signed here as the service signs it, so that the refusals below mean something', async () => {
  const client = await service.client();
  const { header, claims } = partsOf(client.token);
  const token = await signed(header, { ...claims, jti: randomUUID() });
  expect((await createApiClient(service.baseUrl, client.clientId, token).get('/Item')).status).toBe(200);
});

describe('401: a claim missing or wrong', () => {
  test.each(['exp', 'iat', 'sub', 'jti', 'iss', 'aud'])('without %s', async (name) => {
    const client = await service.client();
    const { header, claims } = partsOf(client.token);
    await expectInvalid(client, await signed(header, { ...claims, [name]: undefined }));
  });

  test.each([
    ['expired', { exp: Math.floor(Date.now() / 1000) - 1 }],
    ['an expiry that is text', { exp: '9999999999' }],
    ['not valid yet', { nbf: Math.floor(Date.now() / 1000) + 600 }],
    ['another issuer', { iss: 'someone-else' }],
    ['another audience', { aud: 'another-api' }],
    ['a client that does not exist', { sub: 'nobody' }],
    ['a subject that is no text', { sub: 5 }],
    ['an empty subject', { sub: '' }],
    ['a subject with NUL', { sub: 'a\u0000b' }],
    ['an id that is a number', { jti: 5 }],
    ['an id that is an object', { jti: {} }],
    ['an empty id', { jti: '' }],
    ['issued at a time that is text', { iat: '1' }],
    [
      'issued in the future',
      { iat: Math.floor(Date.now() / 1000) + 600, exp: Math.floor(Date.now() / 1000) + 4200 },
    ],
    [
      'a life of more than an hour',
      { iat: Math.floor(Date.now() / 1000) - 60, exp: Math.floor(Date.now() / 1000) + 3541 },
    ],
    ['a life of a century', { exp: Math.floor(Date.now() / 1000) + 3_000_000_000 }],
  ])('%s', async (_what, change) => {
    const client = await service.client();
    const { header, claims } = partsOf(client.token);
    await expectInvalid(client, await signed(header, { ...claims, ...change }));
  });

  test('claims that are not an object', async () => {
    const client = await service.client();
    const { header } = partsOf(client.token);
    for (const claims of [null, [], 'x', 5]) await expectInvalid(client, await signed(header, claims));
  });
});

describe('401: another algorithm or key', () => {
  test.each(['none', 'None', 'NONE', ''])('alg "%s" without a signature', async (alg) => {
    const client = await service.client();
    const { header, claims } = partsOf(client.token);
    await expectInvalid(client, `${encode({ ...header, alg })}.${encode(claims)}.`);
    await expectInvalid(client, `${encode({ alg })}.${encode(claims)}`);
  });

  test('HS256 with the public key as the secret', async () => {
    const client = await service.client();
    const { header, claims } = partsOf(client.token);
    const publicKey = createPublicKey(await serviceKey());
    for (const secret of [
      publicKey.export({ type: 'spki', format: 'pem' }) as string,
      publicKey.export({ type: 'spki', format: 'der' }) as Buffer,
      Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url'),
    ]) {
      const input = `${encode({ ...header, alg: 'HS256' })}.${encode(claims)}`;
      const signature = createHmac('sha256', secret).update(input).digest('base64url');
      await expectInvalid(client, `${input}.${signature}`);
    }
  });

  test('RS256, and EdDSA by the sender’s own key, named or carried along', async () => {
    const client = await service.client();
    const { header, claims } = partsOf(client.token);
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const rsInput = `${encode({ ...header, alg: 'RS256' })}.${encode(claims)}`;
    await expectInvalid(
      client,
      `${rsInput}.${sign('sha256', Buffer.from(rsInput), rsa.privateKey).toString('base64url')}`,
    );
    const own = generateKeyPairSync('ed25519');
    for (const ownHeader of [
      header,
      { ...header, kid: 'mine' },
      { ...header, kid: undefined },
      { ...header, kid: '../../etc/passwd' },
      { ...header, kid: '__proto__' },
      { ...header, jwk: own.publicKey.export({ format: 'jwk' }) },
      { ...header, jku: 'http://127.0.0.1:1/keys' },
    ]) {
      const input = `${encode(ownHeader)}.${encode(claims)}`;
      await expectInvalid(
        client,
        `${input}.${sign(null, Buffer.from(input), own.privateKey).toString('base64url')}`,
      );
    }
  });

  test('an unknown critical header', async () => {
    const client = await service.client();
    const { header, claims } = partsOf(client.token);
    await expectInvalid(client, await signed({ ...header, crit: ['x'], x: 1 }, claims));
  });
});

describe('401: a header that the service would not write', () => {
  test.each([
    ['no type', { typ: undefined }],
    ['the type in small letters', { typ: 'jwt' }],
    ['a media type', { typ: 'application/JWT' }],
    ['another type', { typ: 'at+jwt' }],
    ['a type that is no text', { typ: ['JWT'] }],
    ['a critical b64', { crit: ['b64'], b64: true }],
    ['a payload that is not encoded', { crit: ['b64'], b64: false }],
    ['b64', { b64: true }],
    ['nothing critical', { crit: [] }],
  ])('%s', async (_what, change) => {
    const client = await service.client();
    const { header, claims } = partsOf(client.token);
    await expectInvalid(client, await signed({ ...header, ...change }, { ...claims, jti: randomUUID() }));
  });
});

test('401: a token that was changed in any part', async () => {
  const client = await service.client();
  expect((await client.get('/Item')).status).toBe(200);
  const [header = '', claims = '', signature = ''] = client.token.split('.');
  const other = await service.client();
  const otherClaims = encode({ ...partsOf(client.token).claims, sub: other.clientId });
  const flipped = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
  for (const token of [
    `${header}.${otherClaims}.${signature}`,
    `${header}.${claims}.${flipped}`,
    `${header}.${claims}.`,
    `${header}.${claims}`,
    `${header}.${claims}.${signature}.${signature}`,
    `${header}..${signature}`,
    `.${claims}.${signature}`,
    '..',
    'x'.repeat(8000),
    encode({ alg: 'EdDSA' }),
  ]) {
    await expectInvalid(client, token);
  }
});

test('401: the token in the query or in the body', async () => {
  const client = await service.client();
  const answer = await send(service.baseUrl, 'GET', `/Item?access_token=${client.token}`);
  expectAnswer(answer, 401, errorObject(401, 'unauthorized', 'Authentication is required.'));
});

test('200: an added signing key is trusted at once and signs later', async () => {
  const client = await service.client();
  const { header, claims } = partsOf(client.token);
  const key = await createSigningKey();
  await rotateSigningKey(service.sql, key);
  const input = `${encode({ ...header, kid: key.kid })}.${encode({ ...claims, jti: randomUUID() })}`;
  const privateKey = createPrivateKey({ key: key.privateJwk as never, format: 'jwk' });
  const token = `${input}.${sign(null, Buffer.from(input), privateKey).toString('base64url')}`;
  const byNewKey = createApiClient(service.baseUrl, client.clientId, token);
  await expect.poll(async () => (await byNewKey.get('/Item')).status).toBe(200);
  expect((await client.get('/Item')).status).toBe(200);
  // For at most half a second a process signs by the keys it read before.
  await setTimeout(1000);
  expect(partsOf((await service.client()).token).header.kid).toBe(header.kid);
});
