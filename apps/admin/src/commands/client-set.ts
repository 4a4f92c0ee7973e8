import { changeClient } from '@inventory/db/clients';
import { Command } from 'commander';
import { parseIds, parseName, parsePermissions, parseRateLimit } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { explainUnknownWarehouse } from '../cli/explain-refusal.ts';
import { example, print } from '../cli/print.ts';

type Options = {
  id: string;
  permissions?: number[];
  warehouses?: number[];
  readOnly?: boolean;
  rateLimit?: number | 'default';
  operationLimit?: number | 'default';
};

export const clientSet = new Command('set')
  .description('Change what a client may do; within a second it holds')
  .requiredOption('--id <name>', 'its client_id', parseName)
  .option('--permissions <list>', 'all its permissions from now on: of 11, 15, 88, 95, 116', parsePermissions)
  .option('--warehouses <list>', 'ids of all the warehouses in its scope from now on', parseIds)
  .option('--read-only', 'refuse whatever writes')
  .option('--no-read-only', 'let it write')
  .option('--rate-limit <number>', 'requests in any 60 s, or "default"', parseRateLimit)
  .option('--operation-limit <number>', 'operations of batches in any 60 s, or "default"', parseRateLimit)
  .addHelpText('after', example('client set --id scanner-7 --permissions 11,15,95 --rate-limit 300'))
  .action(async ({ id, ...change }: Options) => {
    if (Object.keys(change).length === 0) throw new CommandError('nothing to change was given', 2);
    const { warehouses: wids, rateLimit, operationLimit, ...rest } = change;
    await withDatabase(async (sql) => {
      const found = await changeClient(sql, id, {
        ...rest,
        wids,
        rateLimit: rateLimit === 'default' ? null : rateLimit,
        operationsPerMinute: operationLimit === 'default' ? null : operationLimit,
      }).catch(async (error: unknown) => {
        throw await explainUnknownWarehouse(error, sql, wids ?? []);
      });
      if (!found) throw new CommandError(`there is no client ${id}`);
      print(`changed client ${id}`);
    });
  });
