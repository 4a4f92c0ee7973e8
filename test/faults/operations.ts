import type { Ask } from './requests.ts';
import { type Answer, type Said, saidBy, type Told } from './told.ts';

export type Mode = 'each' | 'atomic';

/** An operation of a batch, with all its answers so far. */
export type Operation = {
  ask: Ask;
  reference: string;
  /** Its own key. */
  key: string | undefined;
  /** The meaning of the last informative answer. */
  said: Said | null;
  /** When it was applied, or refused for good, by `now`; null: not yet. */
  firmAt: number | null;
  transactionNo: number | null;
  last: { answer: Answer; mode: Mode | null; status: number } | null;
  wasUnclear: boolean;
  wasCut: boolean;
};

/**
 * An answer to an operation. `sentAt`: by `now`. `stays`: whether a refusal is final. `ofThisSend`: whether a
 * refusal concerns this send only, so that earlier ones may still be applied.
 */
export type Heard = {
  answer: Answer;
  mode: Mode | null;
  sentAt: number;
  stays: boolean;
  ofThisSend?: boolean;
};

export type Hearing = {
  hear(operation: Operation, heard: Heard): void;
  /** Notes the last answer of an operation that never became clear. */
  giveUp(operation: Operation): void;
  /** Answers that cannot both be true. */
  contradictions: string[];
};

export function createOperation(ask: Ask, reference: string, key: string | undefined): Operation {
  const untold = { said: null, firmAt: null, transactionNo: null, last: null };
  return { ask, reference, key, ...untold, wasUnclear: false, wasCut: false };
}

/** Collects the answers to operations, which may be sent many times, and notes each one's outcome. */
export function createHearing(now: () => number, note: (ask: Ask, told: Omit<Told, 'at'>) => void): Hearing {
  const contradictions: string[] = [];

  function noteLast(operation: Operation) {
    const { ask, reference, said, transactionNo, last, wasUnclear, wasCut } = operation;
    if (said === null || last === null) return;
    const { answer, mode, status } = last;
    const { port, tookMs } = answer;
    const isReplayed = wasUnclear && answer.isReplayed === true;
    const text = said === 'yes' ? '' : answer.text.slice(0, 300);
    const request = { reference, kind: ask.kind, itemId: ask.itemID, batch: mode, wasCut };
    note(ask, { ...request, told: said, status, transactionNo, text, port, tookMs, isReplayed });
  }

  /** Whether this answer contradicts an earlier final one. */
  function isOther(operation: Operation, said: Said, transactionNo: number | null): boolean {
    if (said === 'yes') return transactionNo !== operation.transactionNo;
    return said === 'no' && operation.said === 'yes';
  }

  return {
    contradictions,
    hear(operation, { answer, mode, sentAt, stays, ofThisSend = false }) {
      const { said: before, firmAt, ask, reference } = operation;
      if (answer.cut !== undefined) operation.wasCut = true;
      // A send that was not accepted says nothing about earlier ones.
      const isTaken =
        answer.cut !== 'sending' &&
        answer.status !== 401 &&
        !answer.text.includes('cannot reach its database');
      if (before !== null && !isTaken) return;
      const said = saidBy(answer);
      const transactionNo = said === 'yes' ? (JSON.parse(answer.text).transactionNo as number) : null;
      const what = `${ask.kind} ${reference}, ${mode ?? 'alone'}: ${answer.status} ${answer.text.slice(0, 200)}`;
      if (said === 'no' && answer.text.includes('was used with another request')) {
        contradictions.push(`nothing else has its key: ${what}`);
      }
      if (firmAt !== null) {
        if (sentAt > firmAt && isOther(operation, said, transactionNo)) {
          contradictions.push(`told ${before} ${operation.transactionNo ?? ''} before: ${what}`);
        }
        return;
      }
      const isUnclear = before !== null && before !== 'no';
      if (isUnclear && said === 'no' && ofThisSend) return;
      operation.wasUnclear ||= isUnclear;
      // The operation was refused with its batch; it did not fail.
      const status = ofThisSend ? 409 : answer.status;
      Object.assign(operation, { said, transactionNo, last: { answer, mode, status } });
      // Nor about those under way.
      if (said !== 'yes' && (said !== 'no' || !stays || !isTaken)) return;
      operation.firmAt = now();
      noteLast(operation);
    },
    giveUp(operation) {
      if (operation.firmAt === null) noteLast(operation);
    },
  };
}
