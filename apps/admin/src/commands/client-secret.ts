import { createSecret, digestSecret } from '@inventory/auth/secret';
import { addSecret, endTokens } from '@inventory/db/clients';
import { Command } from 'commander';
import { parseExpiry, parseName } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print, printJson } from '../cli/print.ts';

type Options = { id: string; expires?: Date; revokeOthers?: true; json?: true };

export const clientSecret = new Command('secret')
  .description('Give a client a new secret; the newest it has goes on working, an older one ends')
  .requiredOption('--id <name>', 'its client_id', parseName)
  .option(
    '--expires <time>',
    'when the new one ends: 30d, 12h, or a date, whose last moment counts',
    parseExpiry,
  )
  .option('--revoke-others', 'end every other secret of the client at once, and every token that it has')
  .option('--json', 'print one line of JSON: clientId, clientSecret, and expires if it does')
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
    if (revokeOthers)
      print('Every other secret of the client has ended, and so has every token that it had.');
    print('It is not stored and not shown again.');
  });

function tokensLeft(id: string): never {
  throw new CommandError(
    `every secret of client ${id} has ended, but its tokens go on: run this again for a secret that is shown`,
  );
}
