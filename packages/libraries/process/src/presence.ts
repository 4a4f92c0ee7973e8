import type { FoldedLog } from './log/folded-log.ts';

/** Parts that the processes need, and that may be away. */
export type Needed = 'redis' | 'postgres' | 'worker' | 'writes';

/** Which of these parts are there; each change is logged, also of the reason why one is away. */
export type Presence = {
  /** `why`: what the log adds to the words for a part that is away; it may become known later. */
  note(what: Needed, isThere: boolean, why?: string): void;
  isThere(what: Needed): boolean;
  /** The parts that are away, in words for the log; undefined if none is. */
  away(): string | undefined;
};

const names: Record<Needed, string> = {
  redis: 'Redis is away or takes no work',
  postgres: 'Postgres is away or does not answer',
  worker: 'no worker takes work',
  writes: 'Postgres refuses to write',
};

/** Assumes that everything is there until told otherwise. */
export function createPresence(log: FoldedLog): Presence {
  const outages = new Map<Needed, { since: number; why: string | undefined }>();

  function tell(level: 'info' | 'warn', what: Needed, message: string, facts: object) {
    // One key for both, so that a delayed line shows the current state, never an outage that is over.
    log.write({ level, key: `presence of ${what}`, facts: { ...facts }, message, outage: 'change' });
  }

  function noteAway(what: Needed, why: string | undefined) {
    const outage = outages.get(what);
    if (outage !== undefined && (why === undefined || why === outage.why)) return;
    outages.set(what, { since: outage?.since ?? performance.now(), why });
    tell('warn', what, why === undefined ? names[what] : `${names[what]}: ${why}`, { away: what });
  }

  return {
    note(what, isThere, why) {
      if (!isThere) return noteAway(what, why);
      const outage = outages.get(what);
      if (outage === undefined) return;
      outages.delete(what);
      const awaySeconds = Math.round((performance.now() - outage.since) / 100) / 10;
      tell('info', what, `${what} is back`, { back: what, awaySeconds });
    },
    isThere: (what) => !outages.has(what),
    away: () => (outages.size === 0 ? undefined : [...outages.keys()].join(', ')),
  };
}
