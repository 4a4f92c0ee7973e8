import type { Sql } from '../client.ts';

export type DeviceGap = { deviceID: string; from: number; to: number };

// Between two numbers that came, so many that are known are looked at, and as many of each table are read;
// nothing is told of what lies behind them.
const lookedAtMax = 50;
// More gaps say nothing more.
const gapsMax = 1000;

/**
 * The numbers of a client's devices that have not come: between the ones given, and between the lowest of
 * them and what is known of the device below it. Those came that have a transaction, and those that were
 * noted because they have none. In order of device and number, a thousand at most.
 */
export async function findDeviceGaps(
  sql: Sql,
  clientId: string,
  numbers: readonly { id: string; seq: number }[],
): Promise<DeviceGap[]> {
  const rows = await sql<{ device_id: string; first: number; last: number }[]>`
    with come as (
      select distinct device_id, seq
      from unnest(${numbers.map(({ id }) => id)}::text[], ${numbers.map(({ seq }) => seq)}::bigint[]) as come (device_id, seq)
    ), pairs as (
      select device_id, seq, coalesce(
        lag(seq) over (partition by device_id order by seq),
        greatest(
          (
            select max(device_seq)
            from stock_transaction
            where client_id = ${clientId} and stock_transaction.device_id = come.device_id and device_seq < come.seq
          ),
          (
            select max(device_seq)
            from device_number
            where client_id = ${clientId} and device_number.device_id = come.device_id and device_seq < come.seq
          )
        )
      ) as before
      from come
    ), seen as (
      select device_id, seq, before, known.device_seq,
        case
          when row_number() over within_pair <= ${lookedAtMax} then coalesce(lead(known.device_seq) over within_pair, seq)
        end as next
      from pairs
      cross join lateral (
        select before as device_seq
        union
        (
          select distinct device_seq
          from stock_transaction
          where client_id = ${clientId} and stock_transaction.device_id = pairs.device_id
            and device_seq > pairs.before and device_seq < pairs.seq
          order by device_seq
          limit ${lookedAtMax}
        )
        union
        (
          select device_seq
          from device_number
          where client_id = ${clientId} and device_number.device_id = pairs.device_id
            and device_seq > pairs.before and device_seq < pairs.seq
          order by device_seq
          limit ${lookedAtMax}
        )
      ) as known
      where before < seq - 1
      window within_pair as (partition by pairs.device_id, pairs.seq order by known.device_seq)
    )
    select device_id, device_seq + 1 as first, next - 1 as last
    from seen
    where next > device_seq + 1
    order by device_id collate "C", device_seq
    limit ${gapsMax}`;
  return rows.map(({ device_id, first, last }) => ({ deviceID: device_id, from: first, to: last }));
}
