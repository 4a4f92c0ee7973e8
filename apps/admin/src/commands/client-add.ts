import { createSecret, digestSecret } from '@inventory/auth/secret';
import { addClient } from '@inventory/db/clients';
import { violatedUnique } from '@inventory/db/pool';
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
  .description('Let a client in, or each of a file, and print its secret, which is not shown again')
  .option('--id <name>', 'its client_id', parseNewClientId)
  .option('--permissions <list>', `its permissions, ${permissionsHelp}`, parsePermissions)
  .option('--warehouses <list>', 'ids of the warehouses in its scope', parseIds)
  .option('--read-only', 'refuse whatever writes')
  .option('--rate-limit <number>', 'requests in a window of 60 s, instead of the default', parseId)
  .option(
    '--operation-limit <number>',
    'operations of batches in a window of 60 s, instead of the default',
    parseId,
  )
  .option('--from <file>', 'the clients of this file, instead of one')
  .option('--skip-bad', 'add the valid rows of the file, and skip the others')
  .option('--json', 'print one line of JSON: clientId and clientSecret, of a file a list of these')
  .addHelpText(
    'after',
    `
Columns of the file: id, permissions and warehouses (each with commas or blanks between), and, if wanted, readOnly (true or false),
rateLimit and operationLimit. Id and secret of each are printed as CSV when all of them are stored.
${importHelp}${example(
  'client add --id scanner-8 --permissions list,receive --warehouses 1,2',
  'client add --from fleet.csv --json',
)}`,
  )
  .action(async ({ from, skipBad, ...options }: Options) => {
    if (from === undefined) return addOne(options);
    const alone = ['id', 'permissions', 'warehouses', 'readOnly', 'rateLimit', 'operationLimit'] as const;
    if (alone.some((name) => options[name] !== undefined)) {
      throw new CommandError('--from names all of the clients: only --skip-bad and --json go with it', 2);
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
    throw new CommandError('--id, --permissions and --warehouses are needed, or --from', 2);
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
      if (taken === 'client_pkey') throw new CommandError(`there is a client ${id} already`);
      if (taken === 'former_client_pkey') {
        throw new CommandError(
          `a client ${id} was removed, and its id is not given again: the ledger names it`,
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
