import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureLogins, loginOf, parts } from '@inventory/db/access/logins';
import { migrate, refuseUnableToMakeRoles } from '@inventory/db/migrate/migrate';
import { connections, readConfig } from '@inventory/process/settings/config';
import { reloadRedisUsers } from '@inventory/queue/redis/reload-redis-users';
import { Command } from 'commander';
import { CommandError } from '../cli/command-error.ts';
import { withOwnersDatabase } from '../cli/database.ts';
import { example, print, printMigrationHeld } from '../cli/print.ts';

export const migrateCommand = new Command('migrate')
  .description("Bring the database's tables up to date, as their owner")
  .option(
    '--logins <folder>',
    `also create the logins ${parts.map(loginOf).join(', ')}, each with the password in <folder>/<part>/database-password`,
  )
  .option('--redis-users', 'make Redis reload its file of users (REDIS_URL with the user admin)')
  .addHelpText('after', example('migrate'))
  .action(async (options: { logins?: string; redisUsers?: true }) => {
    const logins = options.logins === undefined ? [] : readLogins(options.logins);
    const redisUrl =
      options.redisUsers && readConfig({ REDIS_URL: connections.REDIS_URL }, process.env).REDIS_URL;
    await withOwnersDatabase(async (sql) => {
      await refuseUnableToMakeRoles(
        sql,
        logins.map(({ name }) => name),
      );
      let count = 0;
      const waited = new Set<string>();
      await migrate(
        sql,
        (name) => {
          count += 1;
          print(`migrated ${name}`);
        },
        {
          onWait(name) {
            if (!waited.has(name)) print(`${name} waits for a table that is in use, and tries again`);
            waited.add(name);
          },
          onHeld: printMigrationHeld,
        },
      );
      if (count === 0) print('nothing to do');
      await ensureLogins(sql, logins);
      for (const { name } of logins) print(`login ${name} exists`);
    });
    if (redisUrl === undefined) return;
    await reloadRedisUsers(redisUrl);
    print('Redis has reloaded its users');
  });

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
