import { type Answer, attempt } from './attempt.ts';
import { InventoryError } from './inventory-error.ts';
import { type CallKind, isWhole, mayHaveArrived, outcomeOf, refusedBy } from './outcome.ts';
import { isTemporary, pause, pauseMs } from './pauses.ts';

export type Persistence = {
  kind: CallKind;
  /** For the call with all its tries. */
  timeoutMs: number;
  /** For one try: a connection that nothing comes through any more must leave time for another. */
  attemptMs: number;
  isExact: boolean;
  /** Its key may have been sent before, by another call. */
  isResend?: boolean | undefined;
  /** Waits for its turn when there are too many calls, however long that takes. */
  isPatient?: boolean | undefined;
  /** Gets a token. A foreign answer ends it: the call that waits for the token is tried again instead. */
  isForToken?: boolean | undefined;
  signal?: AbortSignal | undefined;
};

/** Whether anything of a try may have left this program. */
export type Sent = { anything: boolean };

/**
 * Sends until there is an answer that is final, or no time is left. Returns the answer of success; throws
 * InventoryError otherwise.
 */
export async function persist(
  send: (signal: AbortSignal, sent: Sent) => Promise<Answer>,
  how: Persistence,
): Promise<Answer> {
  const { kind, signal } = how;
  let until = performance.now() + how.timeoutMs;
  let isUnsure = how.isResend ?? false;
  for (let tries = 1; ; tries++) {
    if (signal?.aborted) throw aborted(signal, kind, isUnsure);
    let failure: InventoryError;
    const sent: Sent = { anything: false };
    try {
      const limitMs = Math.min(how.attemptMs, until - performance.now());
      const answer = await attempt(limitMs, signal, (own) => send(own, sent));
      if (answer.status >= 200 && answer.status < 300 && isWhole(answer)) return answer;
      failure = refusedBy(answer, how.isExact);
    } catch (error) {
      if (signal?.aborted) throw aborted(signal, kind, isUnsure || sent.anything);
      failure = error instanceof InventoryError ? error : lost(error, sent);
    }
    failure = failure.with({ outcome: outcomeOf(kind, failure, isUnsure) });
    isUnsure = failure.outcome === 'unknown';
    if (!isTemporary(failure.status) && !mayBeSettled(failure, how)) throw failure;
    const waitMs = pauseMs(tries, failure.retryAfterMs);
    if (failure.status === 429 && how.isPatient) until += waitMs;
    if (performance.now() + waitMs >= until) throw failure;
    await pause(waitMs, signal);
  }
}

/**
 * Whether a resend, which is applied at most once, may get past what answered in place of the service. A body
 * that is too large for it is no smaller the next time, and a wrong address is told at once.
 */
function mayBeSettled({ code, status }: InventoryError, { kind, isForToken }: Persistence): boolean {
  const isForeign = kind !== 'unkeyed' && code === 'unexpected_answer' && !isForToken;
  return isForeign && status !== 413 && !(kind === 'read' && status === 404);
}

function lost(error: unknown, sent: Sent): InventoryError {
  return new InventoryError({
    status: 0,
    code: 'connection_lost',
    message: 'The connection was lost before an answer came.',
    outcome: sent.anything && mayHaveArrived(error) ? 'unknown' : 'notApplied',
    cause: error,
  });
}

function aborted(signal: AbortSignal, kind: CallKind, isUnsure: boolean): InventoryError {
  return new InventoryError({
    status: 0,
    code: 'aborted',
    message: 'The call was aborted.',
    outcome: isUnsure && kind !== 'read' ? 'unknown' : 'notApplied',
    cause: signal.reason,
  });
}
