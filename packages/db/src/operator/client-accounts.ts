import type { Sql } from '@inventory/postgres/pool';

/** The facts about a client's secret, without the secret. */
export type SecretAccount = { created: Date; expires: Date | null };

/** A client as its operator sees it. Lists are in order of number. */
export type ClientAccount = {
  clientId: string;
  permissions: number[];
  warehouses: { wid: number; name: string }[];
  readOnly: boolean;
  rateLimit: number | null;
  operationsPerMinute: number | null;
  disabled: boolean;
  created: Date;
  /** The live secrets. */
  secrets: SecretAccount[];
};

/** Clients, including disabled ones, by id: the one with this id, or all. */
export async function listClients(sql: Sql, clientId: string | null = null): Promise<ClientAccount[]> {
  const rows = await sql<
    {
      client_id: string;
      permissions: number[];
      read_only: boolean;
      rate_limit: number | null;
      operations_per_minute: number | null;
      disabled: boolean;
      created: Date;
    }[]
  >`
    select client_id, array(select unnest(permissions) order by 1) as permissions, read_only, rate_limit,
      operations_per_minute, disabled, created
    from client
    join security_group using (group_id)
    where ${clientId}::text is null or client_id = ${clientId}
    order by client_id`;
  const ids = rows.map(({ client_id }) => client_id);
  const scopes = await sql<{ client_id: string; wid: number; name: string }[]>`
    select client_id, wid, name
    from client_warehouse
    join warehouse using (wid)
    where client_id = any(${ids}::text[])
    order by wid`;
  const secrets = await sql<({ client_id: string } & SecretAccount)[]>`
    select client_id, created, expires
    from client_secret
    where client_id = any(${ids}::text[]) and (expires is null or expires > now())
    order by created`;
  const warehousesOf = byClient(scopes);
  const secretsOf = byClient(secrets);
  return rows.map((row) => ({
    clientId: row.client_id,
    permissions: row.permissions,
    warehouses: (warehousesOf.get(row.client_id) ?? []).map(({ wid, name }) => ({ wid, name })),
    readOnly: row.read_only,
    rateLimit: row.rate_limit,
    operationsPerMinute: row.operations_per_minute,
    disabled: row.disabled,
    created: row.created,
    secrets: (secretsOf.get(row.client_id) ?? []).map(({ created, expires }) => ({ created, expires })),
  }));
}

function byClient<Row extends { client_id: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const found = new Map<string, Row[]>();
  for (const row of rows) {
    const others = found.get(row.client_id);
    if (others === undefined) found.set(row.client_id, [row]);
    else others.push(row);
  }
  return found;
}

/**
 * Removes a client with its secrets and scope. Its tokens end within a second. Its transactions stay in the
 * ledger under its id, which is never given again. Returns false if there is no such client.
 */
export async function removeClient(sql: Sql, clientId: string): Promise<boolean> {
  return sql.begin(async (tx) => {
    const removed = await tx`delete from client where client_id = ${clientId} returning client_id`;
    if (removed.length === 0) return false;
    await tx`insert into former_client (client_id) values (${clientId})`;
    return true;
  });
}

/** Those of these ids that no new client can have, because a client has or had them. */
export async function findTakenIds(
  sql: Sql,
  clientIds: readonly string[],
): Promise<Map<string, 'taken' | 'removed'>> {
  const rows = await sql<{ client_id: string; how: 'taken' | 'removed' }[]>`
    select client_id, 'taken' as how
    from client
    where client_id = any(${clientIds as string[]}::text[])
    union all
    select client_id, 'removed'
    from former_client
    where client_id = any(${clientIds as string[]}::text[])`;
  return new Map(rows.map((row) => [row.client_id, row.how]));
}
