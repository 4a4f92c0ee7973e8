import { createPrivateKey, randomUUID } from 'node:crypto';
import { createAuthenticator } from '@inventory/api/http/callers/authenticator';
import { createVerifyTurns } from '@inventory/api/http/callers/verify-turns';
import { createKeyRing, createSigningKey, verifyToken } from '@inventory/auth/token';
import { looksLive } from '@inventory/auth/token-shape';
import {
  keySettleSeconds,
  readPrivateHalves,
  readVerifyingKeys,
  rotateSigningKey,
} from '@inventory/db/access/signing-keys';
import { connect } from '@inventory/postgres/pool';
import { createStatementPool, type StatementPool } from '@inventory/postgres/statement-pool';
import { createLog } from '@inventory/process/log/log';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useService } from '../harness/service/service.ts';
import { forgeToken, partsOf, signToken } from '../harness/service/tokens.ts';

const service = useService();
const here = { address: '203.0.113.1', hasGone: () => false };

let pool: StatementPool;
let statements = 0;
/** The number of coming statements that are never answered. */
let swallowed = 0;

beforeAll(() => {
  const counted = createStatementPool({
    open: () => connect(service.databaseUrl, { name: 'tests', connectionsMax: 1 }),
    connectionsMax: 2,
    overrunMs: 20_000,
    limitMs: 30_000,
    waitMs: 30_000,
  });
  pool = {
    ...counted,
    run(work, wait) {
      statements += 1;
      swallowed -= 1;
      return swallowed >= 0 ? new Promise(() => {}) : counted.run(work, wait);
    },
  };
});
beforeEach(() => {
  statements = 0;
  swallowed = 0;
});
afterAll(() => pool.end());

/**
 * An authenticator in its own process, with a time that is set by hand. It asks whether an address is spent
 * before it verifies.
 */
async function startProcess() {
  const clock = { now: Date.now() };
  const verified = { count: 0 };
  const authenticator = await createAuthenticator(
    pool,
    () => clock.now,
    createLog('tests'),
    async () => {
      verified.count += 1;
      return false;
    },
  );
  return { clock, authenticator, verified };
}

const claimsOf = (token: string) => partsOf(token)[1];

/** A token that names a key nobody has. */
const invent = (token: string) => forgeToken(token, { header: { kid: randomUUID() } });

describe('the cost of an unknown token for the database', () => {
  test('nothing for a token that cannot be valid; one look for all that name a possibly new key, with a pause between looks', async () => {
    const { authenticator, verified } = await startProcess();
    const { token } = await authenticator.issueToken('somebody', 0);
    statements = 0;
    for (const each of ['garbage', `${token}x`, forgeToken(token, { claims: { exp: 1 } })]) {
      expect(await authenticator.authenticate(each, here)).toBeNull();
    }
    expect([statements, verified.count]).toEqual([0, 0]);
    expect(await authenticator.authenticate(forgeToken(token), here)).toBeNull();
    expect(verified.count).toBe(1);
    const before = performance.now();
    const invented = Array.from({ length: 300 }, () => invent(token));
    const answers = await Promise.all(invented.map((each) => authenticator.authenticate(each, here)));
    expect(new Set(answers)).toEqual(new Set([null]));
    // Twenty looks a second, and those that were under way.
    const seconds = (performance.now() - before) / 1000;
    expect(statements).toBeLessThanOrEqual(3 + 20 * seconds);
  });

  test('a look for keys that is never answered is replaced by another, so that nobody waits for ever', async () => {
    const { authenticator } = await startProcess();
    const { token } = await authenticator.issueToken('somebody', 0);
    swallowed = 1;
    const answer = authenticator.authenticate(invent(token), here);
    await expect(answer).resolves.toBeNull();
    expect(statements).toBeGreaterThan(1);
  });

  test('a look for keys does not forget the tokens that were verified before', async () => {
    const { authenticator, verified } = await startProcess();
    const client = await service.client();
    const { token } = await authenticator.issueToken(client.clientId, 0);
    await rotateSigningKey(service.sql, await createSigningKey());
    statements = 0;
    await authenticator.authenticate(invent(token), here);
    expect(statements).toBeGreaterThan(1);
    verified.count = 0;
    for (const each of [token, client.token, client.token]) {
      expect(await authenticator.authenticate(each, here)).toMatchObject({ clientId: client.clientId });
    }
    // The service's own token, once.
    expect(verified.count).toBe(1);
  });
});

