import type { Sql } from '@inventory/postgres/pool';

/**
 * A transaction without the contents of its request and answer. `kind` and `client`: null if it was
 * abandoned.
 */
export type LastTransaction = {
  transactionNo: number;
  /** ISO 8601, UTC. */
  at: string;
  kind: string | null;
  client: string | null;
  status: 'applied' | 'refused' | 'abandoned';
  /** The code of a refusal. */
  code: string | null;
};

/**
 * The newest transactions, newest first. Read by the key only, so the cost does not depend on their number.
 */
export async function readLastTransactions(sql: Sql, count: number): Promise<LastTransaction[]> {
  const rows = await sql<
    { no: number; at: Date; kind: string; client: string; status: string; code: string }[]
  >`
    select transaction_no as no, at, kind, client_id as client, status,
      case when status = 'refused' then result ->> 'code' end as code
    from stock_transaction
    order by transaction_no desc
    limit ${count}`;
  return rows.map(({ no, at, ...rest }) => ({
    transactionNo: no,
    at: at.toISOString(),
    ...rest,
    status: rest.status as LastTransaction['status'],
  }));
}
