import crypto, { randomBytes } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { createSecret, digestSecret, isSecretOf } from '@inventory/auth/secret';
import { openAnswer, signAnswer } from '@inventory/queue/signature';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { fixedKeys } from '../harness/queue/envelopes.ts';
import { askToken } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();

// The time of a comparison cannot be measured here; but every digest can be shown to go through the
// constant-time one.
const compared = vi.spyOn(crypto, 'timingSafeEqual');

beforeAll(() => {
  syncBuiltinESMExports();
});
afterAll(() => {
  compared.mockRestore();
  syncBuiltinESMExports();
});
beforeEach(() => {
  compared.mockClear();
});

test('every live secret is compared in constant time, also after one has matched', () => {
  const [first, second, wrong] = [createSecret(), createSecret(), createSecret()];
  const digests = [digestSecret(first), digestSecret(second)];
  for (const [secret, isOne] of [
    [first, true],
    [second, true],
    [wrong, false],
    [`${first}x`, false],
    ['', false],
  ] as const) {
    compared.mockClear();
    expect(isSecretOf(secret, digests)).toBe(isOne);
    expect(compared.mock.calls).toEqual(digests.map((digest) => [digestSecret(secret), digest]));
  }
});

test.each([0, 1, 2])('a client with %i secrets costs two comparisons', (count) => {
  const secrets = Array.from({ length: count }, createSecret);
  const digests = secrets.map(digestSecret);
  expect(isSecretOf(createSecret(), digests)).toBe(false);
  expect(compared).toHaveBeenCalledTimes(2);
  for (const secret of secrets) {
    compared.mockClear();
    expect(isSecretOf(secret, digests)).toBe(true);
    expect(compared).toHaveBeenCalledTimes(2);
  }
});

test('401 costs the same number of comparisons for a wrong secret as for an unknown client', async () => {
  const { clientId } = await service.client();
  for (const asked of [clientId, `${clientId}-nobody`]) {
    compared.mockClear();
    const answer = await askToken(service.baseUrl, { clientId: asked, secret: 'wrong' });
    expect(answer.status).toBe(401);
    expect(compared, asked).toHaveBeenCalledTimes(2);
  }
});

test('a signature from Redis is compared in constant time', async () => {
  const place = { queue: 'q', jobId: '1' };
  const keys = await fixedKeys();
  const { mac, ...rest } = signAnswer(keys, place, [['applied', '{}']]);
  const forged = randomBytes(32);
  expect(openAnswer(keys, place, { ...rest, mac: forged.toString('base64url') })).toBeNull();
  expect(openAnswer(keys, place, { ...rest, mac })).toEqual([['applied', '{}']]);
  const right = Buffer.from(mac, 'base64url');
  expect(compared.mock.calls).toEqual([
    [forged, right],
    [right, right],
  ]);
  keys.stop();
});

test('a secret is 256 random bits', () => {
  const secrets = Array.from({ length: 1000 }, createSecret);
  expect(new Set(secrets).size).toBe(1000);
  for (const secret of secrets) expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
});
