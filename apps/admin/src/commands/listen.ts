import { setTimeout as wait } from 'node:timers/promises';
import { listWarehouses } from '@inventory/db/catalog/warehouses';
import { readFeedPosition } from '@inventory/db/changes/read-position';
import type { Sql } from '@inventory/db/postgres/pool';
import { readFollowed } from '@inventory/db/webhooks/serve-webhooks';
import type { Change } from '@inventory/domain/contract/change';
import { createWebhookSecret, writeWebhookSecret } from '@inventory/webhooks/secret';
import { sendMessage } from '@inventory/webhooks/send-message';
import { makeMessage } from '@inventory/worker/webhooks/make-message';
import { Command } from 'commander';
import { parseName } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { describeChange } from '../cli/describe-change.ts';
import { example, print, printJson, tell } from '../cli/print.ts';
import { beginFrom, type PlaceGiven, parsePlace, parseReceiver, placeHelp } from '../cli/webhook-options.ts';

type Options = { client?: string; from: PlaceGiven; json?: true; forward?: URL };

const lookEveryMs = 250;

export const listen = new Command('listen')
  .description('Show changes as they come, one line each, until Ctrl-C')
  .option('--client <name>', 'those that this client sees; otherwise all', parseName)
  .option('--from <place>', placeHelp, parsePlace, 'now')
  .option('--forward <url>', 'also send them as signed webhooks to a program on this machine', parseReceiver)
  .option('--json', 'print each change as one line of JSON')
  .addHelpText('after', example('listen', 'listen --client demo --forward http://127.0.0.1:8080/hook'))
  .action(async (options: Options) => {
    const stopping = new AbortController();
    const stop = () => stopping.abort();
    process.once('SIGINT', stop).once('SIGTERM', stop);
    try {
      await withDatabase((sql) => follow(sql, options, stopping.signal));
    } finally {
      process.removeListener('SIGINT', stop).removeListener('SIGTERM', stop);
    }
  });

async function follow(sql: Sql, { client, from, json, forward }: Options, signal: AbortSignal) {
  const secret = createWebhookSecret();
  // On standard error, so that standard output has nothing but changes.
  if (forward !== undefined) tell(`secret of this run: ${writeWebhookSecret(secret)}`);
  let position = await readFeedPosition(sql, 0);
  const begin = await beginFrom(sql, from);
  const { identity } = position;
  const { afterNo, scope } = begin === 'now' ? { afterNo: position.knownNo, scope: null } : begin;
  // The cursor of a client has its scope, which is another than that of somebody who sees everything.
  let place = { kinds: null, afterNo, scope: client === undefined ? null : scope };
  while (!signal.aborted) {
    const wids = await readScope(sql, client);
    position = await readFeedPosition(sql, position.knownNo);
    if (position.identity !== identity) throw new CommandError('the database was restored meanwhile');
    const { message, throughNo, hasMore } = await makeMessage(sql, place, position, { wids, at: Date.now() });
    if (message !== null) {
      const changes: Change[] = JSON.parse(message.body).data.value;
      for (const change of changes) json ? printJson(change) : print(describeChange(change));
      if (forward !== undefined) {
        const options = { url: forward.href, allowPrivate: true, secrets: [secret], at: Date.now(), signal };
        const { outcome, answer, tookMs } = await sendMessage(message, options);
        tell(`${message.messageId}: ${outcome} after ${tookMs} ms${answer === '' ? '' : `: ${answer}`}`);
      }
    }
    place = { ...place, afterNo: throughNo, scope: message?.scope ?? place.scope };
    if (!hasMore) await wait(lookEveryMs, undefined, { signal }).catch(() => {});
  }
}

/** The warehouses whose changes are shown. */
async function readScope(sql: Sql, client: string | undefined): Promise<number[]> {
  if (client === undefined) return (await listWarehouses(sql)).map(({ wid }) => wid);
  const wids = await readFollowed(sql, client);
  if (wids !== null) return wids;
  throw new CommandError(`there is no client ${client} that may read changes (permission 11)`);
}
