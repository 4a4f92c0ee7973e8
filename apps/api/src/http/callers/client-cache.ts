import { type ClientWithTokens, readClients } from '@inventory/db/access/clients';
import type { StatementPool } from '@inventory/db/postgres/statement-pool';
import { gather } from '../../turns/gather.ts';
import { insist } from '../../turns/insist.ts';

// Revoked rights end within a second: this time plus that of one statement.
const clientMaxAgeMs = 500;
const rememberedClientsMax = 10_000;
// Nothing has looked up the keys of a request whose client cannot be read, so its answer would be doubtful. A
// connection that ends must not cause that.
const readAgainForMs = 1500;

/**
 * Reads clients from the database; they are at most half a second old. Callers that need the same client at
 * once share a read. If a whole fleet wakes up at once, a few statements read all of its clients.
 */
export function createClientCache(pool: StatementPool) {
  const known = new Map<string, { client: Promise<ClientWithTokens | null>; readAt: number }>();
  const readOnce = gather(pool, async (sql, clientIds: readonly string[]) => {
    const found = await readClients(sql, clientIds);
    return clientIds.map((clientId) => found.get(clientId) ?? null);
  });

  const read = (clientId: string) => insist(performance.now() + readAgainForMs, () => readOnce(clientId));

  return {
    find(clientId: string): Promise<ClientWithTokens | null> {
      const entry = known.get(clientId);
      if (entry !== undefined && performance.now() - entry.readAt < clientMaxAgeMs) return entry.client;
      const client = read(clientId);
      // A failed read is not kept: the next caller tries again.
      client.catch(() => {
        if (known.get(clientId)?.client === client) known.delete(clientId);
      });
      if (known.size >= rememberedClientsMax) known.clear();
      known.set(clientId, { client, readAt: performance.now() });
      return client;
    },
  };
}
