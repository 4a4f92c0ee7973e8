import type { Sql } from '@inventory/postgres/pool';

/**
 * Does some work in a transaction that is rolled back. Returns its result, and how many rows of these tables
 * it read. `without`: the kinds of plans that Postgres must not take, because small tables make them cheap.
 */
export async function countRowsRead<T>(
  sql: Sql,
  { tables, without }: { tables: readonly string[]; without: readonly string[] },
  work: (connection: Sql) => Promise<T>,
): Promise<{ result: T; rows: number }> {
  const connection = await sql.reserve();
  // The view also counts what the connection did before, until Postgres has collected that.
  const readSoFar = async () => {
    const [read] = await connection<{ rows: number }[]>`
      select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::integer as rows
      from pg_stat_xact_user_tables
      where relname = any(${tables as string[]}::text[])`;
    return read!.rows;
  };
  try {
    await connection`begin`;
    for (const plan of without) await connection`select set_config(${`enable_${plan}`}, 'off', true)`;
    const before = await readSoFar();
    const result = await work(connection);
    return { result, rows: (await readSoFar()) - before };
  } finally {
    await connection`rollback`;
    connection.release();
  }
}
