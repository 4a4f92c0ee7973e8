import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import { send } from '@inventory/postgres/piece';
import type { Sql, Tx } from '@inventory/postgres/pool';
import { onStandbys } from '@inventory/postgres/servers/on-standbys';
import {
  isKeyed,
  type KeyRow,
  keyRows,
  outcomesOfKeys,
  refuseKeys,
  type SentRequest,
} from './idempotency-keys.ts';
import { isLarge, type OutcomeRow, outcomeOfRow, smallResult } from './large-answers.ts';

/**
 * Settles requests whose answer did not come. Decided requests return their outcome. An undecided request can
 * never be applied from now on, because its request id is taken, or its key is refused for all sends that
 * came by now. By request id.
 */
export async function settle(
  sql: Sql,
  requests: readonly SentRequest[],
): Promise<Map<string, StoredOutcome>> {
  const keyed = requests.filter(isKeyed);
  const others = requests.filter((request) => !isKeyed(request));
  await Promise.all([
    others.length > 0 && abandon(sql, others),
    // Other sends of a key may be under way, each with its own request id.
    keyed.length > 0 && refuseKeys(sql, keyed),
  ]);
  // A statement of its own, because it must see what other connections committed while the first ones waited.
  return readOutcomes(sql, requests);
}

function abandon(sql: Sql, requests: readonly SentRequest[]) {
  return sql`
    insert into stock_transaction (request_id, status)
    select request_id, 'abandoned'
    -- In id order, like the claims of batches: so two inserts of the same ids do not deadlock.
    from (select unnest(${idsOf(requests)}::uuid[]) as request_id order by 1) as asked
    on conflict (request_id) do nothing`;
}

/**
 * Returns the outcomes of requests, decided as such or under their keys, by request id. Undecided requests
 * are missing. Large answers are not read: `under` says where they are stored, so the call is always fast.
 * With synchronous standbys, returns only after the standbys have everything that it returns.
 */
export async function readOutcomes(
  sql: Sql | Tx,
  requests: readonly SentRequest[],
): Promise<Map<string, StoredOutcome>> {
  const keyed = requests.filter(isKeyed);
  const [own, ofKeys] = await Promise.all([
    readByIds(sql, requests),
    keyed.length === 0 ? [] : send<KeyRow>(sql)`${keyRows(keyed)}`,
  ]);
  const outcomes = outcomesOfKeys(keyed, ofKeys);
  for (const row of own) outcomes.set(row.request_id, outcomeOfRow(row));
  return outcomes;
}

function readByIds(sql: Sql | Tx, requests: readonly SentRequest[]) {
  return send<OutcomeRow>(sql)`
    select request_id, status, ${isLarge} as is_large, ${smallResult} as result, ${onStandbys} as on_standbys
    from stock_transaction
    where request_id = any(${idsOf(requests)}::uuid[])`;
}

function idsOf(requests: readonly SentRequest[]): string[] {
  return requests.map(({ requestId }) => requestId);
}
