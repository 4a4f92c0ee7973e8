import { createSigningKey } from '@inventory/auth/token';
import { deleteRetiredHalves, rotateSigningKey } from '@inventory/db/access/signing-keys';
import { Command } from 'commander';
import { withDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';

export const keyRotate = new Command('rotate')
  .description('Add a key that signs tokens after a minute; tokens of older keys stay valid until they end')
  .addHelpText('after', example('key rotate'))
  .action(async () => {
    await withDatabase(async (sql) => {
      const key = await createSigningKey();
      await rotateSigningKey(sql, key);
      await deleteRetiredHalves(sql);
      print(`added signing key ${key.kid}`);
    });
  });
