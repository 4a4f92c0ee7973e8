import { keyReused } from '@inventory/domain/contract/conflict';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import type { RequestKey } from '@inventory/domain/stock/request';
import { onStandbys } from '../on-standbys.ts';
import type { Fragment, Sql, Tx } from '../pool.ts';
import { isLarge, type OutcomeRow, outcomeOfRow, smallResult } from './large-answers.ts';

/** A request as its client sent it: `key` when it came with an Idempotency-Key. */
export type SentRequest = { requestId: string; clientId: string; key?: RequestKey };

/** A request with an Idempotency-Key. */
export type KeyedRequest = SentRequest & { key: RequestKey };

/** What one key leads to, as {@link keyRows} reads it once for all requests that have the key. */
export type KeyRow = Omit<OutcomeRow, 'request_id' | 'status'> & {
  client_id: string;
  digest: string;
  /** What the key was used with, and the request id under which that was decided; null: it is free. */
  fingerprint: string | null;
  request_id: string | null;
  status: StoredOutcome['status'] | null;
  /** Milliseconds since 1970; null: no send of the key was told that nothing was applied. */
  refused_ms: number | null;
  now_ms: number;
};

/**
 * A caller is told "not applied" when no send of its key that is still under way can be applied any more.
 * Those are the sends that came before; this much is allowed for the difference of the clocks of two api
 * processes and for the time a commit takes. A caller waits longer than that before it sends again, as
 * `Retry-After` asks.
 */
const refusedForMs = 300;
/**
 * A clock of Postgres that was ahead and was set right leaves refusals of a time that has not come. Further
 * ahead than this they are not believed by sends of now: a key would be refused until that time comes. A send
 * that came while the clock was ahead is kept back by any refusal of its key: which came first is not known.
 */
const aheadMaxMs = 10_000;

const refusedKey = JSON.stringify(keyReused);

/** Whether a request came with a key. */
export function isKeyed<T extends SentRequest>(request: T): request is T & { key: RequestKey } {
  return request.key !== undefined;
}

/** A client's key, as one text. */
export function keyName({ clientId, key }: KeyedRequest): string {
  return `${key.digest} ${clientId}`;
}

/**
 * What the keys of these requests lead to, as rows of {@link KeyRow}: one for each key, however many requests
 * have it, and none for a key that is not known. For {@link outcomesOfKeys}.
 */
export function keyRows(sql: Sql | Tx, requests: readonly KeyedRequest[]): Fragment {
  const keys = [...new Map(requests.map((request) => [keyName(request), request])).values()];
  return sql`
    select asked.client_id, asked.digest, encode(key.fingerprint, 'base64') as fingerprint, key.request_id, status,
      ${isLarge(sql)} as is_large, ${smallResult(sql)} as result,
      (extract(epoch from refused_at) * 1000)::float8 as refused_ms,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms, ${onStandbys(sql)} as on_standbys
    from (${askedKeys(sql, keys)}) as asked
    cross join lateral (
      select request_id, fingerprint, refused_at
      from idempotency_key
      where client_id = asked.client_id and key_digest = asked.key_digest
      -- One look into the index for each key, whatever the planner thinks of a table that is empty at first.
      offset 0
    ) as key
    left join stock_transaction on stock_transaction.request_id = key.request_id`;
}

/** The outcome of each request by its key, by request id; one that is missing is still to be decided. */
export function outcomesOfKeys(
  requests: readonly KeyedRequest[],
  rows: readonly KeyRow[],
): Map<string, StoredOutcome> {
  const byName = new Map(rows.map((row) => [`${row.digest} ${row.client_id}`, row]));
  const outcomes = new Map<string, StoredOutcome>();
  for (const request of requests) {
    const row = byName.get(keyName(request));
    const outcome = row === undefined ? null : outcomeOfKey(row, request);
    if (outcome !== null) outcomes.set(request.requestId, outcome);
  }
  return outcomes;
}

function outcomeOfKey(row: KeyRow, { requestId, key }: KeyedRequest): StoredOutcome | null {
  const { request_id, status } = row;
  if (status !== null && request_id !== null) {
    if (row.fingerprint !== key.fingerprint) return { status: 'refused', result: refusedKey };
    const outcome = outcomeOfRow({ ...row, request_id, status });
    return request_id === requestId ? outcome : { ...outcome, isRepeat: true };
  }
  return isRefused(row, key.askedAt) ? { status: 'abandoned', result: null } : null;
}

