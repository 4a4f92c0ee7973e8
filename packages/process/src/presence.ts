import type { FoldedLog } from './log/folded-log.ts';

/** Parts that the processes need, and that may be away. */
export type Needed = 'redis' | 'postgres' | 'worker' | 'writes';

/** Which of these parts are there; each change is logged. */
export type Presence = {
  /** `why`: what the log adds to the words for a part that is away. */
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
  const awaySince = new Map<Needed, number>();

  function tell(level: 'info' | 'warn', what: Needed, message: string, facts: object) {
    // One key for both, so that a delayed line shows the current state, never an outage that is over.
    log.write({ level, key: `presence of ${what}`, facts: { ...facts }, message, outage: 'change' });
  }

  return {
    note(what, isThere, why) {
      const since = awaySince.get(what);
      if (isThere && since !== undefined) {
        awaySince.delete(what);
        const awaySeconds = Math.round((performance.now() - since) / 100) / 10;
        tell('info', what, `${what} is back`, { back: what, awaySeconds });
      } else if (!isThere && since === undefined) {
        awaySince.set(what, performance.now());
        tell('warn', what, why === undefined ? names[what] : `${names[what]}: ${why}`, { away: what });
      }
    },
    isThere: (what) => !awaySince.has(what),
    away: () => (awaySince.size === 0 ? undefined : [...awaySince.keys()].join(', ')),
  };
}
