import { leftOutText } from '@inventory/domain/stock/answers';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import type { Fragment, Sql, Tx } from '../client.ts';

/** An outcome as it is read first: `result` is null when it is large. */
export type OutcomeRow = {
  request_id: string;
  status: StoredOutcome['status'];
  result: string | null;
  is_large: boolean;
};

// As much as travels through Redis.
const smallBytes = 4096;
// Of 1,000 lots each has up to 700 kB: parsing these holds an event loop for some milliseconds.
const togetherMax = 8;

/** Whether the answer in a row of `stock_transaction` is too large to be read along with others. */
export function isLarge(sql: Sql | Tx): Fragment {
  // Of most large ones the first says so, without having them unpacked.
  return sql`(status = 'applied' and (pg_column_size(result) > ${smallBytes} or octet_length(result::text) > ${smallBytes}))`;
}

/** The text of that answer, null when it is large. */
export function smallResult(sql: Sql | Tx): Fragment {
  return sql`case when not ${isLarge(sql)} then result::text end`;
}

export function outcomeOfRow({ request_id, status, result, is_large }: OutcomeRow): StoredOutcome {
  return is_large ? { status, result, under: request_id } : { status, result };
}

/**
 * Reads the large answers of these outcomes, each once and a few at a time, and puts them in; none any more
 * when they have more than `lengthMax` characters together.
 */
export async function readLargeAnswers(
  sql: Sql | Tx,
  outcomes: Map<string, StoredOutcome>,
  lengthMax = Number.POSITIVE_INFINITY,
): Promise<void> {
  const open = largeIdsOf(outcomes);
  const results = new Map<string, string>();
  let length = 0;
  while (open.length > 0 && length <= lengthMax) {
    const rows = await sql<{ request_id: string; result: string }[]>`
      select request_id, result::text as result
      from stock_transaction
      where request_id = any(${open.splice(0, togetherMax)}::uuid[])`;
    for (const { request_id, result } of rows) {
      length += result.length;
      results.set(request_id, result);
    }
  }
  putIn(outcomes, results);
}

/** Puts in what stands for the large answers that were not read. */
export async function leaveOutLargeAnswers(
  sql: Sql | Tx,
  outcomes: Map<string, StoredOutcome>,
): Promise<void> {
  const open = largeIdsOf(outcomes);
  if (open.length === 0) return;
  const rows = await sql<{ request_id: string; transaction_no: number }[]>`
    select request_id, transaction_no
    from stock_transaction
    where request_id = any(${open}::uuid[])`;
  putIn(outcomes, new Map(rows.map((row) => [row.request_id, leftOutText(row.transaction_no)])));
}

function largeIdsOf(outcomes: Map<string, StoredOutcome>): string[] {
  return [...new Set([...outcomes.values()].flatMap(({ under }) => under ?? []))];
}

function putIn(outcomes: Map<string, StoredOutcome>, results: ReadonlyMap<string, string>): void {
  for (const [requestId, { under, ...outcome }] of outcomes) {
    const result = under === undefined ? undefined : results.get(under);
    if (result !== undefined) outcomes.set(requestId, { ...outcome, result });
  }
}
