import { listClients } from '@inventory/db/operator/client-accounts';
import { Command } from 'commander';
import { describePermission, parseName } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print, printJson } from '../cli/print.ts';
import { fieldLines } from '../cli/table.ts';

export const clientShow = new Command('show')
  .description('Show a client: what it may do, and when its secrets end')
  .requiredOption('--id <name>', 'its client_id', parseName)
  .option('--json', 'print one line of JSON')
  .addHelpText('after', example('client show --id scanner-7'))
  .action(async ({ id, json }: { id: string; json?: true }) => {
    await withDatabase(async (sql) => {
      const [client] = await listClients(sql, id);
      if (client === undefined) throw new CommandError(`there is no client ${id}`);
      if (json) return printJson(client);
      const secrets = client.secrets.map(({ created, expires }) => {
        const end = expires === null ? 'does not expire' : `ends ${expires.toISOString()}`;
        return `of ${created.toISOString()}, ${end}`;
      });
      const lines = fieldLines({
        client: client.clientId,
        permissions: client.permissions.map(describePermission).join(', ') || 'none',
        warehouses: client.warehouses.map(({ wid, name }) => `${wid} ${name}`).join(', ') || 'none',
        'read-only': client.readOnly,
        'rate limit': client.rateLimit ?? 'default',
        'operation limit': client.operationsPerMinute ?? 'default',
        disabled: client.disabled,
        created: client.created,
        secrets: secrets.join('; ') || 'none: it gets no token',
      });
      for (const line of lines) print(line);
    });
  });