/** Whether a send that came at `askedAt` is never applied; {@link isOpen} says the opposite in SQL. */
function isRefused({ refused_ms: refusedAt, now_ms: now }: KeyRow, askedAt: number): boolean {
  if (refusedAt === null) return false;
  const believedUntil = now + aheadMaxMs;
  return askedAt > believedUntil || (refusedAt <= believedUntil && refusedAt + refusedForMs > askedAt);
}

/** The outcome of a later request with the same key in a batch, by the first one that is decided. */
export function outcomeOfRepeat(
  first: KeyedRequest,
  outcome: StoredOutcome,
  request: KeyedRequest,
): StoredOutcome {
  if (outcome.status === 'abandoned') return { status: 'abandoned', result: null };
  if (first.key.fingerprint === request.key.fingerprint) return { ...outcome, isRepeat: true };
  return { status: 'refused', result: refusedKey };
}

/**
 * Writes what the keys of a batch lead to from now on: the request that was decided, or for an abandoned one
 * the moment `now`. Fails on `idempotency_key_pkey` when another batch or a verdict decided one of the keys
 * meanwhile.
 */
export function claimKeys(
  tx: Tx,
  decided: readonly { request: KeyedRequest; status: StoredOutcome['status'] }[],
  now: Date,
): Fragment {
  const column = <T>(read: (request: KeyedRequest) => T) => decided.map(({ request }) => read(request));
  const unlessAbandoned = (read: (request: KeyedRequest) => string) =>
    decided.map(({ request, status }) => (status === 'abandoned' ? null : read(request)));
  return tx`
    insert into idempotency_key as key (client_id, key_digest, asked_at, fingerprint, request_id, refused_at)
    select client_id, decode(digest, 'base64'), to_timestamp(asked_ms / 1000), decode(fingerprint, 'base64'), request_id,
      case when request_id is null then greatest(${now}, to_timestamp(asked_ms / 1000)) end
    from unnest(
        ${column(({ clientId }) => clientId)}::text[], ${column(({ key }) => key.digest)}::text[],
        ${column(({ key }) => key.askedAt)}::double precision[],
        ${unlessAbandoned(({ key }) => key.fingerprint)}::text[],
        ${unlessAbandoned(({ requestId }) => requestId)}::uuid[]
      ) as decided (client_id, digest, asked_ms, fingerprint, request_id)
    -- Always in this order: two that write the same keys in different ones would wait for each other.
    order by client_id collate "C", decode(digest, 'base64')
    on conflict (client_id, key_digest) do update
    set asked_at = excluded.asked_at,
      fingerprint = excluded.fingerprint,
      refused_at = excluded.refused_at,
      request_id = case
        when key.request_id is null and ${isOpen(tx)} then excluded.request_id
        else refuse_taken_key()
      end`;
}

/**
 * Has every send of these keys that came by now, and is not decided yet, never applied. A key that was
 * decided stays as it is.
 */
export async function refuseKeys(sql: Sql, requests: readonly KeyedRequest[]): Promise<void> {
  await sql`
    insert into idempotency_key as key (client_id, key_digest, asked_at, refused_at)
    select client_id, key_digest, max(asked_at), greatest(clock_timestamp(), max(asked_at))
    from (${askedKeys(sql, requests)}) as asked
    group by client_id, key_digest
    -- In the order of the batches.
    order by client_id collate "C", key_digest
    on conflict (client_id, key_digest) do update
    -- A moment that has not come makes way: told of now, "not applied" must keep back what was sent by now.
    set refused_at = greatest(case when key.refused_at <= ${believedUntil(sql)} then key.refused_at end, excluded.refused_at)
    where key.request_id is null`;
}

/** The keys of these requests as rows. */
function askedKeys(sql: Sql | Tx, requests: readonly KeyedRequest[]): Fragment {
  // As text: an array of bytes costs the driver more than Postgres takes to read this.
  return sql`
    select client_id, digest, decode(digest, 'base64') as key_digest, to_timestamp(asked_ms / 1000) as asked_at
    from unnest(
      ${requests.map(({ clientId }) => clientId)}::text[],
      ${requests.map(({ key }) => key.digest)}::text[],
      ${requests.map(({ key }) => key.askedAt)}::double precision[]
    ) as asked (client_id, digest, asked_ms)`;
}

/** Whether the send that claims a key, `excluded`, is not kept back by the key's refusal. */
function isOpen(sql: Sql | Tx): Fragment {
  return sql`(excluded.asked_at <= ${believedUntil(sql)} and (key.refused_at > ${believedUntil(sql)}
    or key.refused_at + make_interval(secs => ${refusedForMs / 1000}) <= excluded.asked_at))`;
}

function believedUntil(sql: Sql | Tx): Fragment {
  return sql`clock_timestamp() + make_interval(secs => ${aheadMaxMs / 1000})`;
}
