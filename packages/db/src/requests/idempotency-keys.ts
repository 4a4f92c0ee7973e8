import { keyReused } from '@inventory/domain/refusals/conflict';
import type { RequestKey } from '@inventory/domain/request';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import { type Piece, piece, send } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { onStandbys } from '@inventory/postgres/servers/on-standbys';
import { isLarge, type OutcomeRow, outcomeOfRow, smallResult } from './large-answers.ts';

/** A request as its client sent it. `key`: set if it came with an Idempotency-Key. */
export type SentRequest = { requestId: string; clientId: string; key?: RequestKey };

/** A request with an Idempotency-Key. */
export type KeyedRequest = SentRequest & { key: RequestKey };

/** The stored state of a key, as {@link keyRows} reads it once for all requests with that key. */
export type KeyRow = Omit<OutcomeRow, 'request_id' | 'status'> & {
  client_id: string;
  digest: string;
  /**
   * The fingerprint that the key was used with, and the id of the request that was decided under it; null:
   * the key is free.
   */
  fingerprint: string | null;
  request_id: string | null;
  status: StoredOutcome['status'] | null;
  /** Milliseconds since 1970; null: no send of the key was answered with "not applied". */
  refused_ms: number | null;
  now_ms: number;
};

/**
 * A caller is told "not applied" only once no send of its key that is still under way can be applied. These
 * are the sends that came before; this much is added for the difference between the clocks of two api
 * processes and for the duration of a commit. Callers wait longer than that before a resend, as `Retry-After`
 * asks.
 */
const refusedForMs = 300;
/**
 * If the clock of Postgres was ahead and then corrected, the stored refusals lie in the future. Refusals
 * further ahead than this are ignored for sends of now; otherwise the key would be refused until that time. A
 * send that came while the clock was ahead is held back by any refusal of its key, because their order is not
 * known.
 */
const aheadMaxMs = 10_000;

const refusedKey = JSON.stringify(keyReused);

/** Whether a request came with a key. */
export function isKeyed<T extends SentRequest>(request: T): request is T & { key: RequestKey } {
  return request.key !== undefined;
}

/** The key of a client, as one text. */
export function keyName({ clientId, key }: KeyedRequest): string {
  return `${key.digest} ${clientId}`;
}

/**
 * The states of the keys of these requests, as rows of {@link KeyRow}: one for each known key, however many
 * requests have it. For {@link outcomesOfKeys}.
 */
export function keyRows(requests: readonly KeyedRequest[]): Piece {
  const keys = [...new Map(requests.map((request) => [keyName(request), request])).values()];
  return piece`
    select asked.client_id, asked.digest, encode(key.fingerprint, 'base64') as fingerprint, key.request_id, status,
      ${isLarge} as is_large, ${smallResult} as result,
      (extract(epoch from refused_at) * 1000)::float8 as refused_ms,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms, ${onStandbys} as on_standbys
    from (${askedKeys(keys)}) as asked
    cross join lateral (
      select request_id, fingerprint, refused_at
      from idempotency_key
      where client_id = asked.client_id and key_digest = asked.key_digest
      -- Forces one index look-up for each key, even if the planner believes that the table is empty.
      offset 0
    ) as key
    -- Likewise; see byKeys.
    left join stock_transaction on stock_transaction.request_id = any(array[key.request_id])`;
}

/** Returns the outcomes of requests from their keys, by request id. Undecided requests are missing. */
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

/** Whether a send that came at `askedAt` is never applied. {@link isOpen} is the opposite in SQL. */
function isRefused({ refused_ms: refusedAt, now_ms: now }: KeyRow, askedAt: number): boolean {
  if (refusedAt === null) return false;
  const believedUntil = now + aheadMaxMs;
  return askedAt > believedUntil || (refusedAt <= believedUntil && refusedAt + refusedForMs > askedAt);
}

/** The outcome of a request whose key an earlier request of the same batch has. */
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
 * Writes the new state of the keys of a batch: the decided request, or for an abandoned one the time `now`.
 * Fails on `idempotency_key_pkey` if another batch or a verdict decided one of the keys meanwhile.
 */
export function claimKeys(
  decided: readonly { request: KeyedRequest; status: StoredOutcome['status'] }[],
  now: Date,
): Piece {
  const column = <T>(read: (request: KeyedRequest) => T) => decided.map(({ request }) => read(request));
  const unlessAbandoned = (read: (request: KeyedRequest) => string) =>
    decided.map(({ request, status }) => (status === 'abandoned' ? null : read(request)));
  return piece`
    insert into idempotency_key as key (client_id, key_digest, asked_at, fingerprint, request_id, refused_at)
    select client_id, decode(digest, 'base64'), to_timestamp(asked_ms / 1000), decode(fingerprint, 'base64'), request_id,
      case when request_id is null then greatest(${now}, to_timestamp(asked_ms / 1000)) end
    from unnest(
        ${column(({ clientId }) => clientId)}::text[], ${column(({ key }) => key.digest)}::text[],
        ${column(({ key }) => key.askedAt)}::double precision[],
        ${unlessAbandoned(({ key }) => key.fingerprint)}::text[],
        ${unlessAbandoned(({ requestId }) => requestId)}::uuid[]
      ) as decided (client_id, digest, asked_ms, fingerprint, request_id)
    -- Always in this order: two writers of the same keys could deadlock otherwise.
    order by client_id collate "C", decode(digest, 'base64')
    on conflict (client_id, key_digest) do update
    set asked_at = excluded.asked_at,
      fingerprint = excluded.fingerprint,
      refused_at = excluded.refused_at,
      request_id = case
        when key.request_id is null and ${isOpen} then excluded.request_id
        else refuse_taken_key()
      end`;
}

/**
 * Makes sure that every send of these keys that has come by now and is undecided is never applied. Decided
 * keys do not change.
 */
export async function refuseKeys(sql: Sql, requests: readonly KeyedRequest[]): Promise<void> {
  await send(sql)`
    insert into idempotency_key as key (client_id, key_digest, asked_at, refused_at)
    select client_id, key_digest, max(asked_at), greatest(clock_timestamp(), max(asked_at))
    from (${askedKeys(requests)}) as asked
    group by client_id, key_digest
    -- In the same order as the batches.
    order by client_id collate "C", key_digest
    on conflict (client_id, key_digest) do update
    -- A time in the future is overwritten: "not applied", told now, must hold back all sends that came by
    -- now.
    set refused_at = greatest(case when key.refused_at <= ${believedUntil} then key.refused_at end, excluded.refused_at)
    where key.request_id is null`;
}

/** The keys of these requests as rows. */
function askedKeys(requests: readonly KeyedRequest[]): Piece {
  // As text: sending an array of bytes costs the driver more than parsing this costs Postgres.
  return piece`
    select client_id, digest, decode(digest, 'base64') as key_digest, to_timestamp(asked_ms / 1000) as asked_at
    from unnest(
      ${requests.map(({ clientId }) => clientId)}::text[],
      ${requests.map(({ key }) => key.digest)}::text[],
      ${requests.map(({ key }) => key.askedAt)}::double precision[]
    ) as asked (client_id, digest, asked_ms)`;
}

/** Refusals further ahead are ignored. */
const believedUntil = piece`clock_timestamp() + make_interval(secs => ${aheadMaxMs / 1000})`;

/** Whether the key's refusal leaves the claiming send, `excluded`, free to be applied. */
const isOpen = piece`(excluded.asked_at <= ${believedUntil} and (key.refused_at > ${believedUntil}
    or key.refused_at + make_interval(secs => ${refusedForMs / 1000}) <= excluded.asked_at))`;
