import { adviceOf } from '@inventory/domain/operating/diagnoses';
import type { Sql } from '@inventory/postgres/pool';
import {
  isCommitAnswered,
  readReplication,
  waitsForStandby,
  whyLossy,
} from '@inventory/postgres/servers/replication';
import { describeServers, primariesOf, type SeenServer } from '@inventory/postgres/servers/seen-servers';
import { fail, ok, type Question, warn } from './check.ts';

/** The primary, and the servers that DATABASE_URL names if there are several. */
export type Servers = { sql: Sql; servers: readonly SeenServer[] };

export const replicationChecks: Question<Servers>[] = [
  {
    id: 'replication',
    wanted: 'a synchronous standby, where there are standbys',
    async look({ sql, servers }) {
      const hostCount = Math.max(1, servers.length);
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

export const serverChecks: Question<readonly SeenServer[]>[] = [
  {
    id: 'servers',
    wanted: 'one primary among the servers of DATABASE_URL, and each of them answers',
    async look(servers) {
      if (servers.length === 0) return ok('DATABASE_URL names one');
      const found = describeServers(servers);
      const primaries = primariesOf(servers).length;
      if (primaries > 1) return fail(`${primaries} primaries: ${found}`, adviceOf('InventoryTwoPrimaries'));
      if (primaries === 0) return fail(`no primary: ${found}`, adviceOf('InventoryPostgresAway'));
      const isAway = servers.some(({ role }) => role === 'away');
      return isAway ? warn(found, adviceOf('InventoryServerAway')) : ok(found);
    },
  },
];
