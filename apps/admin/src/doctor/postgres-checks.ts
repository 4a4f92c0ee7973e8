import { listDrift, readAuditState } from '@inventory/db/audit/audit-slice';
import { readOldestChange } from '@inventory/db/changes/oldest-change';
import { readRefusedCursors } from '@inventory/db/changes/refused-cursors';
import { findOthersTable, readSchemaVersion } from '@inventory/db/migrate/migrate';
import {
  countUnfolded,
  readConnections,
  readKeys,
  readRoles,
  readServerVersion,
} from '@inventory/db/operator/health';
import { listSharedGtins } from '@inventory/db/operator/manage-aliases';
import { type AheadTime, readAheadTimes, readTimesAhead } from '@inventory/db/operator/stored-times';
import { countAheadWebhooks, countStoppedWebhooks } from '@inventory/db/webhooks/list-webhooks';
import { inventoryCommand } from '@inventory/domain/operating/called-as';
import { adviceOf } from '@inventory/domain/operating/diagnoses';
import type { Sql } from '@inventory/postgres/pool';
import { findWrongSettings, readSettings } from '@inventory/postgres/wrong-settings';
import { type Finding, fail, ok, type Question, warn } from './check.ts';

// MERGE, which functions of the schema use, is there from 15 on.
const oldestVersion = 150_000;
const unfoldedMany = 100_000;
const unfoldedTooMany = 1_000_000;
const keyDaysMax = 365;
const connectionsShareMax = 0.85;
const driftShown = 3;
const gtinsShown = 3;
const sharedGtinsMax = 1000;
const auditDaysMax = 3;
const openChangeSecondsMax = 30;

/** Settings without which the service works and somebody will be sorry. */
const wanted: Record<string, (value: string) => boolean> = {
  autovacuum: (value) => value === 'on',
  log_statement: (value) => value === 'none',
  log_min_error_statement: (value) => value === 'panic' || value === 'fatal',
  log_min_duration_statement: (value) => value === '-1',
};

