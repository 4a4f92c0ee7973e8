import type { Client } from '@inventory/auth/client';
import type { Sql, Tx } from './client.ts';

/** The clients of these ids that exist and are not disabled, by id, with what each may do now. */
export async function readClients(sql: Sql | Tx, clientIds: readonly string[]): Promise<Map<string, Client>> {
  const rows = await sql<
    {
      client_id: string;
      read_only: boolean;
      rate_limit: number | null;
      operations_per_minute: number | null;
      permissions: number[];
      wids: number[];
    }[]
  >`
    select client_id, read_only, rate_limit, operations_per_minute, permissions,
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
        operationsPerMinute: row.operations_per_minute,
        permissions: new Set(row.permissions),
        scope: new Set(row.wids),
      },
    ]),
  );
}

/** The digests of a client's live secrets; none for a client that is unknown or disabled, or whose secrets have expired. */
export async function readSecretDigests(sql: Sql, clientId: string): Promise<Uint8Array[]> {
  const [digests] = await readManySecretDigests(sql, [clientId]);
  return digests!;
}

/** The same for many clients with one statement, in their order. */
export async function readManySecretDigests(sql: Sql, clientIds: readonly string[]): Promise<Uint8Array[][]> {
  const rows = await sql<{ client_id: string; digest: Buffer }[]>`
    select client_id, digest
    from client_secret
    join client using (client_id)
    where client_id = any(${clientIds as string[]}::text[]) and not disabled and (expires is null or expires > now())`;
  const byId = new Map<string, Uint8Array[]>(clientIds.map((clientId) => [clientId, []]));
  for (const row of rows) byId.get(row.client_id)?.push(row.digest);
  return clientIds.map((clientId) => byId.get(clientId)!);
}

export type NewClient = {
  clientId: string;
  permissions: readonly number[];
  wids: readonly number[];
  readOnly: boolean;
  rateLimit: number | null;
  /** null, or not given: the service's default. */
  operationsPerMinute?: number | null | undefined;
  secretDigest: Uint8Array;
};

/**
 * Adds a client in the group that grants exactly these permissions. Fails on the constraints `client_pkey` (the id is
 * taken) and `client_warehouse_wid_fkey` (no such warehouse).
 */
export async function addClient(sql: Sql, client: NewClient): Promise<void> {
  await sql.begin(async (tx) => {
    const groupId = await ensureGroup(tx, client.permissions);
    await tx`
      insert into client (client_id, group_id, read_only, rate_limit, operations_per_minute)
      values (${client.clientId}, ${groupId}, ${client.readOnly}, ${client.rateLimit}, ${client.operationsPerMinute ?? null})`;
    await addScope(tx, client.clientId, client.wids);
    await tx`
      insert into client_secret (client_id, digest)
      values (${client.clientId}, ${client.secretDigest as Buffer})`;
  });
}

export type ClientChange = {
  permissions?: readonly number[] | undefined;
  wids?: readonly number[] | undefined;
  readOnly?: boolean | undefined;
  /** null: the service's default. */
  rateLimit?: number | null | undefined;
  /** null: the service's default. */
  operationsPerMinute?: number | null | undefined;
  disabled?: boolean | undefined;
};

/**
 * Changes what is given of a client; permissions and warehouses replace those it had. False when there is no such client. Fails
 * on `client_warehouse_wid_fkey` (no such warehouse).
 */
export async function changeClient(sql: Sql, clientId: string, change: ClientChange): Promise<boolean> {
  return sql.begin(async (tx) => {
    // The lock makes two changes at once follow each other: they would mix their warehouses.
    const [found] = await tx`select from client where client_id = ${clientId} for no key update`;
    if (found === undefined) return false;
    const groupId = change.permissions === undefined ? null : await ensureGroup(tx, change.permissions);
    await tx`
      update client
      set group_id = coalesce(${groupId}::integer, group_id),
        read_only = coalesce(${change.readOnly ?? null}::boolean, read_only),
        disabled = coalesce(${change.disabled ?? null}::boolean, disabled),
        rate_limit = case when ${change.rateLimit === undefined} then rate_limit else ${change.rateLimit ?? null}::integer end,
        operations_per_minute = case when ${change.operationsPerMinute === undefined} then operations_per_minute
          else ${change.operationsPerMinute ?? null}::integer end
      where client_id = ${clientId}`;
    if (change.wids !== undefined) {
      await tx`delete from client_warehouse where client_id = ${clientId}`;
      await addScope(tx, clientId, change.wids);
    }
    return true;
  });
}

/** `expires`: null for a secret that does not end by itself. */
export type SecretOptions = { expires: Date | null; revokeOthers: boolean };

/**
 * Adds a secret to a client, disabled or not, beside the newest live one that it has, unless all others are revoked; an older one ends.
 * False when there is no such client.
 */
export async function addSecret(
  sql: Sql,
  clientId: string,
  digest: Uint8Array,
  { expires, revokeOthers }: SecretOptions = { expires: null, revokeOthers: false },
): Promise<boolean> {
  return sql.begin(async (tx) => {
    // Without the lock two at once would each keep the other's predecessor, and three secrets would live.
    const [found] = await tx`select from client where client_id = ${clientId} for no key update`;
    if (found === undefined) return false;
    await tx`
      delete from client_secret
      where client_id = ${clientId}
        and digest not in (
          select digest
          from client_secret
          where client_id = ${clientId} and not ${revokeOthers} and (expires is null or expires > now())
          order by created desc, digest
          limit 1
        )`;
    // The clock, not the start of this transaction: one that waited for the lock is the newer.
    await tx`
      insert into client_secret (client_id, digest, created, expires)
      values (${clientId}, ${digest as Buffer}, clock_timestamp(), ${expires})`;
    return true;
  });
}

/** The id of the group that grants exactly these permissions. */
async function ensureGroup(tx: Tx, granted: readonly number[]): Promise<number> {
  const permissions = [...new Set(granted)].sort((a, b) => a - b);
  const name = `permissions ${permissions.join(',')}`;
  await tx`
    insert into security_group (name, permissions)
    values (${name}, ${permissions}::integer[])
    on conflict (name) do nothing`;
  // A statement of its own: it sees the group that another transaction has added meanwhile.
  const [group] = await tx<{ group_id: number }[]>`select group_id from security_group where name = ${name}`;
  return group!.group_id;
}

async function addScope(tx: Tx, clientId: string, wids: readonly number[]): Promise<void> {
  await tx`
    insert into client_warehouse (client_id, wid)
    select ${clientId}, wid
    from unnest(${[...new Set(wids)]}::integer[]) as wid`;
}
