import type { Client } from '@inventory/auth/client';
import {
  createKeyRing,
  createSigningKey,
  type KeyRing,
  namesUnknownKey,
  signToken,
  type VerifiedToken,
  verifyToken,
} from '@inventory/auth/token';
import { readClients } from '@inventory/db/clients';
import { addSigningKey, readSigningKeys } from '@inventory/db/signing-keys';
import type { StatementPool } from '@inventory/db/statement-pool';

// Revoked rights stop within a second: this, and the time of one statement.
const clientMaxAgeMs = 500;
const keysMaxAgeMs = 15_000;
// A new key signs only when every process has surely read it.
const keySettleSeconds = 60;
const rememberedTokensMax = 10_000;
const rememberedClientsMax = 10_000;

export type Authenticator = {
  /** Who sent the token and what it may do now; null for a token that is not live, or a client that is gone. */
  authenticate(token: string): Promise<Client | null>;
  signToken(clientId: string): Promise<string>;
};

/**
 * Verifies tokens and knows the clients; makes the first signing key when there is none. `now`: milliseconds since 1970, by a clock
 * that every process goes by, so that each finds a token as old as the others do.
 */
export async function createAuthenticator(pool: StatementPool, now: () => number): Promise<Authenticator> {
  let ring: KeyRing;
  let ringReadAt = 0;
  // A signature costs more than the rest of a request; a token is the same text each time.
  const verified = new Map<string, VerifiedToken>();
  const clients = createClientCache(pool);

  async function readRing() {
    const keys = await pool.run(readSigningKeys);
    ring = await createKeyRing(keys, new Date(now()), keySettleSeconds);
    ringReadAt = performance.now();
    // A key that was withdrawn takes its tokens along.
    verified.clear();
  }

  async function verify(token: string): Promise<VerifiedToken | null> {
    const known = verified.get(token);
    if (known !== undefined) return known.expiresAt * 1000 > now() ? known : null;
    const age = performance.now() - ringReadAt;
    if (age > keysMaxAgeMs || (age > 1000 && namesUnknownKey(ring, token))) await readRing();
    const claims = await verifyToken(ring, token, new Date(now()));
    if (claims === null) return null;
    if (verified.size >= rememberedTokensMax) verified.clear();
    verified.set(token, claims);
    return claims;
  }

  if ((await pool.run(readSigningKeys)).length === 0) {
    const key = await createSigningKey();
    await pool.run((sql) => addSigningKey(sql, key, { onlyFirst: true }));
  }
  await readRing();
  setInterval(() => readRing().catch(() => {}), keysMaxAgeMs).unref();

  return {
    async authenticate(token) {
      const claims = await verify(token);
      return claims === null ? null : clients.find(claims.clientId);
    },
    signToken: (clientId) => signToken(ring, clientId, new Date(now())),
  };
}

/** Clients as the database has them, at most half a second old; callers that want the same one at once share a look. */
function createClientCache(pool: StatementPool) {
  const known = new Map<string, { client: Promise<Client | null>; readAt: number }>();

  return {
    find(clientId: string): Promise<Client | null> {
      const entry = known.get(clientId);
      if (entry !== undefined && performance.now() - entry.readAt < clientMaxAgeMs) return entry.client;
      const client = pool
        .run((sql) => readClients(sql, [clientId]))
        .then((found) => found.get(clientId) ?? null);
      // A failed look is not remembered: the next caller tries again.
      client.catch(() => known.delete(clientId));
      if (known.size >= rememberedClientsMax) known.clear();
      known.set(clientId, { client, readAt: performance.now() });
      return client;
    },
  };
}
