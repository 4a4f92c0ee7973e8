import type { Sql } from './client.ts';
import type { StoredOutcome } from './outcome.ts';

/** The attempt that a key leads to, and what became of it so far. */
export type KeyedAttempt = {
  requestId: string;
  /** Whether the key was used before this call. */
  usedBefore: boolean;
  /** Whether it was used with this very request. */
  sameRequest: boolean;
  outcome: StoredOutcome | null;
};

/**
 * Binds a client's key to a request, or finds what it is bound to. A key is unique per client; the first caller's request
 * counts. `requestId` is used when the key is new.
 */
export async function bindKey(
  sql: Sql,
  key: { clientId: string; keyDigest: Uint8Array; fingerprint: Uint8Array; requestId: string },
): Promise<KeyedAttempt> {
  for (;;) {
    const [row] = await sql<
      {
        used_before: boolean;
        same_request: boolean;
        request_id: string;
        status: StoredOutcome['status'] | null;
        result: string | null;
      }[]
    >`
      with added as (
        insert into idempotency_key (client_id, key_digest, fingerprint, request_id)
        values (${key.clientId}, ${key.keyDigest as Buffer}, ${key.fingerprint as Buffer}, ${key.requestId})
        on conflict (client_id, key_digest) do nothing
        returning request_id
      )
      select false as used_before, true as same_request, request_id, null as status, null as result
      from added
      union all
      select true, fingerprint = ${key.fingerprint as Buffer}, request_id, status, result::text
      from idempotency_key
      left join stock_transaction using (request_id)
      where idempotency_key.client_id = ${key.clientId} and key_digest = ${key.keyDigest as Buffer}`;
    // No row: another connection added the key while this statement ran. Now it can be seen.
    if (row === undefined) continue;
    return {
      requestId: row.request_id,
      usedBefore: row.used_before,
      sameRequest: row.same_request,
      outcome: row.status === null ? null : { status: row.status, result: row.result },
    };
  }
}

/** Makes way for the next attempt after an abandoned one; the request id that now counts, ours or a quicker caller's. */
export async function renewKey(
  sql: Sql,
  key: { clientId: string; keyDigest: Uint8Array; abandonedId: string; requestId: string },
): Promise<string> {
  await sql`
    update idempotency_key
    set request_id = ${key.requestId}
    where client_id = ${key.clientId} and key_digest = ${key.keyDigest as Buffer} and request_id = ${key.abandonedId}`;
  const [row] = await sql<{ request_id: string }[]>`
    select request_id
    from idempotency_key
    where client_id = ${key.clientId} and key_digest = ${key.keyDigest as Buffer}`;
  return row!.request_id;
}
