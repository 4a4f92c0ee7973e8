import { createSigningKey } from '@inventory/auth/token';
import { addSigningKey } from '@inventory/db/signing-keys';
import { Command } from 'commander';
import { withDatabase } from '../database.ts';
import { example, print } from '../print.ts';

export const keyRotate = new Command('rotate')
  .description('Add a key that signs tokens from a minute later on; tokens of older keys stay good')
  .addHelpText('after', example('key rotate'))
  .action(async () => {
    await withDatabase(async (sql) => {
      const key = await createSigningKey();
      await addSigningKey(sql, key, { onlyFirst: false });
      print(`added signing key ${key.kid}`);
    });
  });
