import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureLogins, loginOf, parts } from '@inventory/db/access/logins';
import { migrate, refuseUnableToMakeRoles } from '@inventory/db/migrate/migrate';
import { knownVersion } from '@inventory/db/migrate/schema-steps';
import { type TriedStep, tryMigrations } from '@inventory/db/migrate/try-migrations';
import type { Sql } from '@inventory/postgres/pool';
import { messageOf } from '@inventory/process/log/describe-error';
import { connections, readConfig } from '@inventory/process/settings/config';
import { reloadRedisUsers } from '@inventory/redis/reload-redis-users';
import { Command, InvalidArgumentError } from 'commander';
import { CommandError } from '../cli/command-error.ts';
import { withOwnersDatabase } from '../cli/database.ts';
import { example, migrationHeld, print } from '../cli/print.ts';

type Options = { logins?: string; redisUsers?: true; dryRun?: true; hold: number };

// Callers wait that long without being refused.
const holdSeconds = 2;

export const migrateCommand = new Command('migrate')
  .description("Bring the database's tables up to date, as their owner")
  .option(
    '--logins <folder>',
    `also create the logins ${parts.map(loginOf).join(', ')}, each with the password in <folder>/<part>/database-password`,
  )
  .option('--redis-users', 'make Redis reload its file of users (REDIS_URL with the user admin)')
  .option('--dry-run', 'only say what would run and who would wait for it; runs it and rolls it back')
  .option(
    '--hold <seconds>',
    'how long --dry-run may hold tables that others wait for',
    parseSeconds,
    holdSeconds,
  )
  .addHelpText('after', example('migrate', 'migrate --dry-run'))
  .action(async (options: Options) => {
    const logins = options.logins === undefined ? [] : readLogins(options.logins);
    const redisUrl =
      options.redisUsers && readConfig({ REDIS_URL: connections.REDIS_URL }, process.env).REDIS_URL;
    await withOwnersDatabase(async (sql) => {
      await refuseUnableToMakeRoles(
        sql,
        logins.map(({ name }) => name),
      );
      if (options.dryRun) return dryRun(sql, options.hold * 1000);
      let count = 0;
      const waited = new Set<string>();
      const version = await migrate(
        sql,
        (name) => {
          count += 1;
          print(`migrated ${name}`);
        },
        {
          onWait(name) {
            if (!waited.has(name)) print(`${name} waits for tables or transactions that are in use`);
            waited.add(name);
          },
          onHeld: () => print(migrationHeld),
        },
      );
      if (version > knownVersion()) print(describeNewer(version));
      else if (count === 0) print('nothing to do');
      await ensureLogins(sql, logins);
      for (const { name } of logins) print(`login ${name} exists`);
    });
    if (redisUrl === undefined || options.dryRun) return;
    await reloadRedisUsers(redisUrl);
    print('Redis has reloaded its users');
  });

function describeNewer(version: number): string {
  return `nothing to do: the tables are of version ${version}, newer than ${knownVersion()}, and still serve this version`;
}

/** Tells what `migrate` would do. Sets the exit code 1 if that would fail, or could not be found out. */
async function dryRun(sql: Sql, holdMs: number): Promise<void> {
  const trial = await tryMigrations(sql, { holdMs });
  if (trial === null) {
    throw new CommandError('a backup or a migration is under way: try again when it has ended');
  }
  const { found, tried, left, serves } = trial;
  if (found !== null && found > knownVersion()) return print(describeNewer(found));
  if (tried.length === 0) return print('nothing to do');
  print(found === null ? 'the database has no tables yet' : `the tables are of version ${found}`);
  for (const step of tried) print(`${step.name} ${describeTried(step, holdMs)}`);
  for (const name of left) print(`${name} was not tried, because it comes after that`);
  if (serves !== null) {
    print(
      serves
        ? 'the running version works with the new tables, and can be restarted'
        : 'the running version cannot use the new tables: stop its apis and workers before you migrate',
    );
  }
  print('nothing was changed');
  const isRefused = tried.some(({ outcome }) => outcome !== 'works' && outcome !== 'outside');
  if (isRefused || serves === false) process.exitCode = 1;
}

function describeTried({ outcome, ms, held, error }: TriedStep, holdMs: number): string {
  switch (outcome) {
    case 'works': {
      const those = held.map(({ table, waiting }) => `${waiting} of ${table}`).join(', ');
      return `would take ${ms} ms; ${those === '' ? 'nobody waits for it' : `meanwhile these wait: ${those}`}`;
    }
    case 'outside':
      return 'would run while the service works, for as long as it takes; it was not tried';
    case 'long': {
      const seconds = holdMs / 1000;
      const found =
        ms < holdMs
          ? `was stopped, because the steps together hold tables for longer than ${seconds} s`
          : `takes longer than ${seconds} s, and was stopped`;
      return `${found}: callers would wait or get 503 until it ends. Measure it on a restored copy, with --hold 3600, and choose a quiet time`;
    }
    case 'busy':
      return 'could not be tried, because a table is in use by a long statement: end it, or try again later';
    case 'wrong':
      return `would fail: ${messageOf(error)}`;
  }
}

function parseSeconds(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 to 99999.');
}

function readLogins(folder: string) {
  return parts.map((part) => {
    const path = join(folder, part, 'database-password');
    try {
      return { part, name: loginOf(part), password: readFileSync(path, 'utf8').trim() };
    } catch {
      throw new CommandError(`${path} cannot be read`, 2);
    }
  });
}