describe('a client that asks for tokens again', () => {
  test('gets the same token for a minute, with its remaining life, and then another', async () => {
    const { authenticator, clock } = await startProcess();
    const { clientId } = await service.client();
    // By then the key that another test added signs.
    clock.now = Math.ceil(clock.now / 1000) * 1000 + 2 * keySettleSeconds * 1000;
    const first = await authenticator.issueToken(clientId, 0);
    expect(first.expiresIn).toBe(3600);
    clock.now += 59_000;
    expect(await authenticator.issueToken(clientId, 0)).toEqual({ token: first.token, expiresIn: 3541 });
    clock.now += 1000;
    const second = await authenticator.issueToken(clientId, 0);
    expect(second.expiresIn).toBe(3600);
    expect(second.token).not.toBe(first.token);
    for (const { token } of [first, second]) {
      expect(await authenticator.authenticate(token, here)).toMatchObject({ clientId });
      expect(claimsOf(token).sub).toBe(clientId);
    }
    clock.now = (claimsOf(second.token).exp as number) * 1000;
    for (const { token } of [first, second]) expect(await authenticator.authenticate(token, here)).toBeNull();
  });

  test('gets a new token when the client is another one, or the clock was set back', async () => {
    const { authenticator, clock } = await startProcess();
    const first = await authenticator.issueToken('one', 0);
    expect((await authenticator.issueToken('another', 0)).token).not.toBe(first.token);
    clock.now -= 10_000;
    const later = await authenticator.issueToken('one', 0);
    expect(later.expiresIn).toBe(3600);
    expect(later.token).not.toBe(first.token);
  });

  test('gets one that ends with all that were issued since its secret was read, however long that is ago', async () => {
    const { authenticator, clock } = await startProcess();
    const { clientId } = await service.client();
    clock.now = Math.ceil(clock.now / 1000) * 1000 + 4 * keySettleSeconds * 1000;
    const askedAt = clock.now;
    // The process stood still.
    clock.now += 20_000;
    const { token, expiresIn } = await authenticator.issueToken(clientId, 0, askedAt);
    expect([claimsOf(token).iat, expiresIn]).toEqual([askedAt / 1000, 3580]);
    expect(await authenticator.issueToken(clientId, 0, askedAt + 1000)).toEqual({ token, expiresIn: 3580 });
  });

  test('many at once cost one signature', async () => {
    const { authenticator } = await startProcess();
    const issued = await Promise.all(Array.from({ length: 100 }, () => authenticator.issueToken('crowd', 0)));
    expect(new Set(issued.map(({ token }) => token)).size).toBe(1);
  });
});

test('the first look at a token never refuses a valid one', async () => {
  const halves = await readPrivateHalves(service.sql);
  const now = new Date();
  const seconds = Math.floor(now.getTime() / 1000);
  const ring = await createKeyRing(await readVerifyingKeys(service.sql), halves);
  const key = createPrivateKey({ key: halves[0]!.privateJwk as never, format: 'jwk' });
  const [header, right] = partsOf((await service.client()).token);
  const odd = fc.oneof(
    fc.constant(undefined),
    fc.jsonValue(),
    fc.integer({ min: seconds - 5, max: seconds + 5 }),
  );
  const changes = fc.dictionary(fc.constantFrom('iss', 'aud', 'exp', 'iat', 'sub', 'jti', 'nbf'), odd, {
    maxKeys: 2,
  });
  let rightCount = 0;
  await fc.assert(
    fc.asyncProperty(changes, async (change) => {
      const claims = { ...right, ...change };
      const token = signToken({ ...header, kid: halves[0]!.kid }, claims, key);
      if ((await verifyToken(ring, token, now)) === null) return;
      rightCount += 1;
      expect(looksLive(token, now), JSON.stringify(claims)).toBe(true);
    }),
    { numRuns: 500 },
  );
  expect(rightCount).toBeGreaterThan(20);
});

describe('the turns of an address that has used up its budget', () => {
  test('one at a time, and another address after a single one of them, however many they are', async () => {
    const inTurn = createVerifyTurns(async (address) => address !== 'unspent');
    const order: string[] = [];
    const from = (address: string, name: string, hasGone = () => false) =>
      inTurn({ address, hasGone }, async () => {
        order.push(`${name} begins`);
        await new Promise(setImmediate);
        if (address !== 'unspent') order.push(`${name} ends`);
        return name;
      });
    const answers = await Promise.all([
      from('many', 'a'),
      from('many', 'b'),
      from('many', 'gone', () => true),
      from('many', 'c'),
      from('other', 'd'),
      from('unspent', 'e'),
    ]);
    expect(answers).toEqual(['a', 'b', null, 'c', 'd', 'e']);
    // A caller within its budget waits for nobody.
    const ofOthers = order.splice(order.indexOf('e begins'), 1);
    expect(ofOthers).toEqual(['e begins']);
    expect(order).toEqual(['a', 'b', 'd', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  test('a failed verification fails only its own caller', async () => {
    const inTurn = createVerifyTurns(async () => true);
    const failing = inTurn(here, () => Promise.reject(new Error('no')));
    const next = inTurn(here, async () => 'right');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('right');
  });
});
