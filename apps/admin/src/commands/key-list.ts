import { listSigningKeys } from '@inventory/db/access/signing-keys';
import { Command } from 'commander';
import { withDatabase } from '../cli/database.ts';
import { example, print, printJson } from '../cli/print.ts';
import { tableLines } from '../cli/table.ts';

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
      for (const line of tableLines(['key', 'state', 'signs from', 'until'], rows)) print(line);
    });
  });
