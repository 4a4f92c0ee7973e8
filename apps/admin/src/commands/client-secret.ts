import { createSecret, digestSecret } from '@inventory/auth/secret';
import { addSecret } from '@inventory/db/clients';
import { Command } from 'commander';
import { parseName } from '../arguments.ts';
import { CommandError } from '../command-error.ts';
import { withDatabase } from '../database.ts';
import { example, print } from '../print.ts';

export const clientSecret = new Command('secret')
  .description('Give a client a new secret; the one before it goes on working, an older one ends')
  .requiredOption('--id <name>', 'its client_id', parseName)
  .option('--json', 'print one line of JSON: clientId and clientSecret')
  .addHelpText('after', example('client secret --id scanner-7'))
  .action(async ({ id, json }: { id: string; json?: true }) => {
    const secret = createSecret();
    await withDatabase(async (sql) => {
      const found = await addSecret(sql, id, digestSecret(secret));
      if (!found) throw new CommandError(`there is no client ${id}`);
    });
    if (json) return print(JSON.stringify({ clientId: id, clientSecret: secret }));
    print(`added a secret to client ${id}`);
    print(`client_secret: ${secret}`);
    print('It is not stored and not shown again.');
  });
