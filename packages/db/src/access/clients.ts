import type { Client } from '@inventory/auth/client';
import type { Sql, Tx } from '@inventory/postgres/pool';

/**
 * `tokensFrom`: earlier tokens are refused. Seconds since 1970; 0: none is refused. `scopeNo`: the number of
 * the last change of its scope; 0: there was none. `scopeAgeMs`: the age of that change, by the clock of
 * Postgres.
 */
export type ClientWithTokens = Client & { tokensFrom: number; scopeNo: number; scopeAgeMs: number };

/** The existing, enabled clients among these ids, by id, with their current rights. */
export async function readClients(
  sql: Sql | Tx,
  clientIds: readonly string[],
): Promise<Map<string, ClientWithTokens>> {
  const rows = await sql<
    {
      client_id: string;
      read_only: boolean;
      rate_limit: number | null;
      operations_per_minute: number | null;
      permissions: number[];
      wids: number[];
      tokens_from: Date | null;
      scope_no: number | null;
      scope_age_ms: number | null;
    }[]
  >`
    select client_id, read_only, rate_limit, operations_per_minute, permissions, tokens_from, scope_no, scope_age_ms,
      array(select wid from client_warehouse where client_warehouse.client_id = client.client_id) as wids
    from client
    join security_group using (group_id)
    left join lateral (
      select change_no as scope_no,
        (extract(epoch from clock_timestamp() - at) * 1000)::double precision as scope_age_ms
      from scope_change
      where scope_change.client_id = client.client_id
      order by change_no desc
      limit 1
    ) as last_change on true
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
        tokensFrom: secondsOf(row.tokens_from),
        scopeNo: row.scope_no ?? 0,
        scopeAgeMs: row.scope_age_ms ?? Number.POSITIVE_INFINITY,
      },
    ]),
  );
}

/**
 * The digests of a client's live secrets. Empty if the client is unknown or disabled, or its secrets have
 * expired.
 */
export async function readSecretDigests(sql: Sql, clientId: string): Promise<readonly Uint8Array[]> {
  const [secrets] = await readManySecrets(sql, [clientId]);
  return secrets!.digests;
}

/** The digests of a client's live secrets. `tokensFrom`: see `ClientWithTokens`. */
export type ClientSecrets = { digests: readonly Uint8Array[]; tokensFrom: number };
export const noSecrets: ClientSecrets = { digests: [], tokensFrom: 0 };

/** The secrets of many clients in one statement, in order. */
export async function readManySecrets(sql: Sql, clientIds: readonly string[]): Promise<ClientSecrets[]> {
  const rows = await sql<{ client_id: string; digests: Buffer[]; tokens_from: Date | null }[]>`
    select client.client_id, array_agg(digest) as digests, tokens_from
    from client_secret
    join client using (client_id)
    where client_id = any(${clientIds as string[]}::text[]) and not disabled and (expires is null or expires > now())
    group by client.client_id`;
  const byId = new Map(
    rows.map((row) => [row.client_id, { digests: row.digests, tokensFrom: secondsOf(row.tokens_from) }]),
  );
  return clientIds.map((clientId) => byId.get(clientId) ?? noSecrets);
}

const secondsOf = (moment: Date | null) => (moment?.getTime() ?? 0) / 1000;

export type NewClient = {
  clientId: string;
  permissions: readonly number[];
  wids: readonly number[];
  readOnly: boolean;
  rateLimit: number | null;
  /** null or missing: the service's default. */
  operationsPerMinute?: number | null | undefined;
  secretDigest: Uint8Array;
};

/**
 * Adds a client in the group with exactly these permissions. Fails on the constraints `client_pkey` (the id
 * is taken), `former_client_pkey` (a client with this id was removed) and `client_warehouse_wid_fkey` (no
 * such warehouse).
 */
export async function addClient(sql: Sql, client: NewClient): Promise<void> {
  await sql.begin((tx) => insertClient(tx, client));
}

/** Adds clients, all of them or none. Fails like addClient. */
export async function addClients(sql: Sql, clients: readonly NewClient[]): Promise<void> {
  await sql.begin(async (tx) => {
    for (const client of clients) await insertClient(tx, client);
  });
}

async function insertClient(tx: Tx, client: NewClient): Promise<void> {
  const groupId = await ensureGroup(tx, client.permissions);
  await tx`
      insert into client (client_id, group_id, read_only, rate_limit, operations_per_minute)
      values (${client.clientId}, ${groupId}, ${client.readOnly}, ${client.rateLimit},
        ${client.operationsPerMinute ?? null})`;
  await addScope(tx, client.clientId, client.wids);
  await tx`
      insert into client_secret (client_id, digest)
      values (${client.clientId}, ${client.secretDigest as Buffer})`;
}

export type ClientChange = {
  permissions?: readonly number[] | undefined;
  addPermissions?: readonly number[] | undefined;
  removePermissions?: readonly number[] | undefined;
  wids?: readonly number[] | undefined;
  addWids?: readonly number[] | undefined;
  removeWids?: readonly number[] | undefined;
  readOnly?: boolean | undefined;
  /** null: the service's default. */
  rateLimit?: number | null | undefined;
  /** null: the service's default. */
  operationsPerMinute?: number | null | undefined;
  disabled?: boolean | undefined;
};

/** The rights of a client. Lists are in order of number. */
export type ClientRights = {
  permissions: number[];
  wids: number[];
  readOnly: boolean;
  rateLimit: number | null;
  operationsPerMinute: number | null;
  disabled: boolean;
};

/**
 * Changes the given rights of a client. Lists replace the current ones; additions and removals change them.
 * Returns the rights before and after; null if there is no such client. Fails on `client_warehouse_wid_fkey`
 * (no such warehouse).
 */
export async function changeClient(
  sql: Sql,
  clientId: string,
  change: ClientChange,
): Promise<{ before: ClientRights; after: ClientRights } | null> {
  return sql.begin(async (tx) => {
    // The lock puts concurrent changes in sequence. Otherwise their warehouses could be mixed.
    const [found] = await tx`select from client where client_id = ${clientId} for no key update`;
    if (found === undefined) return null;
    const before = await readRights(tx, clientId);
    const after: ClientRights = {
      permissions: changed(
        before.permissions,
        change.permissions,
        change.addPermissions,
        change.removePermissions,
      ),
      wids: changed(before.wids, change.wids, change.addWids, change.removeWids),
      readOnly: change.readOnly ?? before.readOnly,
      rateLimit: change.rateLimit === undefined ? before.rateLimit : change.rateLimit,
      operationsPerMinute:
        change.operationsPerMinute === undefined ? before.operationsPerMinute : change.operationsPerMinute,
      disabled: change.disabled ?? before.disabled,
    };
    await tx`
      update client
      set group_id = ${await ensureGroup(tx, after.permissions)}, read_only = ${after.readOnly},
        disabled = ${after.disabled}, rate_limit = ${after.rateLimit},
        operations_per_minute = ${after.operationsPerMinute}
      where client_id = ${clientId}`;
    await tx`
      delete from client_warehouse
      where client_id = ${clientId} and wid <> all(${after.wids}::integer[])`;
    const had = new Set(before.wids);
    await addScope(
      tx,
      clientId,
      after.wids.filter((wid) => !had.has(wid)),
    );
    return { before, after };
  });
}

/** A list of numbers after a change: replaced, extended or reduced. */
function changed(
  before: readonly number[],
  all: readonly number[] | undefined,
  more: readonly number[] = [],
  fewer: readonly number[] = [],
): number[] {
  const after = new Set([...(all ?? before), ...more]);
  for (const each of fewer) after.delete(each);
  return [...after].sort((a, b) => a - b);
}

/** A statement of its own after the lock, so that it sees the previous holder's changes. */
async function readRights(tx: Tx, clientId: string): Promise<ClientRights> {
  const [row] = await tx<
    {
      read_only: boolean;
      disabled: boolean;
      rate_limit: number | null;
      operations_per_minute: number | null;
      permissions: number[];
      wids: number[];
    }[]
  >`
    select read_only, disabled, rate_limit, operations_per_minute, array(select unnest(permissions) order by 1) as permissions,
      array(select wid from client_warehouse where client_warehouse.client_id = client.client_id order by wid) as wids
    from client
    join security_group using (group_id)
    where client_id = ${clientId}`;
  const { permissions, wids, disabled } = row!;
  return {
    permissions,
    wids,
    readOnly: row!.read_only,
    rateLimit: row!.rate_limit,
    operationsPerMinute: row!.operations_per_minute,
    disabled,
  };
}

/** `expires`: null for a secret that does not expire. */
export type SecretOptions = { expires: Date | null; revokeOthers: boolean };

/**
 * Adds a secret to a client, enabled or disabled. Its newest live secret stays, unless all others are
 * revoked; an older one ends. Returns false if there is no such client.
 */
export async function addSecret(
  sql: Sql,
  clientId: string,
  digest: Uint8Array,
  { expires, revokeOthers }: SecretOptions = { expires: null, revokeOthers: false },
): Promise<boolean> {
  return sql.begin(async (tx) => {
    // Without the lock, two concurrent calls could each keep a different older secret, and three would be
    // live.
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
        )
        -- One that has ended by a wrong clock only is live again when that is right.
        and (${revokeOthers} or expires is null or expires > now() or expires <= retention_now())`;
    // The clock's time, not the start of this transaction: a call that waited for the lock is the newer one.
    // Also newer than one that was added while the clock was ahead.
    await tx`
      insert into client_secret (client_id, digest, created, expires)
      select ${clientId}, ${digest as Buffer}, greatest(clock_timestamp(), max(created) + interval '1 millisecond'),
        ${expires}::timestamptz
      from client_secret
      where client_id = ${clientId}`;
    return true;
  });
}

