import { createSecret, digestSecret } from '@inventory/auth/secret';
import { addSecret, endTokens } from '@inventory/db/access/clients';
import { Command } from 'commander';
import { parseExpiry, parseName } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print, printJson } from '../cli/print.ts';

type Options = { id: string; expires?: Date; revokeOthers?: true; json?: true };

export const clientSecret = new Command('secret')
  .description('Add a secret to a client; its newest earlier secret stays valid, older ones end')
  .requiredOption('--id <name>', 'its client_id', parseName)
  .option(
    '--expires <time>',
    'when the new one ends: 30d, 12h, or a date (its last moment, UTC)',
    parseExpiry,
  )
  .option('--revoke-others', 'end all other secrets and all tokens of the client at once')
  .option('--json', 'print one line of JSON: clientId, clientSecret, and expires if it is set')
  .addHelpText(
    'after',
    example('client secret --id scanner-7', 'client secret --id scanner-7 --expires 30d --revoke-others'),
  )
  .action(async ({ id, expires, revokeOthers, json }: Options) => {
    const secret = createSecret();
    await withDatabase(async (sql) => {
      const found = await addSecret(sql, id, digestSecret(secret), {
        expires: expires ?? null,
        revokeOthers: revokeOthers ?? false,
      });
      if (!found) throw new CommandError(`there is no client ${id}`);
      if (revokeOthers) await endTokens(sql, id).catch(() => tokensLeft(id));
    });
    if (json) return printJson({ clientId: id, clientSecret: secret, expires });
    print(`added a secret to client ${id}`);
    print(`client_secret: ${secret}`);
    if (expires !== undefined) print(`It ends at ${expires.toISOString()}.`);
    if (revokeOthers) print('All other secrets and all tokens of the client have ended.');
    print('It is not stored and not shown again.');
  });

function tokensLeft(id: string): never {
  throw new CommandError(
    `all secrets of client ${id} have ended, but its tokens have not; run this again to end them and get a secret`,
  );
}
