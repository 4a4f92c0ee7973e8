import type { Client } from '@inventory/auth/client';
import type { StatementPool } from '@inventory/db/statement-pool';
import type { Log } from '@inventory/process/log';
import { createClientCache } from './client-cache.ts';
import { createTokenKeys, type IssuedToken } from './token-keys.ts';
import type { Caller } from './verify-turns.ts';

/** A client with the token that it sent. `tokenExpiresAt`: milliseconds since 1970. */
export type AuthenticatedClient = Client & { tokenExpiresAt: number };

export type Authenticator = {
  /**
   * The client that sent the token, with its rights now; null for a token that is not live or was ended, or
   * a client that is gone.
   */
  authenticate(token: string, caller: Caller): Promise<AuthenticatedClient | null>;
  /** A token for a client whose secret was right; `tokensFrom`: its own, as it was read with the secret. */
  issueToken(clientId: string, tokensFrom: number): Promise<IssuedToken>;
};

/**
 * Verifies tokens and knows the clients; makes the first signing key when there is none. `now`: milliseconds
 * since 1970, by a clock that every process goes by, so that each finds a token as old as the others do.
 * `isSpent`: whether an address has used up what unknown callers may cost there, see docs/decisions/0012.
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
  };
}
