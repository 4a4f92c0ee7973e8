import { addEnvelopeKey } from '@inventory/db/access/envelope-keys';
import { Command } from 'commander';
import { withDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';

export const keyRotateEnvelopes = new Command('rotate-envelopes')
  .description(
    'Add a key that signs envelopes and answers after a minute; the previous one stays valid for ten more minutes',
  )
  .addHelpText('after', example('key rotate-envelopes'))
  .action(async () => {
    await withDatabase(async (sql) => {
      print(`added envelope key ${await addEnvelopeKey(sql)}`);
    });
  });
