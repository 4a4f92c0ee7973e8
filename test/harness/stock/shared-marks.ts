import type { Sql } from '@inventory/postgres/pool';

/** The marks that half of the lots share; each lot has its own for the rest. */
export const shared = {
  even: { rfidTag: 'SHARED-TAG', serial2: 'SHARED-BATCH' },
  odd: { serial: 'SHARED-SERIAL', spot: 'SHARED-SPOT' },
} as const;

/** The marks of lot `n`, from 1: even ones share tag and second serial, odd ones serial and spot. */
export const marksOf = (n: number) =>
  n % 2 === 0
    ? { ...shared.even, serial: `S-${n}`, spot: `P-${n}` }
    : { ...shared.odd, rfidTag: `T-${n}`, serial2: `B-${n}` };

/** The two days of receipt: even lots came on the first. */
export const days = ['2025-03-01', '2025-03-02'] as const;

/**
 * Adds this many lots of one unit of an item in warehouse 1, with their gate and ledger: for any two fields
 * thousands of lots can match either and none both. One in four expires some day. `held`: they are on hold;
 * `expired`: they expired long ago.
 */
export async function fillShared(
  sql: Sql,
  itemID: string,
  count: number,
  { held = false, expired = false } = {},
): Promise<{ partNo: number }> {
  return sql.begin(async (tx) => {
    await tx`set local statement_timeout = 0`;
    const [level] = await tx<{ part_no: number }[]>`
      insert into stock_level (part_no, wid, in_stock, on_hold, used)
      select part_no, 1, ${count}, ${held ? count : 0}, true
      from item
      where short_id = ${itemID}
      on conflict (part_no, wid) do update set in_stock = stock_level.in_stock + ${count},
        on_hold = stock_level.on_hold + ${held ? count : 0}, used = true
      returning part_no`;
    const partNo = level!.part_no;
    await tx`
      with made as (
        insert into lot (part_no, wid, spot, units, received, expires, serial, serial2, rfid_tag, hold, modified)
        select ${partNo}, 1, case when is_even then 'P-' || n else ${shared.odd.spot} end, 1,
          case when is_even then ${days[0]}::text else ${days[1]} end::timestamptz + n * interval '1 millisecond',
          case when ${expired} then '2020-01-01'::timestamptz when n % 4 = 0 then '2040-01-01'::timestamptz + n * interval '1 minute' end,
          case when is_even then 'S-' || n else ${shared.odd.serial} end,
          case when is_even then ${shared.even.serial2} else 'B-' || n end,
          case when is_even then ${shared.even.rfidTag} else 'T-' || n end, ${held}, now()
        from generate_series(1, ${count}::integer) as n
        cross join lateral (select n % 2 = 0 as is_even) as kind
        order by n
        returning rec_no, spot
      ), received as (
        insert into stock_transaction (request_id, client_id, kind, body, status, result)
        values (gen_random_uuid(), 'tests', 'receive', '{}', 'applied', '{}')
        returning transaction_no
      )
      insert into stock_entry (transaction_no, line, rec_no, part_no, wid, spot, delta, balance)
      select transaction_no, row_number() over (order by rec_no), rec_no, ${partNo}, 1, spot, 1, 1
      from received, made`;
    return { partNo };
  }) as Promise<{ partNo: number }>;
}
