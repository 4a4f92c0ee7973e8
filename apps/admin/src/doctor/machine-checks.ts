import { statfs } from 'node:fs/promises';
import { readLastBackup } from '@inventory/db/backup/backup-records';
import { readClockDifference, readDatabaseSize, tryToWrite } from '@inventory/db/operator/health';
import { diskCommand, inventoryCommand } from '@inventory/domain/operating/called-as';
import { adviceOf } from '@inventory/domain/operating/diagnoses';
import type { Sql } from '@inventory/postgres/pool';
import { certificateDaysMin, readCertificateEnd } from '@inventory/process/certificate-end';
import { describeUnwritable } from '@inventory/process/unwritable';
import { readRedisClocks } from '@inventory/queue/health';
import { readUnwritable, unwritableKeyOf } from '@inventory/queue/unwritable';
import type { RedisConnection } from '@inventory/redis/redis-cluster';
import { describeBytes, describeClock, fail, ok, type Question, unknown, warn } from './check.ts';

/** The parts that these checks examine; null: not present. */
export type Machine = {
  sql: Sql | null;
  redis: RedisConnection | null;
  /** Addresses of apis. */
  apis: readonly string[];
  /** QUEUE_PREFIX. */
  prefix: string;
  /** A folder on the disk that holds Postgres' data. */
  disk: string | null;
};

const clockMaxMs = 2000;
const apiWithinMs = 3000;
const diskLow = 0.15;
const diskOut = 0.03;
// A day, and two hours by which a nightly backup may take longer than the one before.
const backupHoursMax = 26;

export const machineChecks: Question<Machine>[] = [
  {
    id: 'writes',
    wanted: 'Postgres takes what is written',
    look: judgeWrites,
  },
  {
    id: 'clocks',
    wanted: `this machine, Postgres, Redis and the apis within ${clockMaxMs / 1000} s of each other`,
    look: judgeClocks,
  },
  {
    id: 'backup',
    wanted: `a backup of the last ${backupHoursMax} hours`,
    look: judgeBackup,
  },
  {
    id: 'certificate',
    wanted: `more than ${certificateDaysMin} days until the certificate at an https address of --api ends`,
    look: judgeCertificates,
  },
  {
    id: 'disk',
    wanted: `more than ${diskLow * 100} % of the disk of Postgres free`,
    look: judgeDisk,
  },
];

/** By what the workers met, and by a write of its own. */
async function judgeWrites({ sql, redis, prefix }: Machine) {
  const [told, met] = await Promise.all([
    redis === null ? null : readUnwritable(redis, unwritableKeyOf(prefix)),
    sql === null ? null : tryToWrite(sql),
  ]);
  const reason = told ?? met;
  if (reason !== null) {
    const found = `Postgres refuses to write: ${describeUnwritable(reason)}`;
    return fail(found, adviceOf('InventoryPostgresUnwritable'));
  }
  return sql === null ? unknown('Postgres cannot be asked') : ok('Postgres took a write');
}

async function judgeClocks({ sql, redis, apis }: Machine) {
  const postgres = sql === null ? null : await readClockDifference(sql);
  const measured = [
    ...(postgres === null ? [] : [describeClock('Postgres', postgres)]),
    ...(redis === null ? [] : await readClocksOfRedis(redis)),
    ...(await Promise.all(apis.map((url) => readApiClock(url, postgres)))),
  ];
  if (measured.length === 0) return unknown('nothing that has a clock answers');
  const found = measured.map(({ text }) => text).join(', ');
  const differences = measured.map(({ differenceMs }) => differenceMs);
  // Against this machine and against each other: two that are wrong alike agree.
  const spread = Math.max(0, ...differences) - Math.min(0, ...differences);
  if (spread > clockMaxMs) return fail(`clocks differ: ${found}`, adviceOf('InventoryClockOff'));
  return measured.some(({ answers }) => answers === false)
    ? warn(found, 'check that the api runs, and that its address is right')
    : ok(found);
}

