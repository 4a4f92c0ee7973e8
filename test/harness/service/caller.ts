import { createSecret, digestSecret } from '@inventory/auth/secret';
import { addClient } from '@inventory/db/access/clients';
import type { Sql } from '@inventory/postgres/pool';

// For programs that are no tests.

/** Adds a client with every permission in the warehouses 1 to `warehouses`. Returns its secret. */
export async function addCaller(sql: Sql, clientId: string, warehouses: number): Promise<string> {
  const secret = createSecret();
  await addClient(sql, {
    clientId,
    permissions: [11, 15, 88, 95, 116],
    wids: Array.from({ length: warehouses }, (_, index) => index + 1),
    readOnly: false,
    rateLimit: 1_000_000_000,
    operationsPerMinute: 1_000_000_000,
    secretDigest: digestSecret(secret),
  });
  return secret;
}

/** Asks for a token, and gives the whole answer. */
export function askToken(origin: string, clientId: string, secret: string): Promise<Response> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
  return fetch(`${origin}/api/v1/Token`, { method: 'POST', body: new URLSearchParams(form) });
}

export async function fetchToken(origin: string, clientId: string, secret: string): Promise<string> {
  const answer = await askToken(origin, clientId, secret);
  return ((await answer.json()) as { access_token: string }).access_token;
}
