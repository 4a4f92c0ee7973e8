import { isOutage, isStatementTimeout } from '@inventory/db/pool';
import { NeverBegunError } from '@inventory/db/statement-pool';
import { describeError } from '@inventory/process/describe-error';
import type { FoldedLog } from '@inventory/process/folded-log';
import type { Log } from '@inventory/process/log';
import { Failed, type FailureCause } from './errors.ts';

/**
 * A request as the log has it. `route`: the template; `client`: null when it is not known; `waitedMs`: from
 * when it came.
 */
export type LoggedRequest = {
  requestId: string;
  method: string;
  route: string;
  client: string | null;
  status: number;
  waitedMs: number;
};

export type RequestLog = {
  /** Notes a request that was answered 500 or 503, and returns the cause. */
  failed(request: LoggedRequest, error: unknown): FailureCause;
  /** Notes any request, if an access log is wanted. */
  answered: ((request: LoggedRequest) => void) | null;
};

/** The causes that mean an outage. */
const outages: ReadonlySet<FailureCause> = new Set(['noWorker', 'redis', 'postgres']);

/**
 * The lines about single requests: one for each failure, those that are alike folded, and, where it is
 * wanted, one for each request. Nothing in them came from a caller but the X-Request-Id.
 */
export function createRequestLog(options: {
  log: Log;
  folded: FoldedLog;
  /** As `Needs` has it. */
  isPostgresWell: () => boolean;
  isAccessLogged: boolean;
}): RequestLog {
  const { log, folded, isPostgresWell } = options;
  return {
    failed(request, error) {
      const cause = causeOf(error, isPostgresWell);
      const isOutage = outages.has(cause);
      const facts = {
        ...request,
        cause,
        ...(cause === 'internal' && !(error instanceof Failed) && { err: error }),
      };
      // Each of them, for whoever looks for one that is folded.
      log.debug(facts, 'a request that failed');
      const { method, route, status } = request;
      const key = isOutage ? cause : `${method} ${route} ${status} ${cause} ${placeOf(facts.err)}`;
      const outage = isOutage ? 'cause' : null;
      folded.write({ level: 'error', key: `request ${key}`, facts, message: 'request failed', outage });
      return cause;
    },
    answered: options.isAccessLogged ? (request) => log.info(request, 'request') : null,
  };
}

function causeOf(error: unknown, isPostgresWell: () => boolean): FailureCause {
  if (error instanceof Failed) {
    if (error.because !== null) return error.because;
    if (error.status === 500) return 'internal';
  } else if (!isStatementTimeout(error) && !(error instanceof NeverBegunError)) {
    return isOutage(error) ? 'postgres' : 'internal';
  }
  // Postgres may be there, and asked for more than it can do in time.
  return isPostgresWell() ? 'busy' : 'postgres';
}

/** Errors of one kind thrown at one place are alike. */
function placeOf(error: unknown): string {
  if (error === undefined) return '';
  const { type, message, stack = '' } = describeError(error);
  return `${type} ${message} ${stack.split('\n', 1)[0]}`;
}