async function readClocksOfRedis(redis: RedisConnection) {
  const clocks = await readRedisClocks(redis);
  return clocks.map(({ place, ...clock }) =>
    describeClock(place === null ? 'Redis' : `Redis ${place}`, clock),
  );
}

/**
 * By what an api tells on its internal port of its clock and that of Postgres; on its public port by the
 * header Date of any answer, which tells whole seconds.
 */
async function readApiClock(url: string, postgres: { aheadMs: number; errorMs: number } | null) {
  const { origin, host } = new URL(url);
  const name = `the api at ${host}`;
  const sentAt = performance.now();
  const answer = await fetch(`${origin}/metrics`, { signal: AbortSignal.timeout(apiWithinMs) }).catch(
    () => null,
  );
  if (answer === null) return { text: `${name} does not answer`, differenceMs: 0, answers: false };
  const errorMs = (performance.now() - sentAt) / 2;
  const now = Date.now();
  const seconds = /^inventory_api_clock_difference_seconds (\S+)$/m.exec(await answer.text())?.[1];
  if (seconds !== undefined && postgres !== null) {
    return describeClock(name, { ...postgres, aheadMs: postgres.aheadMs - Number(seconds) * 1000 });
  }
  const date = Date.parse(answer.headers.get('date') ?? '');
  return describeClock(name, { aheadMs: date + 500 - (now - errorMs), errorMs: errorMs + 1000 });
}

async function judgeCertificates({ apis }: Machine) {
  const urls = apis.filter((url) => url.startsWith('https:'));
  if (urls.length === 0) return ok('no https address was given');
  const ends = await Promise.all(urls.map((url) => readCertificateEnd(url).catch(() => null)));
  const now = Date.now();
  const days = ends.map((end) => (end === null ? null : (end - now) / 86_400_000));
  const found = urls.map((url, at) => `${new URL(url).host}: ${describeDaysLeft(days[at]!)}`).join(', ');
  const fewest = Math.min(...days.filter((each) => each !== null));
  const remedy = adviceOf('InventoryCertificateEnds');
  if (fewest < 0) return fail(found, remedy);
  if (fewest < certificateDaysMin) return warn(found, remedy);
  return days.includes(null) ? unknown(found, 'check that the address is right') : ok(found);
}

function describeDaysLeft(days: number | null): string {
  if (days === null) return 'no server answers there with TLS';
  return days < 0 ? 'has ended' : `ends in ${Math.floor(days)} days`;
}

async function judgeBackup({ sql }: Machine) {
  const last = sql === null ? null : await readLastBackup(sql);
  if (last === null) {
    return unknown(
      sql === null ? 'Postgres does not answer' : 'this database has no record of a backup',
      `make one with \`${inventoryCommand('backup >NAME.inventory')}\`, or record one with \`${inventoryCommand('backed-up --by TOOL')}\`, and test that it can be restored`,
    );
  }
  const hours = last.ageSeconds / 3600;
  const size = last.bytes === null ? '' : `, ${describeBytes(last.bytes)}`;
  const found = `${hours.toFixed(1)} hours old, by ${last.madeBy}, of ${last.server}${size}`;
  return hours <= backupHoursMax ? ok(found) : warn(found, adviceOf('InventoryBackupOld'));
}

async function judgeDisk({ sql, disk }: Machine) {
  const bytes = sql === null ? null : await readDatabaseSize(sql);
  const size = bytes === null ? '' : `the database takes ${describeBytes(bytes)}`;
  if (disk === null) {
    return unknown(`${size}${size === '' ? '' : '; '}free space cannot be seen from here`, diskCommand());
  }
  const { bavail, blocks, bsize } = await statfs(disk);
  const share = bavail / blocks;
  const found = [size, `${describeBytes(bavail * bsize)} (${Math.floor(share * 100)} %) free`]
    .filter((text) => text !== '')
    .join(', ');
  if (share > diskLow) return ok(found);
  const remedy = 'make room: Postgres stops writing when its disk is full';
  return share > diskOut ? warn(found, remedy) : fail(found, remedy);
}
