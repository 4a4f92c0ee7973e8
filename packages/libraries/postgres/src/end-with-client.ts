import type postgres from 'postgres';

const checkClient = 'set client_connection_check_interval = 1000';

/**
 * Lets Postgres end what a connection runs, and free its locks, within a second or two after this process has
 * gone: otherwise a long statement runs to its end. Some systems do not support this; there nothing changes.
 */
export async function endWithClient(
  connection: Pick<postgres.Sql, 'unsafe'> | Pick<postgres.TransactionSql, 'savepoint'>,
): Promise<void> {
  // A refused setting would end the transaction that it is in.
  const set =
    'savepoint' in connection
      ? connection.savepoint((part) => part.unsafe(checkClient))
      : connection.unsafe(checkClient);
  await Promise.resolve(set).catch(() => {});
}
