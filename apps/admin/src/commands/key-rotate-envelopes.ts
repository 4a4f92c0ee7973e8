import { addEnvelopeKey } from '@inventory/db/envelope-keys';
import { Command } from 'commander';
import { withDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';

export const keyRotateEnvelopes = new Command('rotate-envelopes')
  .description(
    'Add a key that signs what travels through Redis from a minute later on; the one before is good for ten more',
  )
  .addHelpText('after', example('key rotate-envelopes'))
  .action(async () => {
    await withDatabase(async (sql) => {
      print(`added envelope key ${await addEnvelopeKey(sql)}`);
    });
  });
