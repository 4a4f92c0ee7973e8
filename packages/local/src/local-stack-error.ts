/**
 * The local Postgres or Redis cannot be brought up. The message is one line fit for a user and holds no
 * password.
 */
export class LocalStackError extends Error {
  override name = 'LocalStackError';
}
