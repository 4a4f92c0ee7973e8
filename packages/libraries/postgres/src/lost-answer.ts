import postgres from 'postgres';

// The connection was never made, so nothing was sent.
const neverSent = new Set(['NEVER_BEGUN', 'ECONNREFUSED', 'CONNECT_TIMEOUT', 'ENOTFOUND', 'EAI_AGAIN']);

/**
 * Whether a single statement that failed with this error may still have been executed: it was sent, and its
 * answer did not come. An error from Postgres is an answer: the statement was rolled back. The exception is
 * an error that ends the backend, because it can come after the commit.
 */
export function mayBeApplied(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return error.severity !== 'ERROR';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && !neverSent.has(code);
}
