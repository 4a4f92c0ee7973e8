import { createHash } from 'node:crypto';
import type { Sql } from '@inventory/postgres/pool';
import { expect } from 'vitest';
import type { ApiClient } from '../service/api-client.ts';

/** Issues more than there is, with a key; returns the number of the refused request and its answer. */
export async function refuse(client: ApiClient, itemID: string, key: string) {
  const body = { itemID, units: 5, wid: 1, reasonCode: 1 };
  const answer = await client.post('/Inventory/Issue', body, { 'Idempotency-Key': key });
  expect(answer.status).toBe(409);
  return answer;
}

/** The digest of a key. */
export const isOf = (key: string) => createHash('sha256').update(key).digest();

/**
 * Makes a key and its transaction look as if sent this many days ago. The ledger refuses that even to its
 * owner.
 */
export async function age(sql: Sql, key: string, days: number): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`alter table stock_transaction disable trigger stock_transaction_append_only`;
    await tx`
      update stock_transaction
      set at = at - ${days}::integer * interval '1 day'
      from idempotency_key as key
      where key.request_id = stock_transaction.request_id and key_digest = ${isOf(key)}`;
    const aged = await tx`
      update idempotency_key
      set asked_at = asked_at - ${days}::integer * interval '1 day'
      where key_digest = ${isOf(key)}
      returning 1`;
    expect(aged.length).toBe(1);
    // Workers have seen the time pass until now.
    await tx`update retention_clock set reached = clock_timestamp()`;
    await tx`alter table stock_transaction enable trigger stock_transaction_append_only`;
  });
}

/** The rows of a key and of the request it leads or led to. */
export async function thereIs(sql: Sql, key: string, requestId: string) {
  const [row] = await sql<{ key: boolean; request: boolean }[]>`
    select exists (select from idempotency_key where key_digest = ${isOf(key)}) as key,
      exists (select from stock_transaction where request_id = ${requestId}) as request`;
  return row!;
}

/** The request that a key leads to. */
export async function requestOf(sql: Sql, key: string): Promise<string> {
  const [row] = await sql<{ request_id: string }[]>`
    select request_id from idempotency_key where key_digest = ${isOf(key)}`;
  return row!.request_id;
}
