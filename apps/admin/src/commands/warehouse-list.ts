import { listWarehouses } from '@inventory/db/catalog/warehouses';
import { Command } from 'commander';
import { withDatabase } from '../cli/database.ts';
import { example, print, printJson } from '../cli/print.ts';
import { tableLines } from '../cli/table.ts';

export const warehouseList = new Command('list')
  .description('List warehouses, and how many clients have each in their scope')
  .option('--json', 'print one line of JSON')
  .addHelpText('after', example('warehouse list'))
  .action(async ({ json }: { json?: true }) => {
    await withDatabase(async (sql) => {
      const warehouses = await listWarehouses(sql);
      if (json) return printJson(warehouses);
      const rows = warehouses.map(({ wid, name, clients, created }) => [wid, name, clients, created]);
      for (const line of tableLines(['id', 'name', 'clients', 'added'], rows)) print(line);
    });
  });
