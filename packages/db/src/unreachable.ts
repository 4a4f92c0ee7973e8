import { describePlaces } from '@inventory/process/database-address';
import { messageOf } from '@inventory/process/describe-error';
import { PlainError } from '@inventory/process/plain-error';
import { isOutage } from './client.ts';

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
