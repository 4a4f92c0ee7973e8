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
import {
  addFirstSigningKey,
  deleteRetiredHalves,
  readPrivateHalves,
  readVerifyingKeys,
} from '@inventory/db/access/signing-keys';
import { isOutage, isUnanswered } from '@inventory/postgres/pool';
import type { StatementPool } from '@inventory/postgres/statement-pool';
import type { Log } from '@inventory/process/log/log';
import { lookEvery } from '@inventory/process/look-every';
import { TooLateError, within } from '@inventory/process/within';
import { createKnownTokens } from './known-tokens.ts';
import { type Caller, createVerifyTurns } from './verify-turns.ts';

// A withdrawn key stops verifying within a second: this age plus one statement.
const maxAgeMs = 500;
// A read that takes longer is abandoned, and another starts on another connection, because the first may have
// died silently. Longer than a connection takes to become suspect, shorter than callers wait.
const readWithinMs = 600;
// A key id that is unknown here may be new, so the keys are read again, at most this often.
const restMs = 50;
// A connection that has ended is replaced by then.
const againAfterMs = 200;
const tidyEveryMs = 15_000;
// A client that asks again within this time gets the same token, so it costs at most one signature a minute.
const sameTokenSeconds = 60;
const rememberedClientsMax = 10_000;
// The longest that a caller waits for Postgres while it is authenticated.
const authenticateWithinMs = 1000;

/** `expiresIn`: lifetime in seconds. */
export type IssuedToken = { token: string; expiresIn: number };

export type TokenKeys = {
  /**
   * Returns the result of `lookUp` for the claims of a token. Null if the token is not live, or its key is
   * unknown, has ended or was withdrawn.
   */
  verify<T>(
    token: string,
    caller: Caller,
    lookUp: (claims: VerifiedToken) => Promise<T | null>,
  ): Promise<T | null>;
  /**
   * `tokensFrom`: seconds since 1970, see `ClientWithTokens`. The token is never from before that time.
   * `askedAt`: see `Authenticator`.
   */
  issue(clientId: string, tokensFrom: number, askedAt?: number): Promise<IssuedToken>;
};

/**
 * The keys that verify and sign tokens. They are at most half a second old when they are used. Creates the
 * first key if there is none. `now`: milliseconds since 1970, by the clock of Postgres, so that all processes
 * change to a new key at the same moment. `isSpent`: see `createAuthenticator`.
 */
