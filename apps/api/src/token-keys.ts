import { setTimeout } from 'node:timers/promises';
import {
  createKeyRing,
  createSigningKey,
  type KeyRing,
  namesUnknownKey,
  signToken,
  type VerifiedToken,
  verifyToken,
} from '@inventory/auth/token';
import { isOutage } from '@inventory/db/client';
import {
  addFirstSigningKey,
  deleteRetiredHalves,
  readPrivateHalves,
  readVerifyingKeys,
} from '@inventory/db/signing-keys';
import type { StatementPool } from '@inventory/db/statement-pool';
import type { Log } from '@inventory/process/log';

// A withdrawn key stops within a second: this, and the time of one statement.
const maxAgeMs = 500;
// A key that nobody here knows may have been made a moment ago: the keys are read again for it, so often at most.
const restMs = 50;
const tidyEveryMs = 15_000;
const rememberedTokensMax = 10_000;

export type TokenKeys = {
  /** What `look` finds for the client of a token; null when the token is not live, or its key is unknown, has ended or was withdrawn. */
  verify<T>(token: string, look: (clientId: string) => Promise<T | null>): Promise<T | null>;
  sign(clientId: string): Promise<string>;
};

/**
 * The keys that verify and sign tokens, as the database has them, at most half a second old whenever they are used; makes the first one when there
 * is none. `now`: milliseconds since 1970, by the clock of Postgres: every process changes to a new key at the same moment.
 */
export async function createTokenKeys(pool: StatementPool, now: () => number, log: Log): Promise<TokenKeys> {
  let ring: KeyRing = { verifying: new Map(), signing: [] };
  let ringOf = '';
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;
  // A signature costs more than the rest of a request; a token is the same text each time.
  const verified = new Map<string, VerifiedToken>();

  async function read() {
    const startedAt = performance.now();
    const keys = await pool.run(readVerifyingKeys);
    const text = JSON.stringify(keys);
    // The private halves leave the database only when there is something new.
    if (text !== ringOf) {
      ring = await createKeyRing(keys, await pool.run(readPrivateHalves));
      ringOf = text;
    }
    readAt = startedAt;
  }

  /** Resolves when the keys were read at `at` (of `performance.now()`) or later; callers at once share a look, and looks rest between. */
  async function readSince(at: number): Promise<void> {
    while (readAt < at) {
      reading ??= readRested().finally(() => {
        reading = null;
      });
      await reading;
    }
  }

  async function readRested() {
    const restLeftMs = readAt + restMs - performance.now();
    if (restLeftMs > 0) await setTimeout(restLeftMs);
    await read();
  }

  async function find(token: string): Promise<VerifiedToken | null> {
    const known = verified.get(token);
    if (known !== undefined) return known.expiresAt * 1000 > now() ? known : null;
    // Whoever made the token knew the key before.
    if (namesUnknownKey(ring, token)) await readSince(performance.now());
    const claims = await verifyToken(ring, token, new Date(now()));
    if (claims === null) return null;
    if (verified.size >= rememberedTokensMax) verified.clear();
    verified.set(token, claims);
    return claims;
  }

  async function tidy() {
    const retired = ring.signing.some(({ until }) => until <= now());
    if (!retired) return;
    await pool.run(deleteRetiredHalves);
    // Nothing else says that they are gone: this process need not keep them either.
    ring = { ...ring, signing: ring.signing.filter(({ until }) => until > now()) };
  }

  const readLately = () => readSince(performance.now() - maxAgeMs);
  await readLately();
  if (![...ring.verifying.values()].some(({ until }) => until === Number.POSITIVE_INFINITY)) {
    const key = await createSigningKey();
    await pool.run((sql) => addFirstSigningKey(sql, key));
    await read();
  }
  const failed = (err: unknown) => {
    if (!isOutage(err)) log.warn({ err }, 'the private halves of retired keys are not deleted');
  };
  // What was left while no process ran.
  void pool.run(deleteRetiredHalves).catch(failed);
  setInterval(() => void readLately().then(tidy).catch(failed), tidyEveryMs).unref();

  return {
    async verify(token, look) {
      // Beside everything else: whoever comes half a second after the last one waits for two statements at once.
      const lately = readLately();
      lately.catch(() => {});
      const claims = await find(token);
      if (claims === null) return null;
      const [found] = await Promise.all([look(claims.clientId), lately]);
      return ring.verifying.has(claims.kid) ? found : null;
    },
    async sign(clientId) {
      await readLately();
      return signToken(ring, clientId, new Date(now()));
    },
  };
}
