import { addWarehouse, listWarehouses } from '@inventory/db/catalog/warehouses';
import { renameWarehouse } from '@inventory/db/operator/rename-warehouse';
import { violatedUnique } from '@inventory/postgres/pool';
import { Command } from 'commander';
import { parseId, parseNewName } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print, printJson } from '../cli/print.ts';
import { printTable } from '../cli/table.ts';

export const warehouseAdd = new Command('add')
  .description('Add a warehouse')
  .requiredOption('--id <number>', 'its id (wid)', parseId)
  .requiredOption('--name <name>', 'its name, as lots show it', parseNewName)
  .addHelpText('after', example('warehouse add --id 3 --name North'))
  .action(async ({ id, name }: { id: number; name: string }) => {
    await withDatabase(async (sql) => {
      await addWarehouse(sql, { wid: id, name }).catch((error: unknown) => {
        if (violatedUnique(error) === null) throw error;
        throw new CommandError(`warehouse ${id} already exists`);
      });
      print(`added warehouse ${id} ${name}`);
    });
  });

export const warehouseList = new Command('list')
  .description('List warehouses, and how many clients have each in their scope')
  .option('--json', 'print one line of JSON')
  .addHelpText('after', example('warehouse list'))
  .action(async ({ json }: { json?: true }) => {
    await withDatabase(async (sql) => {
      const warehouses = await listWarehouses(sql);
      if (json) return printJson(warehouses);
      const rows = warehouses.map(({ wid, name, clients, created }) => [wid, name, clients, created]);
      printTable(['id', 'name', 'clients', 'added'], rows);
    });
  });

export const warehouseRename = new Command('rename')
  .description('Rename a warehouse; its lots count as modified, because they show the name')
  .requiredOption('--id <number>', 'its id (wid)', parseId)
  .requiredOption('--name <name>', 'its new name', parseNewName)
  .addHelpText('after', example('warehouse rename --id 2 --name "Overflow hall"'))
  .action(async ({ id, name }: { id: number; name: string }) => {
    await withDatabase(async (sql) => {
      const before = await renameWarehouse(sql, { wid: id, name });
      if (before === null) throw new CommandError(`there is no warehouse ${id}`);
      print(`renamed warehouse ${id}: ${before} → ${name}`);
    });
  });
