import { reasonedNames } from '@inventory/domain/contract/reason';
import type { Sql } from '@inventory/postgres/pool';

/** A reason code that is not listed for operations that it was given for. */
export type UnlistedReason = { reasonCode: number; operations: string[] };

// No index leads to the codes, because it would slow down each transaction. So only these are read.
const newest = 100_000;

/** The reason codes of the newest transactions that would be refused if the list was enforced, by code. */
export async function findUnlistedReasons(sql: Sql): Promise<UnlistedReason[]> {
  const rows = await sql<UnlistedReason[]>`
    select code as "reasonCode", array_agg(distinct kind order by kind) as operations
    from (
      select kind, status, (body->>'reasonCode')::integer as code
      from stock_transaction
      order by transaction_no desc
      limit ${newest}
    ) as newest
    where status = 'applied' and kind = any(${[...reasonedNames]}::text[]) and code is not null
      and not exists (select from reason where reason_code = code and kind = any(operations))
    group by code
    order by code`;
  return [...rows];
}
