import { type ClientWithTokens, readClients } from '@inventory/db/clients';
import type { StatementPool } from '@inventory/db/statement-pool';
import { gather } from '../gather.ts';

// Revoked rights stop within a second: this, and the time of one statement.
const clientMaxAgeMs = 500;
const rememberedClientsMax = 10_000;

/**
 * Clients as the database has them, at most half a second old. Callers that want the same one at once share a
 * look, and a fleet that wakes up in one moment has its clients read by a few statements.
 */
export function createClientCache(pool: StatementPool) {
  const known = new Map<string, { client: Promise<ClientWithTokens | null>; readAt: number }>();
  const read = gather(pool, async (sql, clientIds: readonly string[]) => {
    const found = await readClients(sql, clientIds);
    return clientIds.map((clientId) => found.get(clientId) ?? null);
  });

  return {
    find(clientId: string): Promise<ClientWithTokens | null> {
      const entry = known.get(clientId);
      if (entry !== undefined && performance.now() - entry.readAt < clientMaxAgeMs) return entry.client;
      const client = read(clientId);
      // A failed look is not remembered: the next caller tries again.
      client.catch(() => {
        if (known.get(clientId)?.client === client) known.delete(clientId);
      });
      if (known.size >= rememberedClientsMax) known.clear();
      known.set(clientId, { client, readAt: performance.now() });
      return client;
    },
  };
}
