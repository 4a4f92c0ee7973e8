import { setTimeout } from 'node:timers/promises';
import {
  createKeyRing,
  createSigningKey,
  type KeyRing,
  namesUnknownKey,
  signerAt,
  signToken,
  tokenLifetimeSeconds,
  type VerifiedToken,
  verifyToken,
} from '@inventory/auth/token';
import { looksLive } from '@inventory/auth/token-shape';
import { isOutage } from '@inventory/db/pool';
import {
  addFirstSigningKey,
  deleteRetiredHalves,
  readPrivateHalves,
  readVerifyingKeys,
} from '@inventory/db/signing-keys';
import type { StatementPool } from '@inventory/db/statement-pool';
import type { Log } from '@inventory/process/log';
import { TooLateError, within } from '@inventory/process/within';
import { createKnownTokens } from './known-tokens.ts';
import { type Caller, createVerifyTurns } from './verify-turns.ts';

// A withdrawn key stops within a second: this, and the time of one statement.
const maxAgeMs = 500;
// A look that takes longer is left alone, and another goes by another connection: the first may have died
// without a word. More than what makes the connection suspect, less than callers wait.
const readWithinMs = 600;
// A key that nobody here knows may have been made a moment ago: the keys are read again for it, so often at
// most.
const restMs = 50;
const tidyEveryMs = 15_000;
// So long a client that asks again gets the token that it has: a signature a minute for each client, however
// often it asks.
const sameTokenSeconds = 60;
const rememberedClientsMax = 10_000;
// Nobody waits longer for Postgres to be recognized.
const authenticateWithinMs = 1000;

/** `expiresIn`: how long it lives, seconds. */
export type IssuedToken = { token: string; expiresIn: number };

export type TokenKeys = {
  /**
   * What `lookUp` finds for the claims of a token; null when the token is not live, or its key is unknown,
   * has ended or was withdrawn.
   */
  verify<T>(
    token: string,
    caller: Caller,
    lookUp: (claims: VerifiedToken) => Promise<T | null>,
  ): Promise<T | null>;
  /** `tokensFrom`: seconds since 1970, see `ClientWithTokens`; the token is none of before. */
  issue(clientId: string, tokensFrom: number): Promise<IssuedToken>;
};

/**
 * The keys that verify and sign tokens, as the database has them, at most half a second old whenever they are
 * used; makes the first one when there is none. `now`: milliseconds since 1970, by the clock of Postgres:
 * every process changes to a new key at the same moment. `isSpent`: see `createAuthenticator`.
 */
export async function createTokenKeys(
  pool: StatementPool,
  now: () => number,
  log: Log,
  isSpent: (address: string) => Promise<boolean>,
): Promise<TokenKeys> {
  let ring: KeyRing = { verifying: new Map(), signing: [] };
  let ringOf = '';
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;
  const known = createKnownTokens();
  const inTurn = createVerifyTurns(isSpent);
  const issued = new Map<string, { token: Promise<string>; issuedAt: number; kid: string }>();

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

  /**
   * Resolves when the keys were read at `at` (of `performance.now()`) or later; callers at once share a look,
   * and looks rest between. Throws TooLateError when they were not, in the time that callers wait.
   */
  async function readSince(at: number): Promise<void> {
    const startedAt = performance.now();
    while (readAt < at) {
      reading ??= readRested().finally(() => {
        reading = null;
      });
      await reading.catch((error) => {
        const hasLeft = performance.now() - startedAt > authenticateWithinMs;
        if (hasLeft || !(error instanceof TooLateError)) throw error;
      });
    }
  }

  async function readRested() {
    const restLeftMs = readAt + restMs - performance.now();
    if (restLeftMs > 0) await setTimeout(restLeftMs);
    await within(readWithinMs, read());
  }

  /** The client that a token speaks for, when the token was never seen before. */
  async function look(token: string, caller: Caller): Promise<VerifiedToken | null> {
    // The process that made the token knew the key before.
    if (namesUnknownKey(ring, token)) await within(authenticateWithinMs, readSince(performance.now()));
    if (namesUnknownKey(ring, token)) return null;
    return inTurn(caller, async () => {
      // It may have been sent many times before the first was verified.
      const seen = known.find(token, now());
      if (seen !== undefined) return seen;
      const claims = await verifyToken(ring, token, new Date(now()));
      if (claims !== null) known.add(token, claims);
      return claims;
    });
  }

  async function tidy() {
    const retired = ring.signing.some(({ until }) => until <= now());
    if (!retired) return;
    await pool.run(deleteRetiredHalves);
    // Nothing else says that they are gone: this process need not keep them either.
    ring = { ...ring, signing: ring.signing.filter(({ until }) => until > now()) };
  }

  const readLately = () => readSince(performance.now() - maxAgeMs);
  // A start has more time than a request.
  await read();
  if (![...ring.verifying.values()].some(({ until }) => until === Number.POSITIVE_INFINITY)) {
    const key = await createSigningKey();
    await pool.run((sql) => addFirstSigningKey(sql, key));
    await read();
  }
  const failed = (err: unknown) => {
    if (!isOutage(err)) log.warn({ err }, 'the private halves of retired keys are not deleted');
  };
  // Keys that were left while no process ran.
  void pool.run(deleteRetiredHalves).catch(failed);
  setInterval(() => void readLately().then(tidy).catch(failed), tidyEveryMs).unref();

  return {
    async verify(token, caller, lookUp) {
      // A text that is no token of ours, or an old one, costs nothing more.
      const seen = known.find(token, now());
      if (seen === undefined && !looksLive(token, new Date(now()))) return null;
      // Beside everything else: whoever comes half a second after the last one waits for two statements at
      // once.
      const lately = readLately();
      lately.catch(() => {});
      const claims = seen === undefined ? await look(token, caller) : seen;
      if (claims === null) return null;
      const [found] = await within(authenticateWithinMs, Promise.all([lookUp(claims), lately]));
      return ring.verifying.has(claims.kid) ? found : null;
    },
    async issue(clientId, tokensFrom) {
      await within(authenticateWithinMs, readLately());
      const at = Math.max(Math.floor(now() / 1000), tokensFrom);
      const kid = signerAt(ring, at * 1000);
      const kept = issued.get(clientId);
      const isYoung = kept !== undefined && at >= kept.issuedAt && at - kept.issuedAt < sameTokenSeconds;
      if (isYoung && kept.issuedAt >= tokensFrom && kept.kid === kid) {
        return { token: await kept.token, expiresIn: kept.issuedAt + tokenLifetimeSeconds - at };
      }
      const token = signToken(ring, clientId, new Date(at * 1000));
      if (issued.size >= rememberedClientsMax) issued.clear();
      issued.set(clientId, { token, issuedAt: at, kid });
      token.catch(() => issued.delete(clientId));
      known.add(await token, { clientId, issuedAt: at, expiresAt: at + tokenLifetimeSeconds, kid });
      return { token: await token, expiresIn: tokenLifetimeSeconds };
    },
  };
}
