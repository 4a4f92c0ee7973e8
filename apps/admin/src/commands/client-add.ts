import { createSecret, digestSecret } from '@inventory/auth/secret';
import { addClient } from '@inventory/db/access/clients';
import { violatedUnique } from '@inventory/postgres/pool';
import { Command } from 'commander';
import { parseId, parseIds, parseNewClientId, parsePermissions, permissionsHelp } from '../cli/arguments.ts';
import { addFleet } from '../cli/client-file.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { explainUnknownWarehouse } from '../cli/explain-refusal.ts';
import { importHelp } from '../cli/import.ts';
import { example, print, printJson } from '../cli/print.ts';

type Options = {
  id?: string;
  permissions?: number[];
  warehouses?: number[];
  readOnly?: true;
  rateLimit?: number;
  operationLimit?: number;
  from?: string;
  skipBad?: true;
  json?: true;
};

export const clientAdd = new Command('add')
  .description('Add a client, or all clients in a file, and print each secret once')
  .option('--id <name>', 'its client_id', parseNewClientId)
  .option('--permissions <list>', `its permissions, ${permissionsHelp}`, parsePermissions)
  .option('--warehouses <list>', 'ids of the warehouses in its scope', parseIds)
  .option('--read-only', 'refuse every write')
  .option('--rate-limit <number>', 'requests in a window of 60 s, instead of the default', parseId)
  .option(
    '--operation-limit <number>',
    'operations of batches in a window of 60 s, instead of the default',
    parseId,
  )
  .option('--from <file>', 'add the clients in this file instead')
  .option('--skip-bad', 'add the valid rows of the file, and skip the others')
  .option('--json', 'print one line of JSON: clientId and clientSecret; for a file, a list of them')
  .addHelpText(
    'after',
    `
Columns of the file: id, permissions and warehouses (lists separated by commas or spaces); optionally readOnly (true or false),
rateLimit and operationLimit. Ids and secrets are printed as CSV once all clients are stored.
${importHelp}${example(
  'client add --id scanner-8 --permissions list,receive --warehouses 1,2',
  'client add --from <fleet.csv --json',
)}`,
  )
  .action(async ({ from, skipBad, ...options }: Options) => {
    if (from === undefined) return addOne(options);
    const alone = ['id', 'permissions', 'warehouses', 'readOnly', 'rateLimit', 'operationLimit'] as const;
    if (alone.some((name) => options[name] !== undefined)) {
      throw new CommandError('--from can only be combined with --skip-bad and --json', 2);
    }
    await addFleet(from, { skipBad: skipBad ?? false, json: options.json ?? false });
  });

async function addOne({
  id,
  permissions,
  warehouses,
  readOnly,
  rateLimit,
  operationLimit,
  json,
}: Omit<Options, 'from' | 'skipBad'>) {
  if (id === undefined || permissions === undefined || warehouses === undefined) {
    throw new CommandError('give --id, --permissions and --warehouses, or --from', 2);
  }
  const clientSecret = createSecret();
  const client = {
    clientId: id,
    permissions,
    wids: warehouses,
    readOnly: readOnly ?? false,
    rateLimit: rateLimit ?? null,
    operationsPerMinute: operationLimit ?? null,
    secretDigest: digestSecret(clientSecret),
  };
  await withDatabase(async (sql) => {
    await addClient(sql, client).catch(async (error: unknown) => {
      const taken = violatedUnique(error);
      if (taken === 'client_pkey') throw new CommandError(`client ${id} already exists`);
      if (taken === 'former_client_pkey') {
        throw new CommandError(
          `client ${id} was removed; its id cannot be used again, because the ledger names it`,
        );
      }
      throw await explainUnknownWarehouse(error, sql, warehouses);
    });
  });
  if (json) return printJson({ clientId: id, clientSecret });
  print(`added client ${id}`);
  print(`client_secret: ${clientSecret}`);
  print('It is not stored and not shown again.');
}
