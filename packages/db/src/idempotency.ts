import type { Sql } from './client.ts';
import type { StoredOutcome } from './outcome.ts';
import type { Fragment } from './read-page.ts';

/** A client's key and the request that was sent with it. `requestId` is used when the key is new. */
export type Key = { clientId: string; keyDigest: Buffer; fingerprint: Buffer; requestId: string };

/** The attempt that a key leads to, and what became of it so far. */
export type KeyedAttempt = {
  requestId: string;
  /** Whether the key was used before this call. */
  usedBefore: boolean;
  /** Whether it was used with this very request. */
  sameRequest: boolean;
  outcome: StoredOutcome | null;
};

type Row = {
  place: number;
  fingerprint: Buffer;
  request_id: string;
  status: StoredOutcome['status'] | null;
  result: string | null;
};

/**
 * Binds clients' keys to requests, or finds what they are bound to, in one statement; one attempt for each key given, in their
 * order. A key is unique per client; the first request counts, here and in the database.
 */
export async function bindKeys(sql: Sql, keys: readonly Key[]): Promise<KeyedAttempt[]> {
  const firsts = new Map<string, Key>();
  for (const key of keys) if (!firsts.has(nameOf(key))) firsts.set(nameOf(key), key);
  const found = new Map<string, Row>();
  let missing = [...firsts.values()];
  while (missing.length > 0) {
    for (const row of await bindOnce(sql, missing)) found.set(nameOf(missing[row.place - 1]!), row);
    // Another connection added the key while the statement ran. Now it can be seen.
    missing = missing.filter((key) => !found.has(nameOf(key)));
  }
  return keys.map((key) => attemptOf(key, found.get(nameOf(key))!));
}

/** What keys are bound to, null for one that is free; nothing is written. */
export async function findKeys(sql: Sql, keys: readonly Key[]): Promise<(KeyedAttempt | null)[]> {
  const rows = await sql<Row[]>`
    with asked as materialized (${asked(sql, keys)})
    ${boundTo(sql)}`;
  const found = new Map(rows.map((row) => [row.place, row]));
  return keys.map((key, index) => {
    const row = found.get(index + 1);
    return row === undefined ? null : attemptOf(key, row);
  });
}

function bindOnce(sql: Sql, keys: readonly Key[]) {
  return sql<Row[]>`
    with asked as materialized (${asked(sql, keys)}), added as (
      insert into idempotency_key (client_id, key_digest, fingerprint, request_id)
      select client_id, key_digest, fingerprint, request_id
      from asked
      -- Always in this order: two that insert the same keys in different ones would wait for each other.
      order by client_id collate "C", key_digest
      on conflict (client_id, key_digest) do nothing
      returning client_id, key_digest, fingerprint, request_id
    )
    select place, added.fingerprint, added.request_id, null as status, null as result
    from asked
    join added using (client_id, key_digest)
    union all
    ${boundTo(sql)}`;
}

/** The keys as rows, numbered from 1 in their order. */
function asked(sql: Sql, keys: readonly Key[]): Fragment {
  // As text: an array of bytes costs the driver more than Postgres takes to read this.
  const hex = (read: (key: Key) => Buffer) => keys.map((key) => read(key).toString('hex'));
  return sql`
    select client_id, decode(key_digest, 'hex') as key_digest, decode(fingerprint, 'hex') as fingerprint, request_id, place
    from unnest(
      ${keys.map((key) => key.clientId)}::text[],
      ${hex((key) => key.keyDigest)}::text[],
      ${hex((key) => key.fingerprint)}::text[],
      ${keys.map((key) => key.requestId)}::uuid[]
    ) with ordinality as asked (client_id, key_digest, fingerprint, request_id, place)`;
}

/** What those of `asked` that were there before this statement are bound to. */
function boundTo(sql: Sql): Fragment {
  return sql`
    select place, idempotency_key.fingerprint, idempotency_key.request_id, status, result::text
    from asked
    join idempotency_key using (client_id, key_digest)
    left join stock_transaction on stock_transaction.request_id = idempotency_key.request_id`;
}

function attemptOf(key: Key, row: Row): KeyedAttempt {
  return {
    requestId: row.request_id,
    usedBefore: row.request_id !== key.requestId,
    sameRequest: row.fingerprint.equals(key.fingerprint),
    outcome: row.status === null ? null : { status: row.status, result: row.result },
  };
}

function nameOf({ clientId, keyDigest }: Key): string {
  return `${keyDigest.toString('hex')} ${clientId}`;
}

/** Makes way for the next attempt after an abandoned one; the request id that now counts, ours or a quicker caller's. */
export async function renewKey(
  sql: Sql,
  key: { clientId: string; keyDigest: Buffer; abandonedId: string; requestId: string },
): Promise<string> {
  await sql`
    update idempotency_key
    set request_id = ${key.requestId}
    where client_id = ${key.clientId} and key_digest = ${key.keyDigest} and request_id = ${key.abandonedId}`;
  const [row] = await sql<{ request_id: string }[]>`
    select request_id
    from idempotency_key
    where client_id = ${key.clientId} and key_digest = ${key.keyDigest}`;
  return row!.request_id;
}
