import type { Sql } from '@inventory/db/postgres/pool';
import {
  isCommitAnswered,
  readReplication,
  waitsForStandby,
  whyLossy,
} from '@inventory/db/postgres/servers/replication';
import { adviceOf } from '@inventory/process/diagnoses';
import { fail, ok, type Question, warn } from './check.ts';

/** The primary, and how many servers DATABASE_URL names. */
export type Servers = { sql: Sql; hostCount: number };

export const replicationChecks: Question<Servers>[] = [
  {
    id: 'replication',
    wanted: 'a synchronous standby, where there are standbys',
    async look({ sql, hostCount }) {
      const replication = await readReplication(sql);
      const { attached, synchronousNames } = replication;
      const lossy = whyLossy(replication, hostCount);
      const standbys = attached === 0 ? 'no standby is attached' : `${attached} attached`;
      if (lossy !== null) {
        return warn(
          `${standbys}; ${lossy}`,
          'set synchronous_standby_names on every server to ANY 1 of at least two standbys: see docs/upgrade-and-failover.md',
        );
      }
      const remedy = adviceOf('InventoryCommitsHang');
      if (attached === 0 && waitsForStandby(replication))
        return fail(`${standbys}, and synchronous_standby_names is set: no write is answered`, remedy);
      if (waitsForStandby(replication) && !(await isCommitAnswered(sql)))
        return fail(`${standbys}, but none has acknowledged a commit: no write is answered`, remedy);
      if (attached === 0 && hostCount > 1) return warn(`${standbys}; nobody could take over`, remedy);
      return ok(attached === 0 ? standbys : `${standbys}; synchronous: ${synchronousNames}`);
    },
  },
];
