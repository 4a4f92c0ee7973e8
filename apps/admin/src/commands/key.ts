import { createSigningKey } from '@inventory/auth/token';
import { addEnvelopeKey } from '@inventory/db/access/envelope-keys';
import {
  deleteRetiredHalves,
  listSigningKeys,
  rotateSigningKey,
  withdrawSigningKey,
} from '@inventory/db/access/signing-keys';
import { Command } from 'commander';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print, printJson } from '../cli/print.ts';
import { printTable } from '../cli/table.ts';

const meanings = `
waits      signs as soon as every process knows it
signs      tokens are signed with it
verifies   its successor signs; its tokens stay valid until they end
ended      all its tokens have expired
withdrawn  none of its tokens is valid`;

export const keyList = new Command('list')
  .description('List the keys that sign tokens, newest first; private halves are not read')
  .option('--json', 'print one line of JSON')
  .addHelpText('after', `${meanings}\n${example('key list')}`)
  .action(async ({ json }: { json?: true }) => {
    await withDatabase(async (sql) => {
      const keys = await listSigningKeys(sql);
      if (json) return printJson(keys);
      const rows = keys.map(({ kid, state, signsFrom, until }) => [kid, state, signsFrom, until]);
      printTable(['key', 'state', 'signs from', 'until'], rows);
    });
  });

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
