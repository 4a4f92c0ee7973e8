import { listWarehouses } from '@inventory/db/catalog/warehouses';
import { readFollowed } from '@inventory/db/webhooks/serve-webhooks';
import type { FeedReader } from '@inventory/domain/contract/feed-state';
import { changeKinds } from '@inventory/domain/contract/webhook';
import type { Sql } from '@inventory/postgres/pool';
import { createWebhookSecret, writeWebhookSecret } from '@inventory/webhooks/secret';
import { type Sent, sendMessage } from '@inventory/webhooks/send-message';
import { messageOf } from '@inventory/worker/webhooks/make-message';
import { Command } from 'commander';
import { parseName } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print, printJsonText, tell } from '../cli/print.ts';
import { type PlaceGiven, parseKinds, parsePlace, parseReceiver, placeHelp } from '../cli/webhook-options.ts';
import { describeChange } from '../listen/describe-change.ts';
import { type Followed, followFeed } from '../listen/follow-feed.ts';

type ListenOptions = {
  client?: string;
  from: PlaceGiven;
  kinds?: string[];
  forward?: URL;
  json?: true;
};

export const listen = new Command('listen')
  .description('Show changes as they come, and forward them to a program on this machine')
  .option('--client <name>', 'only those that this client may see', parseName)
  .option('--from <place>', placeHelp, parsePlace, 'now')
  .option('--kinds <list>', `only these: ${changeKinds.join(', ')}`, parseKinds)
  .option(
    '--forward <url>',
    'send them to this address as signed webhooks, and print its answers',
    parseReceiver,
  )
  .option('--json', 'print each change as one line of JSON')
  .addHelpText(
    'after',
    `\nIt goes on until Ctrl-C. A message that does not arrive is not sent again. For a receiver in use: webhook add.\n${example(
      'listen',
      'listen --client erp --forward http://127.0.0.1:8080/hook',
    )}`,
  )
  .action(async ({ client, from, kinds, forward, json }: ListenOptions) => {
    const stop = new AbortController();
    const end = () => stop.abort();
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    for (const signal of signals) process.on(signal, end);
    // The reader of the output is gone, as in `listen | head`.
    process.stdout.on('error', end);
    const send = forward === undefined ? null : createForwarder(forward, stop.signal);
    try {
      await withDatabase(async (sql) => {
        const readReader = () => readFollower(sql, client);
        const feed = followFeed(sql, { from, kinds: kinds ?? null, readReader }, stop.signal);
        for await (const followed of feed) {
          for (const change of followed.changes)
            json ? printJsonText(change) : print(describeChange(JSON.parse(change)));
          await send?.(followed);
        }
      });
    } finally {
      for (const signal of signals) process.off(signal, end);
      process.stdout.off('error', end);
    }
  });

/** A client, or somebody with all warehouses. Throws CommandError if the client may not read changes. */
async function readFollower(sql: Sql, client: string | undefined): Promise<FeedReader> {
  if (client === undefined) {
    const wids = (await listWarehouses(sql)).map(({ wid }) => wid);
    return { scopeNo: 0, wids };
  }
  const reader = await readFollowed(sql, client);
  if (reader === null)
    throw new CommandError(
      `client ${client} may not read changes: it needs permission 11 and must be enabled`,
    );
  return reader;
}

/** Sends changes as webhooks are sent, once each, under a secret that it prints. */
function createForwarder(url: URL, signal: AbortSignal) {
  const secret = createWebhookSecret();
  tell(`secret: ${writeWebhookSecret(secret)}`);
  return async ({ changes, nextCursor }: Followed) => {
    const at = Date.now();
    const message = messageOf(changes, nextCursor, at);
    const sent = await sendMessage(message, {
      ...{ url: url.href, allowPrivate: true, secrets: [secret], at, signal },
    });
    if (!signal.aborted) tell(describeAnswer(message.messageId, sent));
  };
}

function describeAnswer(messageId: string, { outcome, tookMs, answer }: Sent): string {
  const said = answer === '' ? '' : `: ${answer}`;
  return `${messageId} ${outcome} after ${tookMs} ms${said}`;
}
