import { type Answer, attempt } from './attempt.ts';
import { InventoryError, unanswered } from './inventory-error.ts';
import { type CallKind, markOpen, mayHaveArrived, outcomeOf, refusedBy } from './outcome.ts';
import { isTemporary, pause, pauseMs } from './pauses.ts';

export type Persistence = {
  kind: CallKind;
  /** A field that each answer of success of the service has; undefined: any object may be one. */
  mark?: string | undefined;
  /** For the call with all its tries. */
  timeoutMs: number;
  /** For one try: a connection that nothing comes through any more must leave time for another. */
  attemptMs: number;
  /** Its key may have been sent before, by another call. */
  isResend?: boolean | undefined;
  /** Waits for its turn when there are too many calls, however long that takes. */
  isPatient?: boolean | undefined;
  /** Gets a token. A foreign answer ends it: the call that waits for the token is tried again instead. */
  isForToken?: boolean | undefined;
  signal?: AbortSignal | undefined;
};

/**
 * `anything`: something of a try may have left this program. `isUnsure`: the call may be applied already, by
 * an earlier try or, in this one, before a proxy refused its token.
 */
export type Sent = { anything: boolean; isUnsure: boolean };

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
  const aborted = (mayBeApplied: boolean) =>
    unanswered('aborted', 'The call was aborted.', mayBeApplied && kind !== 'read', signal?.reason);
  for (let tries = 1; ; tries++) {
    if (signal?.aborted) throw aborted(isUnsure);
    let failure: InventoryError;
    const sent: Sent = { anything: false, isUnsure };
    try {
      const limitMs = Math.min(how.attemptMs, until - performance.now());
      const answer = await attempt(limitMs, signal, (own) => send(own, sent));
      if (isSuccess(answer, how)) {
        if (kind === 'keyed' && sent.isUnsure) markOpen(answer.body!);
        return answer;
      }
      failure = refusedBy(answer);
    } catch (error) {
      if (signal?.aborted) throw aborted(sent.isUnsure || sent.anything);
      const mayBeApplied = sent.anything && mayHaveArrived(error);
      failure =
        error instanceof InventoryError
          ? error
          : unanswered(
              'connection_lost',
              'The connection was lost before an answer came.',
              mayBeApplied,
              error,
            );
    }
    // What this try has left open must not be sent again.
    const isLast = kind === 'once' && failure.outcome === 'unknown';
    failure = failure.with({ outcome: outcomeOf(kind, failure, sent.isUnsure) });
    isUnsure = failure.outcome === 'unknown';
    if (isLast || isFinal(failure, how)) throw failure;
    const waitMs = pauseMs(tries, failure.retryAfterMs);
    if (failure.status === 429 && how.isPatient) until += waitMs;
    if (performance.now() + waitMs >= until) throw failure;
    await pause(waitMs, signal);
  }
}

/** What is between us and the service may send anything as success, or cut the service's answer off. */
function isSuccess({ status, body }: Answer, { mark }: Persistence): boolean {
  const isWhole = body !== null && (mark === undefined || mark in body);
  return status >= 200 && status < 300 && isWhole;
}

/**
 * Whether a resend changes nothing. One that is applied at most once may get past what answered in place of
 * the service. A body that is too large for that is no smaller the next time, and a wrong address is told at
 * once.
 */
function isFinal({ code, status }: InventoryError, { kind, isForToken }: Persistence): boolean {
  const isSafe = (kind === 'read' && status !== 404) || kind === 'keyed';
  const mayPass = isSafe && code === 'unexpected_answer' && status !== 413 && !isForToken;
  return !isTemporary(status) && !mayPass;
}