// If a secret is used in its last moment, its token is issued at most this much later; it also covers small
// differences between clocks. Less than a token may be ahead of any process's clock.
const tokenDelaySeconds = 3;

/**
 * Ends all tokens of a client for good. This includes tokens from a secret that has just ended, if that was
 * committed before this call.
 */
export async function endTokens(sql: Sql, clientId: string): Promise<void> {
  await sql`
    update client
    set tokens_from = date_trunc('second', clock_timestamp()) + make_interval(secs => ${tokenDelaySeconds})
    where client_id = ${clientId}`;
}

/** Returns the id of the group with exactly these permissions. */
async function ensureGroup(tx: Tx, granted: readonly number[]): Promise<number> {
  const permissions = [...new Set(granted)].sort((a, b) => a - b);
  const name = `permissions ${permissions.join(',')}`;
  await tx`
    insert into security_group (name, permissions)
    values (${name}, ${permissions}::integer[])
    on conflict (name) do nothing`;
  // A statement of its own, so that it sees a group that another transaction has just added.
  const [group] = await tx<{ group_id: number }[]>`select group_id from security_group where name = ${name}`;
  return group!.group_id;
}

async function addScope(tx: Tx, clientId: string, wids: readonly number[]): Promise<void> {
  await tx`
    insert into client_warehouse (client_id, wid)
    select ${clientId}, wid
    from unnest(${[...new Set(wids)]}::integer[]) as wid`;
}