export async function createTokenKeys(
  pool: StatementPool,
  now: () => number,
  log: Log,
  isSpent: (address: string) => Promise<boolean>,
): Promise<TokenKeys> {
  const keys = new ReadKeys(pool);
  const known = createKnownTokens();
  const inTurn = createVerifyTurns(isSpent);
  const issued = new Map<string, { token: Promise<string>; issuedAt: number; kid: string }>();

  /** Verifies a token that this process has not seen before; null if it is not valid. */
  async function look(token: string, caller: Caller): Promise<VerifiedToken | null> {
    // The issuer knew the key before it signed, so a read that starts now finds it.
    if (namesUnknownKey(keys.ring, token))
      await within(authenticateWithinMs, keys.readSince(performance.now()));
    if (namesUnknownKey(keys.ring, token)) return null;
    return inTurn(caller, async () => {
      // The same token may have been verified for another request while this one waited.
      const seen = known.find(token, now());
      if (seen !== undefined) return seen;
      const claims = await verifyToken(keys.ring, token, new Date(now()));
      if (claims !== null) known.add(token, claims);
      return claims;
    });
  }

  async function tidy() {
    const retired = keys.ring.signing.some(({ until }) => until <= now());
    if (!retired) return;
    await pool.run(deleteRetiredHalves);
    // Ended keys are removed from memory as well.
    const { ring } = keys;
    keys.ring = { ...ring, signing: ring.signing.filter(({ until }) => until > now()) };
  }

  const readLately = () => keys.readSince(performance.now() - maxAgeMs);
  // Unlike a request, a start has no deadline.
  await keys.read();
  if (![...keys.ring.verifying.values()].some(({ until }) => until === Number.POSITIVE_INFINITY)) {
    const key = await createSigningKey();
    await pool.run((sql) => addFirstSigningKey(sql, key));
    await keys.read();
  }
  const failed = (err: unknown) => {
    if (!isOutage(err)) log.warn({ err }, 'the private keys of retired signing keys could not be deleted');
  };
  // Deletes the keys that ended while no process was running.
  void pool.run(deleteRetiredHalves).catch(failed);
  lookEvery(tidyEveryMs, () => readLately().then(tidy).catch(failed));

  return {
    async verify(token, caller, lookUp) {
      // Foreign text and expired tokens end here, before any work.
      const seen = known.find(token, now());
      if (seen === undefined && !looksLive(token, new Date(now()))) return null;
      // Both reads run at once, so a caller that finds both the keys and its client stale waits only once.
      const lately = readLately();
      lately.catch(() => {});
      const claims = seen === undefined ? await look(token, caller) : seen;
      if (claims === null) return null;
      const [found] = await within(authenticateWithinMs, Promise.all([lookUp(claims), lately]));
      return keys.ring.verifying.has(claims.kid) ? found : null;
    },
    async issue(clientId, tokensFrom, askedAt = now()) {
      await within(authenticateWithinMs, readLately());
      const at = Math.max(Math.floor(askedAt / 1000), tokensFrom);
      const leftFrom = Math.max(Math.floor(now() / 1000), at);
      const kid = signerAt(keys.ring, at * 1000);
      const kept = issued.get(clientId);
      const isYoung = kept !== undefined && at >= kept.issuedAt && at - kept.issuedAt < sameTokenSeconds;
      if (isYoung && kept.issuedAt >= tokensFrom && kept.kid === kid) {
        return { token: await kept.token, expiresIn: kept.issuedAt + tokenLifetimeSeconds - leftFrom };
      }
      const token = signToken(keys.ring, clientId, new Date(at * 1000));
      if (issued.size >= rememberedClientsMax) issued.clear();
      issued.set(clientId, { token, issuedAt: at, kid });
      token.catch(() => issued.delete(clientId));
      known.add(await token, { clientId, issuedAt: at, expiresAt: at + tokenLifetimeSeconds, kid });
      return { token: await token, expiresIn: at + tokenLifetimeSeconds - leftFrom };
    },
  };
}

/** The keys as they were last read. */
class ReadKeys {
  ring: KeyRing = { verifying: new Map(), signing: [] };
  readonly #pool: StatementPool;
  #ringOf = '';
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;

  constructor(pool: StatementPool) {
    this.#pool = pool;
  }

  async read(): Promise<void> {
    const startedAt = performance.now();
    const keys = await this.#pool.run(readVerifyingKeys);
    const text = JSON.stringify(keys);
    // The private halves are read only when the keys have changed.
    if (text !== this.#ringOf) {
      this.ring = await createKeyRing(keys, await this.#pool.run(readPrivateHalves));
      this.#ringOf = text;
    }
    this.#readAt = startedAt;
  }

  /**
   * Resolves once the keys have been read at or after `at` (of `performance.now()`). Callers share reads,
   * which are at least `restMs` apart. Reads again if Postgres does not answer, as long as callers wait.
   */
  async readSince(at: number): Promise<void> {
    const startedAt = performance.now();
    while (this.#readAt < at) {
      this.#reading ??= this.#readRested().finally(() => {
        this.#reading = null;
      });
      await this.#reading.catch(async (error) => {
        const hasLeft = performance.now() - startedAt > authenticateWithinMs;
        if (hasLeft || !isUnanswered(error)) throw error;
        if (!(error instanceof TooLateError)) await setTimeout(againAfterMs);
      });
    }
  }

  async #readRested() {
    const restLeftMs = this.#readAt + restMs - performance.now();
    if (restLeftMs > 0) await setTimeout(restLeftMs);
    await within(readWithinMs, this.read());
  }
}
