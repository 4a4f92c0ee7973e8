import type { FoldedLog } from './folded-log.ts';

/** What the processes of the service need and may have to do without. */
export type Needed = 'redis' | 'postgres' | 'worker';

/** What is there of what a process needs; each change is told in the log. */
export type Presence = {
  note(what: Needed, isThere: boolean): void;
  isThere(what: Needed): boolean;
  /** What is away, in words for the log; undefined when all is there. */
  away(): string | undefined;
};

const names: Record<Needed, string> = {
  redis: 'Redis is away or takes no work',
  postgres: 'Postgres is away or does not answer',
  worker: 'no worker takes work',
};

/** Takes everything for there until told otherwise. */
export function createPresence(log: FoldedLog): Presence {
  const awaySince = new Map<Needed, number>();

  function tell(level: 'info' | 'warn', what: Needed, message: string, facts: object) {
    // One key for both: what is told late is how it stands then, never an outage that is over.
    log.write({ level, key: `presence of ${what}`, facts: { ...facts }, message, outage: 'change' });
  }

  return {
    note(what, isThere) {
      const since = awaySince.get(what);
      if (isThere && since !== undefined) {
        awaySince.delete(what);
        const awaySeconds = Math.round((performance.now() - since) / 100) / 10;
        tell('info', what, `${what} is back`, { back: what, awaySeconds });
      } else if (!isThere && since === undefined) {
        awaySince.set(what, performance.now());
        tell('warn', what, names[what], { away: what });
      }
    },
    isThere: (what) => !awaySince.has(what),
    away: () => (awaySince.size === 0 ? undefined : [...awaySince.keys()].join(', ')),
  };
}
