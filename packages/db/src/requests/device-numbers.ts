import type { Sql } from '../client.ts';

/** A number that a device of a client gave to an operation. */
export type DeviceNumber = { clientId: string; id: string; seq: number };

/**
 * Notes that these numbers came: of operations that were answered, and may have no transaction of their own.
 * Those that have one, or are noted, are left out.
 */
export async function noteDeviceNumbers(sql: Sql, numbers: readonly DeviceNumber[]): Promise<void> {
  await sql`
    insert into device_number (client_id, device_id, device_seq)
    select client_id, device_id, seq
    from unnest(
      ${numbers.map(({ clientId }) => clientId)}::text[], ${numbers.map(({ id }) => id)}::text[],
      ${numbers.map(({ seq }) => seq)}::bigint[]
    ) as came (client_id, device_id, seq)
    where not exists (
      select
      from stock_transaction
      where stock_transaction.client_id = came.client_id and stock_transaction.device_id = came.device_id
        and device_seq = came.seq
      -- One look into the index for each number, whatever the planner thinks of the ledger.
      offset 0
    )
    -- Always in this order: two that note the same numbers in different ones would wait for each other.
    order by client_id collate "C", device_id collate "C", seq
    on conflict do nothing`;
}
