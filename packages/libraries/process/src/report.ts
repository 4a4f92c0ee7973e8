import { messageOf } from './log/describe-error.ts';
import type { FoldedLog } from './log/folded-log.ts';
import { isOfConnection } from './log/known-texts.ts';
import type { Presence } from './presence.ts';

/** Logs an error that no caller waits for. `what`: the place where it occurred. */
export type Report = (error: Error, what: string) => void;

/**
 * Logs such errors, with similar ones folded. Errors of connections, and all errors while something is away,
 * name what is away and are logged at most once a second.
 */
export function createReport(log: FoldedLog, presence: Presence, level: 'warn' | 'error'): Report {
  return (error, what) => {
    const away = presence.away();
    const isOutage = away !== undefined || isConnectionTrouble(error);
    const facts = { err: error, ...(isOutage && away !== undefined && { away }) };
    log.write({
      level,
      key: `${what}: ${messageOf(error)}`,
      facts,
      message: what,
      outage: isOutage ? 'trouble' : null,
    });
  };
}

/**
 * Whether an error concerns a connection or the server behind it. Errors of the system and the drivers have a
 * code, those from Redis a name, and ioredis' own a known text.
 */
function isConnectionTrouble(error: Error): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' || error.name === 'ReplyError' || isOfConnection(error.message);
}
