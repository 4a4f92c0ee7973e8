import { describePlaces } from '@inventory/process/database-address';
import { messageOf } from '@inventory/process/describe-error';
import { PlainError } from '@inventory/process/plain-error';
import { isOutage } from './client.ts';

/**
 * Why Postgres cannot work now, of an error that `isOutage` knows: what we say of it ourselves, else its
 * code, so that it holds no user and no password.
 */
export function whyAway(error: unknown): string {
  return error instanceof PlainError ? error.message : (error as { code: string }).code;
}

/**
 * Does `work`. Where it fails because Postgres cannot work now, the error names Postgres and its places,
 * without user and password.
 */
export async function namingPostgres<T>(databaseUrl: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isOutage(error)) throw error;
    const place = describePlaces(databaseUrl);
    throw new PlainError(
      `Postgres cannot be reached at ${place} (${messageOf(error)}); check DATABASE_URL and that it runs`,
    );
  }
}
