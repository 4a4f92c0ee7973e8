import type { Kind } from './requests.ts';

export type ItemKind = 'create item' | 'change item' | 'discontinue item';

export type Said = 'yes' | 'no' | 'unknown' | 'lost';

/** The answer that one caller got to one request, by the `reference` it put in. */
export type Told = {
  reference: string;
  kind: Kind | ItemKind;
  itemId: string;
  /**
   * `yes`: 2xx; `no`: any answer that promises it is not applied; `unknown`: an answer that says so; `lost`:
   * no answer.
   */
  told: Said;
  status: number;
  /** Of a yes to a stock transaction. */
  transactionNo: number | null;
  /** The beginning of any other answer. */
  text: string;
  /** The api it was asked of. */
  port: number;
  /** Milliseconds since the run began, and how long it took. */
  at: number;
  tookMs: number;
  /** Sent again after an unclear answer, and told that it had been applied before. */
  isReplayed: boolean;
};

/** Whether it went through the queue. */
export const isTransaction = ({ kind }: Told) => !/ item$/.test(kind);

/** An answer to a GET. */
export type Read = {
  path: string;
  failed: boolean;
  status: number;
  text: string;
  port: number;
  at: number;
  tookMs: number;
};

/** Status 0: no answer; -1: the run is over and nothing was sent. */
export type Answer = { status: number; text: string; port: number; tookMs: number; isReplayed?: boolean };

export const isUnclear = ({ status }: { status: number }) => status === 0 || status >= 500;

export function saidBy({ status, text }: Answer): Said {
  if (status === 0) return 'lost';
  if (status < 300) return 'yes';
  return status >= 500 && text.includes('is not known') ? 'unknown' : 'no';
}

/** Those that ended at this time or later; `log` is in the order in which they ended. */
export function endedSince<T extends { at: number; tookMs: number }>(log: readonly T[], time: number): T[] {
  // A little earlier ones too: requests that ended in one turn may be noted in another order.
  let first = log.length;
  while (first > 0 && log[first - 1]!.at + log[first - 1]!.tookMs >= time - 100) first -= 1;
  return log.slice(first).filter((each) => each.at + each.tookMs >= time);
}
