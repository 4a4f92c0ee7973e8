import { leftOutText, smallBytes } from '@inventory/domain/stock/left-out';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import type { Fragment, Sql, Tx } from '../pool.ts';

/** An outcome as it is read first: `result` is null when it is large. */
export type OutcomeRow = {
  request_id: string;
  status: StoredOutcome['status'];
  result: string | null;
  is_large: boolean;
};

/**
 * How many large answers are read together at most. Of 1,000 lots each has up to 700 kB: parsing these holds
 * an event loop for some milliseconds.
 */
export const readTogetherMax = 8;

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
 * The JSON texts of the answers that stand under these request ids, {@link readTogetherMax} at most; by
 * request id.
 */
export async function readAnswers(
  sql: Sql | Tx,
  requestIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await sql<{ request_id: string; result: string }[]>`
    select request_id, result::text as result
    from stock_transaction
    where request_id = any(${[...requestIds]}::uuid[])`;
  return new Map(rows.map(({ request_id, result }) => [request_id, result]));
}

/** What stands for the answers under these request ids where they have no room; by request id. */
export async function readLeftOut(
  sql: Sql | Tx,
  requestIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await sql<{ request_id: string; transaction_no: number }[]>`
    select request_id, transaction_no
    from stock_transaction
    where request_id = any(${[...requestIds]}::uuid[])`;
  return new Map(rows.map(({ request_id, transaction_no }) => [request_id, leftOutText(transaction_no)]));
}

/**
 * Gives each of these outcomes a result: the large answers are read, each once and a few at a time, until
 * they have `lengthMax` characters together; what stands for the others is in their place.
 */
export async function fillLargeAnswers(
  sql: Sql | Tx,
  outcomes: Map<string, StoredOutcome>,
  lengthMax: number,
): Promise<void> {
  const open = [...new Set([...outcomes.values()].flatMap(({ under }) => under ?? []))];
  if (open.length === 0) return;
  const texts = new Map<string, string>();
  for (let length = 0; open.length > 0 && length <= lengthMax; ) {
    for (const [requestId, text] of await readAnswers(sql, open.splice(0, readTogetherMax))) {
      length += text.length;
      texts.set(requestId, text);
    }
  }
  if (open.length > 0)
    for (const [requestId, text] of await readLeftOut(sql, open)) texts.set(requestId, text);
  for (const [requestId, { under, ...outcome }] of outcomes) {
    const result = under === undefined ? undefined : texts.get(under);
    if (result !== undefined) outcomes.set(requestId, { ...outcome, result });
  }
}
