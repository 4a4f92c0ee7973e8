import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import { onStandbys } from '../on-standbys.ts';
import type { Sql, Tx } from '../pool.ts';
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
 * Settles requests whose answer did not come. One that was decided has its outcome; one that was not can
 * never be applied from now on, because its request id is taken, or its key refused for all sends that came
 * by now. By request id.
 */
export async function settle(
  sql: Sql,
  requests: readonly SentRequest[],
): Promise<Map<string, StoredOutcome>> {
  const keyed = requests.filter(isKeyed);
  const others = requests.filter((request) => !isKeyed(request));
  await Promise.all([
    others.length > 0 && abandon(sql, others),
    // A key's other sends may be under way too, each with a request id of its own.
    keyed.length > 0 && refuseKeys(sql, keyed),
  ]);
  // Statements of their own: they must see what another connection committed while the first ones waited.
  return readOutcomes(sql, requests);
}

function abandon(sql: Sql, requests: readonly SentRequest[]) {
  return sql`
    insert into stock_transaction (request_id, status)
    select request_id, 'abandoned'
    -- In id order, as the batches claim: two that insert the same ids never wait for each other.
    from (select unnest(${idsOf(requests)}::uuid[]) as request_id order by 1) as asked
    on conflict (request_id) do nothing`;
}

/**
 * The outcomes decided about these requests, or under their keys; one that is missing is not decided. By
 * request id. Of large answers it says where they stand (`under`): what was decided is known in a moment,
 * however much there is to read. Where standbys are synchronous they have all of it.
 */
export async function readOutcomes(
  sql: Sql | Tx,
  requests: readonly SentRequest[],
): Promise<Map<string, StoredOutcome>> {
  const keyed = requests.filter(isKeyed);
  const [own, ofKeys] = await Promise.all([
    readByIds(sql, requests),
    keyed.length === 0 ? [] : sql<KeyRow[]>`${keyRows(sql, keyed)}`,
  ]);
  const outcomes = outcomesOfKeys(keyed, ofKeys);
  for (const row of own) outcomes.set(row.request_id, outcomeOfRow(row));
  return outcomes;
}

function readByIds(sql: Sql | Tx, requests: readonly SentRequest[]) {
  return sql<OutcomeRow[]>`
    select request_id, status, ${isLarge(sql)} as is_large, ${smallResult(sql)} as result, ${onStandbys(sql)} as on_standbys
    from stock_transaction
    where request_id = any(${idsOf(requests)}::uuid[])`;
}

function idsOf(requests: readonly SentRequest[]): string[] {
  return requests.map(({ requestId }) => requestId);
}
