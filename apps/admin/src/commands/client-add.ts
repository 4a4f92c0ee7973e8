import { createSecret, digestSecret } from '@inventory/auth/secret';
import { violatedUnique } from '@inventory/db/client';
import { addClient } from '@inventory/db/clients';
import { Command } from 'commander';
import { parseId, parseIds, parseName, parsePermissions } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { explainUnknownWarehouse } from '../cli/explain-refusal.ts';
import { example, print } from '../cli/print.ts';

type Options = {
  id: string;
  permissions: number[];
  warehouses: number[];
  readOnly?: true;
  rateLimit?: number;
  operationLimit?: number;
  json?: true;
};

export const clientAdd = new Command('add')
  .description('Add a client and print its secret, which is not shown again')
  .requiredOption('--id <name>', 'its client_id', parseName)
  .requiredOption('--permissions <list>', 'its permissions: of 11, 15, 88, 95, 116', parsePermissions)
  .requiredOption('--warehouses <list>', 'ids of the warehouses in its scope', parseIds)
  .option('--read-only', 'refuse whatever writes')
  .option('--rate-limit <number>', 'requests in any 60 s, instead of the default', parseId)
  .option('--operation-limit <number>', 'operations of batches in any 60 s, instead of the default', parseId)
  .option('--json', 'print one line of JSON: clientId and clientSecret')
  .addHelpText('after', example('client add --id scanner-7 --permissions 11,95 --warehouses 1,2'))
  .action(async (options: Options) => {
    const clientSecret = createSecret();
    const client = {
      clientId: options.id,
      permissions: options.permissions,
      wids: options.warehouses,
      readOnly: options.readOnly ?? false,
      rateLimit: options.rateLimit ?? null,
      operationsPerMinute: options.operationLimit ?? null,
      secretDigest: digestSecret(clientSecret),
    };
    await withDatabase(async (sql) => {
      await addClient(sql, client).catch(async (error: unknown) => {
        if (violatedUnique(error) === 'client_pkey') {
          throw new CommandError(`there is a client ${options.id} already`);
        }
        throw await explainUnknownWarehouse(error, sql, options.warehouses);
      });
    });
    if (options.json) return print(JSON.stringify({ clientId: options.id, clientSecret }));
    print(`added client ${options.id}`);
    print(`client_secret: ${clientSecret}`);
    print('It is not stored and not shown again.');
  });
