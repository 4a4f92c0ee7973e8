import { messageOf } from './describe-error.ts';
import type { FoldedLog } from './folded-log.ts';
import { isOfConnection } from './known-texts.ts';
import type { Presence } from './presence.ts';

/** Has an error written down that something met which nobody waits for; `what` says what. */
export type Report = (error: Error, what: string) => void;

/**
 * Reports into the log, errors that are alike folded. Those of connections, and whatever goes wrong while
 * something is away, say what is away and are one line a second at most.
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
 * Whether an error is of a connection, or of the server behind it: the system's and the drivers' have a code,
 * those that Redis answers a name, and ioredis' own a text.
 */
function isConnectionTrouble(error: Error): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' || error.name === 'ReplyError' || isOfConnection(error.message);
}
