import { type ClientWithTokens, readClients } from '@inventory/db/access/clients';
import type { StatementPool } from '@inventory/postgres/statement-pool';
import { askAgain } from '@inventory/turns/ask-again';
import { gather } from '@inventory/turns/gather';

// Revoked rights end within a second: this time plus that of one statement.
const clientMaxAgeMs = 500;
const rememberedClientsMax = 10_000;
// Until every process has seen a change of scope: longer than any of them keeps a client.
const scopeKnownAfterMs = 2 * clientMaxAgeMs;
// Nothing has looked up the keys of a request whose client cannot be read, so its answer would be doubtful. A
// connection that ends must not cause that.
const readAgainForMs = 1500;

/**
 * A client as it was when it was read. `readAt`: not before then. `scopeKnownAt`: from then on, every process
 * that finds this client finds this scope, or a later one. Times of `performance.now()`.
 */
export type KnownClient = Omit<ClientWithTokens, 'scopeAgeMs'> & { readAt: number; scopeKnownAt: number };

/**
 * Reads clients from the database; they are at most half a second old. Callers that need the same client at
 * once share a read. If a whole fleet wakes up at once, a few statements read all of its clients.
 */
export function createClientCache(pool: StatementPool) {
  const known = new Map<string, { client: Promise<KnownClient | null>; readAt: number }>();
  const scopes = new Map<string, Pick<KnownClient, 'scopeNo' | 'scopeKnownAt'>>();
  const readOnce = gather(pool, async (sql, clientIds: readonly string[]) => {
    const found = await readClients(sql, clientIds);
    return clientIds.map((clientId) => found.get(clientId) ?? null);
  });

  /** A change of scope that this process saw happen is young, whatever the clocks say. */
  function scopeKnownAt({ clientId, scopeNo, scopeAgeMs }: ClientWithTokens): number {
    const before = scopes.get(clientId);
    if (before?.scopeNo === scopeNo) return before.scopeKnownAt;
    const isYoung = before !== undefined || (scopeAgeMs >= 0 && scopeAgeMs < scopeKnownAfterMs);
    const knownAt = isYoung ? performance.now() + scopeKnownAfterMs : 0;
    if (scopes.size >= rememberedClientsMax) scopes.clear();
    scopes.set(clientId, { scopeNo, scopeKnownAt: knownAt });
    return knownAt;
  }

  async function read(clientId: string, readAt: number): Promise<KnownClient | null> {
    const client = await askAgain(readAt + readAgainForMs, () => readOnce(clientId));
    if (client === null) return null;
    const { scopeAgeMs, ...kept } = client;
    return { ...kept, readAt, scopeKnownAt: scopeKnownAt(client) };
  }

  return {
    find(clientId: string): Promise<KnownClient | null> {
      const entry = known.get(clientId);
      const readAt = performance.now();
      if (entry !== undefined && readAt - entry.readAt < clientMaxAgeMs) return entry.client;
      const client = read(clientId, readAt);
      // A failed read is not kept: the next caller tries again.
      client.catch(() => {
        if (known.get(clientId)?.client === client) known.delete(clientId);
      });
      if (known.size >= rememberedClientsMax) known.clear();
      known.set(clientId, { client, readAt });
      return client;
    },
  };
}
