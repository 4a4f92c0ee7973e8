/**
 * How every Postgres of ours runs: the one of `start`, those of the tests, and, but for the number of
 * connections, the one in docker-compose.yml. This is a ledger: what was answered as done must survive a
 * crash, so the first three are never relaxed, not even in tests.
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
  // Errors of statements are the service's to log, which does so without values. Postgres' own words quote
  // them: messages of wrong values, details with rows, statements, parameters. What the server says of itself
  // (LOG, FATAL, PANIC) stays.
  log_min_messages: 'log',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  log_statement: 'none',
  log_min_duration_statement: '-1',
};

/** The same as arguments of the server. */
export function postgresArguments(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
}
