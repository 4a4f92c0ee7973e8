import type { Presence } from './presence.ts';

/** Why a Postgres that answers refuses work, with the words for it. */
const words = {
  disk: 'no space is left on its disk',
  readOnly: 'it is read-only',
  connections: 'it has no connection left',
  memory: 'its memory or its table of locks is full',
  limit: 'a limit of its configuration is reached',
} as const;

export type UnwritableReason = keyof typeof words;

export const unwritableReasons = Object.keys(words) as UnwritableReason[];

export function describeUnwritable(reason: UnwritableReason): string {
  return words[reason];
}

/** The reason as a metric with the label `reason`; absent while there is none. */
export function unwritableReading(reason: string | null): Record<string, number> {
  return reason === null ? {} : { [reason]: 1 };
}

/** Logs when Postgres begins to refuse work, why, and when it takes work again. */
export function noteWrites(presence: Presence, reason: UnwritableReason | null): void {
  presence.note('writes', reason === null, reason === null ? undefined : words[reason]);
}

/** Whether Postgres, or Redis, refuses the work of a process, as its statements show. */
export type Unwritable<Reason = UnwritableReason> = {
  note(reason: Reason): void;
  /** The reason, for some seconds after it was last given; then null. */
  now(): Reason | null;
};

// Callers come again within this time, and their work is refused for the same reason.
const believedMs = 10_000;

export function createUnwritable<Reason = UnwritableReason>(): Unwritable<Reason> {
  let last: { reason: Reason; at: number } | null = null;
  return {
    note(reason) {
      last = { reason, at: performance.now() };
    },
    now: () => (last !== null && performance.now() - last.at < believedMs ? last.reason : null),
  };
}
