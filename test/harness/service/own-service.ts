import { createSecret, digestSecret } from '@inventory/auth/secret';
import { addClient } from '@inventory/db/access/clients';
import { addWarehouse } from '@inventory/db/catalog/warehouses';
import { migrate } from '@inventory/db/migrate/migrate';
import type { Sql } from '@inventory/postgres/pool';
import { inject } from 'vitest';
import { addLogins } from '../servers/logins.ts';
import { type ApiAnswer, type ApiClient, createApiClient, takeToken, untilAnswered } from './api-client.ts';
import { startParts, uniqueName } from './service.ts';

/** The service on a test's own Postgres. */
export type OwnService = {
  /** One per api process. */
  baseUrls: string[];
  /** The internal port of each. */
  internalPorts: number[];
  /** The same client at each of them, with every permission in warehouses 1 and 2. */
  clients: ApiClient[];
  stop(): Promise<void>;
};

const clientId = 'everything';
const secret = createSecret();

/** Prepares an empty database for the service: tables, logins, a client. */
export async function prepareDatabase(sql: Sql, itemIds: readonly string[]): Promise<void> {
  await migrate(sql);
  await addLogins(sql, inject('logins'));
  await addWarehouse(sql, { wid: 1, name: 'Main' });
  await addWarehouse(sql, { wid: 2, name: 'Overflow' });
  await sql`
    insert into item (short_id, created_by)
    select short_id, 'tests' from unnest(${itemIds as string[]}::text[]) as short_id`;
  const scope = { permissions: [11, 15, 88, 95, 116], wids: [1, 2], readOnly: false };
  await addClient(sql, { clientId, ...scope, rateLimit: 100_000_000, secretDigest: digestSecret(secret) });
}

/** Starts the service on a prepared database. `env`: DATABASE_URL and further settings of each process. */
export async function startOwnService(options: {
  apis: number;
  workers: number;
  env: Record<string, string> & { DATABASE_URL: string };
}): Promise<OwnService> {
  const env = { INTERNAL_PORT: '0', ...options.env };
  const { apis, baseUrls, stop } = await startParts({ ...options, env });
  try {
    const token = await takeToken(baseUrls[0]!, { clientId, secret });
    const clients = baseUrls.map((baseUrl) =>
      createApiClient(baseUrl, clientId, token, { isPatient: false }),
    );
    return { baseUrls, internalPorts: apis.map(({ internalPort }) => internalPort!), clients, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Receives once, into warehouse 1 unless told otherwise, however often it has to be sent. */
export function receiveOnce(client: ApiClient, body: object): Promise<ApiAnswer> {
  const headers = { 'Idempotency-Key': uniqueName('receipt') };
  const whole = { units: 1, wid: 1, reasonCode: 0, ...body };
  return untilAnswered(() => client.post('/Inventory/Receive', whole, headers));
}
