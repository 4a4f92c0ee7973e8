import { type ClientRights, changeClient } from '@inventory/db/access/clients';
import { Command } from 'commander';
import {
  describePermission,
  parseIds,
  parseName,
  parsePermissions,
  parseRateLimit,
  permissionsHelp,
} from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { explainUnknownWarehouse } from '../cli/explain-refusal.ts';
import { example, print, printJson } from '../cli/print.ts';
import { textOf } from '../cli/table.ts';

type Options = {
  id: string;
  permissions?: number[];
  addPermissions?: number[];
  removePermissions?: number[];
  warehouses?: number[];
  addWarehouses?: number[];
  removeWarehouses?: number[];
  readOnly?: boolean;
  rateLimit?: number | 'default';
  operationLimit?: number | 'default';
  json?: true;
};

export const clientSet = new Command('set')
  .description('Change what a client may do; takes effect within a second')
  .requiredOption('--id <name>', 'its client_id', parseName)
  .option('--permissions <list>', `replace its permissions, ${permissionsHelp}`, parsePermissions)
  .option('--add-permissions <list>', 'permissions to add', parsePermissions)
  .option('--remove-permissions <list>', 'permissions to remove', parsePermissions)
  .option('--warehouses <list>', 'replace its scope: ids of warehouses', parseIds)
  .option('--add-warehouses <list>', 'ids of warehouses to add to its scope', parseIds)
  .option('--remove-warehouses <list>', 'ids of warehouses to remove from its scope', parseIds)
  .option('--read-only', 'refuse every write')
  .option('--no-read-only', 'allow writes')
  .option('--rate-limit <number>', 'requests in a window of 60 s, or "default"', parseRateLimit)
  .option(
    '--operation-limit <number>',
    'operations of batches in a window of 60 s, or "default"',
    parseRateLimit,
  )
  .option('--json', 'print one line of JSON: clientId, before and after')
  .addHelpText(
    'after',
    example(
      'client set --id scanner-7 --add-permissions move,issue --rate-limit 300',
      'client set --id scanner-7 --add-warehouses 2 --remove-warehouses 1',
    ),
  )
  .action(async ({ id, json, ...given }: Options) => {
    if (Object.keys(given).length === 0) throw new CommandError('no change was given', 2);
    refuseBoth(given.permissions, given.addPermissions ?? given.removePermissions, 'permissions');
    refuseBoth(given.warehouses, given.addWarehouses ?? given.removeWarehouses, 'warehouses');
    const { addPermissions, removePermissions, addWarehouses, removeWarehouses } = given;
    refuseSame(
      addPermissions?.map(describePermission),
      removePermissions?.map(describePermission),
      'permissions',
    );
    refuseSame(addWarehouses?.map(String), removeWarehouses?.map(String), 'warehouses');
    const wids = [...(given.warehouses ?? []), ...(given.addWarehouses ?? [])];
    await withDatabase(async (sql) => {
      const changed = await changeClient(sql, id, {
        permissions: given.permissions,
        addPermissions: given.addPermissions,
        removePermissions: given.removePermissions,
        wids: given.warehouses,
        addWids: given.addWarehouses,
        removeWids: given.removeWarehouses,
        readOnly: given.readOnly,
        rateLimit: given.rateLimit === 'default' ? null : given.rateLimit,
        operationsPerMinute: given.operationLimit === 'default' ? null : given.operationLimit,
      }).catch(async (error: unknown) => {
        throw await explainUnknownWarehouse(error, sql, wids);
      });
      if (changed === null) throw new CommandError(`there is no client ${id}`);
      if (json) return printJson({ clientId: id, ...changed });
      print(`changed client ${id}`);
      for (const line of describeChange(changed.before, changed.after)) print(line);
    });
  });

function refuseBoth(all: unknown, part: unknown, what: string): void {
  if (all === undefined || part === undefined) return;
  throw new CommandError(`--${what} cannot be combined with --add-${what} or --remove-${what}`, 2);
}

function refuseSame(added: readonly string[] = [], removed: readonly string[] = [], what: string): void {
  const same = [...new Set(added)].filter((each) => removed.includes(each));
  if (same.length === 0) return;
  throw new CommandError(`--add-${what} and --remove-${what} both name ${same.join(', ')}`, 2);
}

const shown: Record<keyof ClientRights, { title: string; text: (rights: ClientRights) => string }> = {
  permissions: {
    title: 'permissions',
    text: ({ permissions }) => permissions.map(describePermission).join(', ') || 'none',
  },
  wids: { title: 'warehouses', text: ({ wids }) => wids.join(', ') || 'none' },
  readOnly: { title: 'read-only', text: ({ readOnly }) => textOf(readOnly) },
  rateLimit: { title: 'rate limit', text: ({ rateLimit }) => textOf(rateLimit ?? 'default') },
  operationsPerMinute: {
    title: 'operation limit',
    text: ({ operationsPerMinute }) => textOf(operationsPerMinute ?? 'default'),
  },
  disabled: { title: 'disabled', text: ({ disabled }) => textOf(disabled) },
};

/** The changes, a line for each. */
function describeChange(before: ClientRights, after: ClientRights): string[] {
  const lines = Object.values(shown).flatMap(({ title, text }) => {
    const [from, to] = [text(before), text(after)];
    return from === to ? [] : [`  ${title}: ${from} → ${to}`];
  });
  return lines.length > 0 ? lines : ['  nothing changed'];
}
