import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureLogins, loginOf, parts } from '@inventory/db/logins';
import { migrate } from '@inventory/db/migrate';
import { Command } from 'commander';
import { CommandError } from '../cli/command-error.ts';
import { withOwnersDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';

export const migrateCommand = new Command('migrate')
  .description("Bring the database's tables up to date, as their owner")
  .option(
    '--logins <folder>',
    `make the logins ${parts.map(loginOf).join(', ')} too, each with the password in <folder>/<part>/database-password`,
  )
  .addHelpText('after', example('migrate'))
  .action(async (options: { logins?: string }) => {
    const logins = options.logins === undefined ? [] : readLogins(options.logins);
    await withOwnersDatabase(async (sql) => {
      let count = 0;
      await migrate(sql, (name) => {
        count += 1;
        print(`migrated ${name}`);
      });
      if (count === 0) print('nothing to do');
      await ensureLogins(sql, logins);
      for (const { name } of logins) print(`the login ${name} is there`);
    });
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
