import * as crypto from 'node:crypto';
import { createSigningKey } from '@inventory/auth/token';
import { readPrivateHalves, rotateSigningKey } from '@inventory/db/access/signing-keys';
import { beforeAll, expect, test } from 'vitest';
import { errorObject, expectAnswer } from '../harness/contract/answers.ts';
import { type ApiClient, createApiClient, send } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';
import { encodePart as encode, kidOf, partsOf, signToken } from '../harness/service/tokens.ts';
import { untilRightsHold } from '../harness/watch/rights-hold.ts';

const service = useService();

type Part = Record<string, unknown>;
let client: ApiClient;
let header: Part;
let claims: Part;
let serviceKey: crypto.KeyObject;
const own = crypto.generateKeyPairSync('ed25519');

beforeAll(async () => {
  client = await service.client();
  [header, claims] = partsOf(client.token);
  const [key] = await readPrivateHalves(service.sql);
  serviceKey = crypto.createPrivateKey({ key: key!.privateJwk as never, format: 'jwk' });
});

/** A token with any content, signed with the service's own key. */
const signed = (anyHeader: unknown, anyClaims: unknown) => signToken(anyHeader, anyClaims, serviceKey);

const ask = (token: string) => createApiClient(service.baseUrl, client.clientId, token).get('/Item');

async function expectInvalid(token: string) {
  const answer = await ask(token);
  expectAnswer(answer, 401, errorObject(401, 'unauthorized', 'The access token is invalid or expired.'));
  expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer error="invalid_token"');
}

test('200: a token signed here as the service signs it, so that the refusals below mean something', async () => {
  expect((await ask(signed(header, { ...claims, jti: crypto.randomUUID() }))).status).toBe(200);
});

const now = Math.floor(Date.now() / 1000);
const wrongClaims: [string, Part][] = [
  ...['exp', 'iat', 'sub', 'jti', 'iss', 'aud'].map((name): [string, Part] => [
    `no ${name}`,
    { [name]: undefined },
  ]),
  ['an expiry in the past', { exp: now - 1 }],
  ['an expiry that is text', { exp: '9999999999' }],
  ['a beginning in the future', { nbf: now + 600 }],
  ['another issuer', { iss: 'someone-else' }],
  ['another audience', { aud: 'another-api' }],
  ['a client that does not exist', { sub: 'nobody' }],
  ['a subject that is no text', { sub: 5 }],
  ['an empty subject', { sub: '' }],
  ['a subject with NUL', { sub: 'a\u0000b' }],
  ['an id that is a number', { jti: 5 }],
  ['an id that is an object', { jti: {} }],
  ['an empty id', { jti: '' }],
  ['a time of issue that is text', { iat: '1' }],
  ['a time of issue in the future', { iat: now + 600, exp: now + 4200 }],
  ['a life of more than an hour', { iat: now - 60, exp: now + 3541 }],
  ['a life of a century', { exp: now + 3_000_000_000 }],
];
const wrongHeaders: [string, Part][] = [
  ['no type', { typ: undefined }],
  ['the type in small letters', { typ: 'jwt' }],
  ['a media type', { typ: 'application/JWT' }],
  ['another type', { typ: 'at+jwt' }],
  ['a type that is no text', { typ: ['JWT'] }],
  ['an unknown critical header', { crit: ['x'], x: 1 }],
  ['a critical b64', { crit: ['b64'], b64: true }],
  ['a payload that is not encoded', { crit: ['b64'], b64: false }],
  ['b64', { b64: true }],
  ['nothing critical', { crit: [] }],
];

test.each([
  ...wrongClaims.map(([what, change]) => [what, {}, change] as const),
  ...wrongHeaders.map(([what, change]) => [what, change, {}] as const),
])('401: a token with %s', async (_what, changedHeader, changedClaims) => {
  const fresh = { ...claims, jti: crypto.randomUUID() };
  await expectInvalid(signed({ ...header, ...changedHeader }, { ...fresh, ...changedClaims }));
});

test('401: claims that are not an object', async () => {
  for (const each of [null, [], 'x', 5]) await expectInvalid(signed(header, each));
});

test('401: another algorithm, none, or the sender’s own key, named or carried along', async () => {
  for (const alg of ['none', 'None', 'NONE', '']) {
    await expectInvalid(`${encode({ ...header, alg })}.${encode(claims)}.`);
    await expectInvalid(`${encode({ alg })}.${encode(claims)}`);
  }
  const publicKey = crypto.createPublicKey(serviceKey);
  for (const secret of [
    publicKey.export({ type: 'spki', format: 'pem' }) as string,
    publicKey.export({ type: 'spki', format: 'der' }) as Buffer,
    Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url'),
  ]) {
    const input = `${encode({ ...header, alg: 'HS256' })}.${encode(claims)}`;
    await expectInvalid(`${input}.${crypto.createHmac('sha256', secret).update(input).digest('base64url')}`);
  }
  const rsa = crypto.generateKeyPairSync('rsa', { modulusLength: 2048 });
  await expectInvalid(signToken({ ...header, alg: 'RS256' }, claims, rsa.privateKey, 'sha256'));
  for (const change of [
    {},
    ...['mine', undefined, '../../etc/passwd', '__proto__'].map((kid) => ({ kid })),
    { jwk: own.publicKey.export({ format: 'jwk' }) },
    { jku: 'http://127.0.0.1:1/keys' },
  ])
    await expectInvalid(signToken({ ...header, ...change }, claims, own.privateKey));
});

test('401: a token that was changed in any part', async () => {
  expect((await client.get('/Item')).status).toBe(200);
  const [first = '', second = '', signature = ''] = client.token.split('.');
  const otherClaims = encode({ ...claims, sub: (await service.client()).clientId });
  const flipped = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
  for (const token of [
    `${first}.${otherClaims}.${signature}`,
    `${first}.${second}.${flipped}`,
    `${first}.${second}.`,
    `${first}.${second}`,
    `${first}.${second}.${signature}.${signature}`,
    `${first}..${signature}`,
    `.${second}.${signature}`,
    '..',
    'x'.repeat(8000),
    encode({ alg: 'EdDSA' }),
  ])
    await expectInvalid(token);
});

test('401: the token in the query', async () => {
  const answer = await send(service.baseUrl, 'GET', `/Item?access_token=${client.token}`);
  expectAnswer(answer, 401, errorObject(401, 'unauthorized', 'Authentication is required.'));
});

test('200: an added signing key is trusted at once and signs later', async () => {
  const key = await createSigningKey();
  await rotateSigningKey(service.sql, key);
  const privateKey = crypto.createPrivateKey({ key: key.privateJwk as never, format: 'jwk' });
  const token = signToken({ ...header, kid: key.kid }, { ...claims, jti: crypto.randomUUID() }, privateKey);
  await expect.poll(async () => (await ask(token)).status).toBe(200);
  expect((await client.get('/Item')).status).toBe(200);
  // For at most half a second a process signs by the keys it read before.
  await untilRightsHold();
  expect(kidOf((await service.client()).token)).toBe(header.kid);
});
