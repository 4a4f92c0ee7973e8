import postgres from 'postgres';

// The connection never came about: nothing was sent.
const neverSent = new Set(['NEVER_BEGUN', 'ECONNREFUSED', 'CONNECT_TIMEOUT', 'ENOTFOUND', 'EAI_AGAIN']);

/**
 * Whether a single statement that failed with this error may have been carried out all the same: it was sent,
 * and its answer did not come. An error of Postgres itself is an answer: the statement was rolled back. But
 * not one that ends the backend, which can come behind the commit.
 */
export function mayBeApplied(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return error.severity !== 'ERROR';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && !neverSent.has(code);
}
