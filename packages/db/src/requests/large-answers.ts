import { leftOutText, smallBytes } from '@inventory/domain/stock/left-out';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import { piece } from '@inventory/postgres/piece';
import type { Sql, Tx } from '@inventory/postgres/pool';

/** An outcome as first read. `result` is null if it is large. */
export type OutcomeRow = {
  request_id: string;
  status: StoredOutcome['status'];
  result: string | null;
  is_large: boolean;
};

/**
 * The most large answers that are read together. An answer of 1,000 lots has up to 700 kB, and parsing it
 * blocks the event loop for some milliseconds.
 */
export const readTogetherMax = 8;

/** Whether the answer in a row of `stock_transaction` is too large to be read together with others. */
// The first condition finds most large answers without unpacking them.
export const isLarge = piece`(status = 'applied' and (pg_column_size(result) > ${smallBytes} or octet_length(result::text) > ${smallBytes}))`;

/** The text of the answer; null if it is large. */
export const smallResult = piece`case when not ${isLarge} then result::text end`;

export function outcomeOfRow({ request_id, status, result, is_large }: OutcomeRow): StoredOutcome {
  return is_large ? { status, result, under: request_id } : { status, result };
}

/** The JSON texts of the answers under these request ids (at most {@link readTogetherMax}), by request id. */
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

/** The short texts for answers under these request ids that do not fit, by request id. */
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
 * Fills in the large answers of these outcomes, each read once, a few at a time, until they have `lengthMax`
 * characters together. The rest get their short text.
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
