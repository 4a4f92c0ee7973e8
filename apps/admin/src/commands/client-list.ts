import { listClients } from '@inventory/db/operator/client-accounts';
import { Command } from 'commander';
import { withDatabase } from '../cli/database.ts';
import { example, print, printJson } from '../cli/print.ts';
import { tableLines } from '../cli/table.ts';

export const clientList = new Command('list')
  .description('List clients and what each may do')
  .option('--json', 'print one line of JSON')
  .addHelpText('after', example('client list'))
  .action(async ({ json }: { json?: true }) => {
    await withDatabase(async (sql) => {
      const clients = await listClients(sql);
      if (json) return printJson(clients);
      const rows = clients.map((client) => [
        client.clientId,
        client.permissions.join(','),
        client.warehouses.map(({ wid }) => wid).join(','),
        client.readOnly,
        client.rateLimit ?? 'default',
        client.secrets.length,
        client.disabled ? 'disabled' : '',
      ]);
      const head = ['client', 'permissions', 'warehouses', 'read-only', 'rate limit', 'secrets', ''];
      for (const line of tableLines(head, rows)) print(line);
    });
  });
