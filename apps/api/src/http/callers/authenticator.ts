import type { Client } from '@inventory/auth/client';
import type { StatementPool } from '@inventory/postgres/statement-pool';
import type { Log } from '@inventory/process/log/log';
import { createClientCache, type KnownClient } from './client-cache.ts';
import { createTokenKeys, type IssuedToken } from './token-keys.ts';
import type { Caller } from './verify-turns.ts';

/** A client and the expiry of its token. `tokenExpiresAt`: milliseconds since 1970. */
export type AuthenticatedClient = Client &
  Pick<KnownClient, 'scopeNo' | 'scopeKnownAt' | 'readAt'> & { tokenExpiresAt: number };

export type Authenticator = {
  /**
   * Returns the client of a token with its current rights. Null if the token is not live or was revoked, or
   * the client no longer exists.
   */
  authenticate(token: string, caller: Caller): Promise<AuthenticatedClient | null>;
  /**
   * Issues a token to a client that sent the right secret. `tokensFrom`: the client's own value, read
   * together with the secret. `askedAt`: `now` before they were read. The token is no younger, so whatever
   * ends all tokens after the read ends this one, even if the process stood still in between.
   */
  issueToken(clientId: string, tokensFrom: number, askedAt?: number): Promise<IssuedToken>;
  /** Milliseconds since 1970, by the clock of tokens. */
  now(): number;
};

/**
 * Verifies tokens and reads clients. Creates the first signing key if there is none. `now`: milliseconds
 * since 1970, by a clock that all processes share, so that they agree on the age of a token. `isSpent`:
 * whether an address has used up its budget for unknown callers; see docs/decisions/0012.
 */
export async function createAuthenticator(
  pool: StatementPool,
  now: () => number,
  log: Log,
  isSpent: (address: string) => Promise<boolean>,
): Promise<Authenticator> {
  const keys = await createTokenKeys(pool, now, log, isSpent);
  const clients = createClientCache(pool);
  return {
    authenticate: (token, caller) =>
      keys.verify(token, caller, async ({ clientId, issuedAt, expiresAt }) => {
        const found = await clients.find(clientId);
        if (found === null) return null;
        const { tokensFrom, ...client } = found;
        return issuedAt < tokensFrom ? null : { ...client, tokenExpiresAt: expiresAt * 1000 };
      }),
    issueToken: keys.issue,
    now,
  };
}
