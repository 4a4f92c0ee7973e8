import type { Kind } from './requests.ts';

export type ItemKind = 'create item' | 'change item' | 'discontinue item';

export type Said = 'yes' | 'no' | 'unknown' | 'lost' | 'cut';

/**
 * The answer to one request of a caller, by the `reference` in it; each operation of a batch counts as one.
 */
export type Told = {
  reference: string;
  kind: Kind | ItemKind;
  itemId: string;
  /**
   * `yes`: 2xx; `no`: any answer that promises it is not applied; `unknown`: an answer that says so; `lost`:
   * no answer; `cut`: no answer either, because the caller hung up.
   */
  told: Said;
  status: number;
  /** Null unless a stock transaction was applied. */
  transactionNo: number | null;
  /** The beginning of any other answer. */
  text: string;
  /** The api that was asked. */
  port: number;
  /** Milliseconds since the run began, and how long it took. */
  at: number;
  tookMs: number;
  /** Resent after an unclear answer, and answered as already applied. */
  isReplayed: boolean;
  /** The mode of the last batch that carried it; null: a call of its own. */
  batch: 'each' | 'atomic' | null;
  /** Whether its caller ever hung up on it. */
  wasCut: boolean;
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

/**
 * Status 0: no answer; -1: the run is over and nothing was sent. `cut`: the caller hung up while it waited,
 * or before it had sent everything.
 */
export type Answer = {
  status: number;
  text: string;
  port: number;
  tookMs: number;
  isReplayed?: boolean;
  cut?: 'waiting' | 'sending';
};

export const isUnclear = ({ status }: { status: number }) => status === 0 || status >= 500;

/** The meaning of an answer to a first send. */
export function saidBy({ status, text, cut }: Answer): Said {
  // Half a body cannot be applied.
  if (cut !== undefined) return cut === 'sending' ? 'no' : 'cut';
  if (status === 0) return 'lost';
  if (status < 300) return 'yes';
  return status >= 500 && text.includes('is not known') ? 'unknown' : 'no';
}

/** The entries that ended at this time or later. `log` is in the order in which they ended. */
export function endedSince<T extends { at: number; tookMs: number }>(log: readonly T[], time: number): T[] {
  // Looks back a little further: requests that ended in one turn may be logged out of order.
  let first = log.length;
  while (first > 0 && log[first - 1]!.at + log[first - 1]!.tookMs >= time - 100) first -= 1;
  return log.slice(first).filter((each) => each.at + each.tookMs >= time);
}
