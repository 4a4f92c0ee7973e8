import { createSigningKey } from '@inventory/auth/token';
import { withdrawSigningKey } from '@inventory/db/access/signing-keys';
import { Command } from 'commander';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';

export const keyWithdraw = new Command('withdraw')
  .description('End a key that may have leaked: its tokens stop working within a second')
  .argument('<kid>', 'the key as key list shows it; put -- before one that begins with a hyphen')
  .addHelpText('after', example('key withdraw 4TjTcSMzvq3nJd3jvYzTeFDnVbwXrSoyZ1C4LVKFgMs'))
  .action(async (kid: string) => {
    await withDatabase(async (sql) => {
      const spare = await createSigningKey();
      const outcome = await withdrawSigningKey(sql, kid, spare);
      if (outcome === 'unknown') throw new CommandError(`there is no signing key ${kid}`);
      if (outcome === 'already') throw new CommandError(`signing key ${kid} is already withdrawn`);
      print(`withdrew signing key ${kid}: its tokens end within a second, and clients fetch new ones`);
      if (outcome === 'succeeded') print(`added signing key ${spare.kid}, which signs at once`);
    });
  });
