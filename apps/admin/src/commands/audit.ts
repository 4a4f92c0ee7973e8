import { findImbalances } from '@inventory/db/operator/audit';
import { Command } from 'commander';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';

export const audit = new Command('audit')
  .description('Check that lots, levels, counts and ledger agree, while the service goes on working')
  .addHelpText('after', example('audit'))
  .action(async () => {
    await withDatabase(async (sql) => {
      const differences = await findImbalances(sql, (check) => print(`checking: ${check}`));
      for (const { check, place, expected, found } of differences) {
        const where = Object.entries(place).map(([column, value]) => `${column} ${value}`);
        print(`${check}: ${where.join(', ')}: expected ${expected}, found ${found}`);
      }
      if (differences.length > 0) throw new CommandError(`${differences.length} differences`);
      print('all is well');
    });
  });