export const postgresChecks: Question<Sql>[] = [
  {
    id: 'postgres-version',
    wanted: 'Postgres 15 or newer',
    async look(sql) {
      const { text, number } = await readServerVersion(sql);
      return number >= oldestVersion ? ok(text) : fail(text, 'move the database to a newer Postgres');
    },
  },
  {
    id: 'settings',
    wanted:
      'fsync, full_page_writes and synchronous_commit on; triggers and writes allowed; autovacuum on; no statements or values in the log',
    async look(sql) {
      const { lossy, unfit } = await findWrongSettings(sql);
      const found = await readSettings(sql, Object.keys(wanted));
      const unwise = [...found]
        .filter(([name, value]) => !wanted[name]!(value))
        .map(([name, value]) => `${name} = ${value}`);
      if (lossy.length > 0) {
        return fail(
          `${lossy.join(', ')}: an answered transaction could be lost in a crash`,
          'turn them on in postgresql.conf or with the provider; api and worker refuse to start on such a database',
        );
      }
      if (unfit.length > 0) {
        return fail(
          `${unfit.join(', ')}: the service cannot work with it, and api and worker refuse to start`,
          'find out whether the server, the database or the role sets it, and reset it there',
        );
      }
      if (unwise.length > 0) {
        return warn(
          unwise.join(', '),
          'see docs/logs.md for what the log of Postgres may hold, and leave autovacuum on',
        );
      }
      return ok('as wanted');
    },
  },
  {
    id: 'schema',
    wanted: 'tables that serve this version of the service',
    async look(sql) {
      const { found, known, oldest, fault } = await readSchemaVersion(sql);
      if (found === null) return judgeWithoutTables(await findOthersTable(sql));
      if (fault !== null) return fail(fault.found, fault.remedy);
      if (found < known) {
        return fail(
          `version ${found}, this service needs ${known}`,
          `run \`${inventoryCommand('migrate')}\` as the owner of the tables`,
        );
      }
      if (oldest > known) {
        return fail(`version ${found}, newer than ${known}`, 'run the newer version of the service');
      }
      if (found > known) return ok(`version ${found}, newer than ${known}, which it still serves`);
      return ok(`version ${found}`);
    },
  },
  {
    id: 'roles',
    wanted: 'the three roles, and no login with more rights than its part needs',
    async look(sql) {
      const { missing, excess } = await readRoles(sql);
      if (missing.length > 0) {
        const remedy = `run \`${inventoryCommand('migrate')}\` on the database of the service`;
        return fail(`missing: ${missing.join(', ')}`, remedy);
      }
      if (excess.length > 0) {
        return warn(
          excess.join('; '),
          `give each process a login that is a member of its role: \`${inventoryCommand('migrate --logins /secrets-of')}\``,
        );
      }
      return ok('each part has its own rights');
    },
  },
  {
    id: 'connections',
    wanted: `less than ${connectionsShareMax * 100} % of the connections that Postgres allows in use`,
    async look(sql) {
      const { used, max, ours } = await readConnections(sql);
      const found = `${used} of ${max}, ${ours} of them of this service`;
      return used < max * connectionsShareMax
        ? ok(found)
        : warn(found, 'raise max_connections, or lower DATABASE_CONNECTIONS or the number of processes');
    },
  },
  {
    id: 'keys',
    wanted: `one key that signs tokens, not older than ${keyDaysMax} days, and one for envelopes`,
    async look(sql) {
      const { signing, waiting, ageDays, envelope } = await readKeys(sql);
      if (envelope === 0)
        return fail('no key for envelopes', `run \`${inventoryCommand('key rotate-envelopes')}\``);
      if (signing === 0) {
        const found = waiting > 0 ? 'none signs yet, one waits' : 'no key signs tokens';
        return waiting > 0
          ? warn(found, 'wait a minute')
          : warn(
              found,
              `an api makes the first one when it starts; else run \`${inventoryCommand('key rotate')}\``,
            );
      }
      const found = `one signs, ${ageDays} days old`;
      return ageDays! <= keyDaysMax ? ok(found) : warn(found, `run \`${inventoryCommand('key rotate')}\``);
    },
  },
  {
    id: 'folding',
    wanted: `fewer than ${unfoldedMany.toLocaleString('en')} arrivals that the counts of the lists do not hold yet`,
    async look(sql) {
      const counts = Object.entries(await countUnfolded(sql, unfoldedTooMany));
      const most = Math.max(...counts.map(([, count]) => count));
      const found = counts.map(([what, count]) => `${count} of ${what}`).join(', ');
      if (most < unfoldedMany) return ok(found);
      const remedy = adviceOf('InventoryFoldingLags');
      return most < unfoldedTooMany ? warn(found, remedy) : fail(found, remedy);
    },
  },
  {
    id: 'changes',
    wanted: `no change that has been open for more than ${openChangeSecondsMax} s, and none that was told and lost`,
    async look(sql) {
      const lost = await readRefusedCursors(sql);
      if (lost !== null) {
        return warn(
          `the database has moved, found ${lost.moved.toISOString()}: what was told before may be lost, so cursors are refused with 409 cursorOutdated`,
          'let what follows by cursor or webhook read the lists again (the mirror of the client package does so by itself); with a synchronous standby, a failover loses nothing',
        );
      }
      const oldest = await readOldestChange(sql);
      if (oldest === 0) return ok('none is open');
      const found = `the oldest has been open for ${oldest.toFixed(1)} s`;
      return oldest <= openChangeSecondsMax ? ok(found) : warn(found, adviceOf('InventoryChangesHeld'));
    },
  },
  {
    id: 'gtins',
    wanted: 'no GTIN that is an alias of several items in different spellings, which 0.1.0 allowed',
    async look(sql) {
      const shared = await listSharedGtins(sql, sharedGtinsMax + 1);
      if (shared.length === 0) return ok('none');
      const shown = shared.slice(0, gtinsShown).map(({ aliases }) => {
        const names = aliases.map(({ alias, shortID }) => `${alias} is ${shortID}`);
        return names.join(', ');
      });
      const more = shared.length - shown.length;
      const least = shared.length > sharedGtinsMax ? 'at least ' : '';
      return warn(
        `${shown.join('; ')}${more > 0 ? `; and ${least}${more} more` : ''}`,
        `remove the wrong one: \`${inventoryCommand('alias remove --alias ALIAS')}\`; until then each is found as it is written, and another spelling by the one of 14 digits`,
      );
    },
  },
  {
    id: 'stored-times',
    wanted: 'no stored time that is later than its own rule allows',
    async look(sql) {
      const { ahead, corrected } = await readAheadTimes(sql);
      const remedy = 'repair time synchronisation on the machine of Postgres (chrony, systemd-timesyncd)';
      if (ahead.length > 0)
        return warn(
          `in the future: ${describeTimes(ahead)}`,
          `${remedy}; a worker corrects them within seconds`,
        );
      const least = await readTimesAhead(sql);
      if (least !== null)
        return warn(
          `Postgres' clock was ahead and was set back; until it reaches ${least.toISOString()}, changes have that time`,
          `${remedy}; nothing is lost, but until then lists tell that time, and StockAt and Activity find no change of now`,
        );
      if (corrected.length === 0) return ok('none');
      return warn(
        `Postgres' clock was ahead; workers corrected in the last day: ${describeTimes(corrected)}`,
        remedy,
      );
    },
  },
  {
    id: 'webhooks',
    wanted: 'no webhook that stands still, unless an operator has disabled it',
    async look(sql) {
      const { disabled, paused } = await countStoppedWebhooks(sql);
      const ahead = await countAheadWebhooks(sql);
      const found = `${disabled} disabled after failures, ${paused} paused`;
      if (ahead > 0) {
        const wrongTimes = `${ahead} with times that a clock wrote which was ahead`;
        return warn(
          `${found}, ${wrongTimes}`,
          `start a worker: it corrects them. ${adviceOf('InventoryClockOff')}`,
        );
      }
      return disabled + paused === 0 ? ok(found) : warn(found, adviceOf('InventoryWebhookFails'));
    },
  },
  {
    id: 'drift',
    wanted: `levels, lots and ledger agree, and workers have compared all of them within ${auditDaysMax} days`,
    async look(sql) {
      const { driftCount, ageSeconds } = await readAuditState(sql);
      if (driftCount > 0) {
        const places = (await listDrift(sql, driftShown)).map(
          ({ itemId, wid, recNo, check, expected, found }) =>
            `${itemId} in warehouse ${wid}${recNo > 0 ? `, lot ${recNo}` : ''}: ${check}: ${expected} and ${found}`,
        );
        const more = driftCount > places.length ? ` and ${driftCount - places.length} more` : '';
        return fail(`${places.join('; ')}${more}`, adviceOf('InventoryDrift'));
      }
      const days = ageSeconds / 86_400;
      const found = `none found; last full pass ${days < 1 ? 'less than a day' : `${Math.floor(days)} days`} ago`;
      return days <= auditDaysMax ? ok(found) : warn(found, adviceOf('InventoryAuditLate'));
    },
  },
];

const describeTimes = (times: readonly AheadTime[]) =>
  times
    .map(
      ({ place, count, latest }) =>
        `${place} (${count === 1 ? '' : `${count}, up to `}${latest.toISOString()})`,
    )
    .join(', ');

/** A database that has no tables of the service; `other`: a table of something else there, null: none. */
function judgeWithoutTables(other: string | null): Finding {
  if (other === null) return fail('no tables', `run \`${inventoryCommand('migrate')}\` as their owner`);
  return fail(
    `the database belongs to something else: it holds tables that are not of this service (${other})`,
    'set DATABASE_URL to the database of the service, or give it one of its own',
  );
}
