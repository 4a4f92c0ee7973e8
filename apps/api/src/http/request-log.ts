import { isOutage, isStatementTimeout, whyUnwritable } from '@inventory/postgres/pool';
import { NeverBegunError } from '@inventory/postgres/statement-pool';
import { describeError } from '@inventory/process/log/describe-error';
import type { Reporting } from '@inventory/process/reporting';
import { Failed, type FailureCause } from './errors.ts';

/**
 * A request as it is logged. `route`: the template; `client`: null if unknown; `waitedMs`: the time since it
 * came.
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
  /** Logs a request that was answered with 500 or 503, and returns the cause. */
  failed(request: LoggedRequest, error: unknown): FailureCause;
  /** Logs any request; null if the access log is off. */
  answered: ((request: LoggedRequest) => void) | null;
};

/** The causes that mean an outage. */
const outages: ReadonlySet<FailureCause> = new Set(['noWorker', 'redis', 'postgres', 'unwritable']);

/**
 * Logs single requests: a line for each failure, with similar ones folded, and a line for each request if the
 * access log is on. The X-Request-Id is the only text from a caller in them.
 */
export function createRequestLog(
  config: { ACCESS_LOG: 'on' | 'off' },
  { log, folded }: Pick<Reporting, 'log' | 'folded'>,
  /** See `Needs`. */
  { whyNoAnswer }: { whyNoAnswer: () => 'postgres' | 'unwritable' | null },
): RequestLog {
  return {
    failed(request, error) {
      const cause = causeOf(error, whyNoAnswer);
      const isOutage = outages.has(cause);
      const facts = {
        ...request,
        cause,
        ...(cause === 'internal' && !(error instanceof Failed) && { err: error }),
      };
      // Every failure at debug level, for an operator who looks for one of the folded ones.
      log.debug(facts, 'one failed request');
      const { method, route, status } = request;
      const key = isOutage ? cause : `${method} ${route} ${status} ${cause} ${placeOf(facts.err)}`;
      const outage = isOutage ? 'cause' : null;
      folded.write({ level: 'error', key: `request ${key}`, facts, message: 'request failed', outage });
      return cause;
    },
    answered: config.ACCESS_LOG === 'on' ? (request) => log.info(request, 'request') : null,
  };
}

function causeOf(error: unknown, whyNoAnswer: () => 'postgres' | 'unwritable' | null): FailureCause {
  if (error instanceof Failed) {
    if (error.because === 'postgres') return whyNoAnswer() ?? 'postgres';
    if (error.because !== null) return error.because;
    if (error.status === 500) return 'internal';
  } else if (whyUnwritable(error) !== null) {
    return 'unwritable';
  } else if (!isStatementTimeout(error) && !(error instanceof NeverBegunError)) {
    return isOutage(error) ? 'postgres' : 'internal';
  }
  // Postgres may be up but overloaded.
  return whyNoAnswer() ?? 'busy';
}

/** Errors of one kind that are thrown at one place are similar. */
function placeOf(error: unknown): string {
  if (error === undefined) return '';
  const { type, message, stack = '' } = describeError(error);
  return `${type} ${message} ${stack.split('\n', 1)[0]}`;
}
