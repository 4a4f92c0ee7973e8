import * as crypto from 'node:crypto';
import { createSecret, digestSecret, isSecretOf } from '@inventory/auth/secret';
import { beforeEach, expect, test, vi } from 'vitest';

// The time of a comparison cannot be measured here; that every digest goes through the one that takes constant time can.
vi.mock(import('node:crypto'), async (importOriginal) => {
  const original = await importOriginal();
  return { ...original, timingSafeEqual: vi.fn(original.timingSafeEqual) };
});
const compared = vi.mocked(crypto.timingSafeEqual);

beforeEach(() => {
  compared.mockClear();
});

test('every live secret is compared in constant time, none left out once one has matched', () => {
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

test('a client that does not exist costs one comparison too, and has no secret', () => {
  expect(isSecretOf(createSecret(), [])).toBe(false);
  expect(compared).toHaveBeenCalledTimes(1);
});
