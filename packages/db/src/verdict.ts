import type { Sql, Tx } from './client.ts';
import type { StoredOutcome } from './outcome.ts';

/**
 * Settles requests whose answer did not come: what was decided is returned; what was not can never be applied from now on,
 * because its request id is taken. By request id.
 */
export async function settle(sql: Sql, requestIds: readonly string[]): Promise<Map<string, StoredOutcome>> {
  await sql`
    insert into stock_transaction (request_id, status)
    select request_id, 'abandoned'
    -- In id order, as the batches claim: two that insert the same ids never wait for each other.
    from (select unnest(${requestIds as string[]}::uuid[]) as request_id order by 1) as asked
    on conflict (request_id) do nothing`;
  // A statement of its own: it must see what another connection committed while the insert waited.
  return readOutcomes(sql, requestIds);
}

/** What was decided about these requests; one that is missing is not decided. */
export async function readOutcomes(
  sql: Sql | Tx,
  requestIds: readonly string[],
): Promise<Map<string, StoredOutcome>> {
  const rows = await sql<{ request_id: string; status: StoredOutcome['status']; result: string | null }[]>`
    select request_id, status, result::text as result
    from stock_transaction
    where request_id = any(${requestIds as string[]}::uuid[])`;
  return new Map(rows.map((row) => [row.request_id, { status: row.status, result: row.result }]));
}
