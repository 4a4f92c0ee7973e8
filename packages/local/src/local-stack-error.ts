/**
 * The local Postgres or Redis cannot be started. The message is one line for the user, without a password.
 */
export class LocalStackError extends Error {
  override name = 'LocalStackError';
}
