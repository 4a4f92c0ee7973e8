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
  if (error instanceof PlainError || code === 'TLS_REFUSED') return messageOf(error);
  const words = wordsOf[code];
  return words === undefined ? code : `${code}: ${words}`;
}

// Causes that these codes alone do not tell.
const wordsOf: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name is unknown',
  EAI_AGAIN: 'the name server does not answer',
  '08P01': 'a pooler or proxy in front of Postgres refused the connection; its log says why',
};

/** The message of such an error, and in words what its code does not tell. */
function describeAway(error: unknown): string {
  const words = wordsOf[(error as { code: string }).code];
  return words === undefined ? messageOf(error) : `${messageOf(error)}: ${words}`;
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
      `Postgres cannot be reached at ${place} (${describeAway(error)}); check DATABASE_URL and that it runs`,
    );
  }
}
