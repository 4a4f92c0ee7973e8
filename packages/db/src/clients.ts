import type { Client } from '@inventory/auth/client';
import type { Sql, Tx } from './client.ts';

/** The clients of these ids that exist and are not disabled, by id, with what each may do now. */
export async function readClients(sql: Sql | Tx, clientIds: readonly string[]): Promise<Map<string, Client>> {
  const rows = await sql<
    {
      client_id: string;
      read_only: boolean;
      rate_limit: number | null;
      permissions: number[];
      wids: number[];
    }[]
  >`
    select client_id, read_only, rate_limit, permissions,
      array(select wid from client_warehouse where client_warehouse.client_id = client.client_id) as wids
    from client
    join security_group using (group_id)
    where client_id = any(${clientIds as string[]}::text[]) and not disabled`;
  return new Map(
    rows.map((row) => [
      row.client_id,
      {
        clientId: row.client_id,
        readOnly: row.read_only,
        rateLimit: row.rate_limit,
        permissions: new Set(row.permissions),
        scope: new Set(row.wids),
      },
    ]),
  );
}

/** The digests of a client's live secrets; none for a client that is unknown or disabled. */
export async function readSecretDigests(sql: Sql, clientId: string): Promise<Uint8Array[]> {
  const rows = await sql<{ digest: Buffer }[]>`
    select digest
    from client_secret
    join client using (client_id)
    where client_id = ${clientId} and not disabled`;
  return rows.map((row) => row.digest);
}

export type NewClient = {
  clientId: string;
  permissions: readonly number[];
  wids: readonly number[];
  readOnly: boolean;
  rateLimit: number | null;
  secretDigest: Uint8Array;
};

/**
 * Adds a client in the group that grants exactly these permissions. Fails on the constraints `client_pkey` (the id is
 * taken) and `client_warehouse_wid_fkey` (no such warehouse).
 */
export async function addClient(sql: Sql, client: NewClient): Promise<void> {
  const permissions = [...new Set(client.permissions)].sort((a, b) => a - b);
  await sql.begin(async (tx) => {
    const name = `permissions ${permissions.join(',')}`;
    await tx`
      insert into security_group (name, permissions)
      values (${name}, ${permissions}::integer[])
      on conflict (name) do nothing`;
    await tx`
      insert into client (client_id, group_id, read_only, rate_limit)
      select ${client.clientId}, group_id, ${client.readOnly}, ${client.rateLimit}
      from security_group
      where name = ${name}`;
    await tx`
      insert into client_warehouse (client_id, wid)
      select ${client.clientId}, wid
      from unnest(${[...new Set(client.wids)]}::integer[]) as wid`;
    await tx`
      insert into client_secret (client_id, digest)
      values (${client.clientId}, ${client.secretDigest as Buffer})`;
  });
}
