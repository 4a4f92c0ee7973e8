/**
 * The settings of every Postgres that we run: for `start`, for tests and, except for the number of
 * connections, in docker-compose.yml. An answered transaction must survive a crash, so the first three are
 * never relaxed, not even in tests.
 */
export const postgresSettings: Record<string, string> = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
  checkpoint_completion_target: '0.9',
  wal_compression: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The service logs failed statements itself, without values. Postgres would quote values in messages, rows,
  // statements and parameters. Messages about the server itself (LOG, FATAL, PANIC) are logged.
  log_min_messages: 'log',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  log_statement: 'none',
  log_min_duration_statement: '-1',
};

/** The same settings as arguments of the server. */
export function postgresArguments(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
}
