import { messageOf } from '@inventory/process/log/describe-error';
import { PlainError } from '@inventory/process/plain-error';
import { describePlaces } from '@inventory/process/settings/database-address';
import { isOutage } from './pool.ts';

/**
 * Why Postgres cannot work now, for an error that `isOutage` recognizes: the message of this code or of the
 * driver's patch, otherwise the code, so that no user or password is shown.
 */
export function whyAway(error: unknown): string {
  const { code } = error as { code: string };
  return error instanceof PlainError || code === 'TLS_REFUSED' ? messageOf(error) : code;
}

/**
 * Runs `work`. If it fails because Postgres cannot work now, the error names Postgres and its addresses,
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
