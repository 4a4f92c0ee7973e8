import { migrate } from '@inventory/db/migrate';
import { Command } from 'commander';
import { withOwnersDatabase } from '../database.ts';
import { example, print } from '../print.ts';

export const migrateCommand = new Command('migrate')
  .description("Bring the database's tables up to date")
  .addHelpText('after', example('migrate'))
  .action(async () => {
    await withOwnersDatabase(async (sql) => {
      let count = 0;
      await migrate(sql, (name) => {
        count += 1;
        print(`migrated ${name}`);
      });
      if (count === 0) print('nothing to do');
    });
  });
