import { setTimeout as wait } from 'node:timers/promises';
import {
  listDeliveries,
  listWebhookSecrets,
  listWebhooks,
  type Webhook,
  type WebhookDelivery,
  type WebhookStop,
} from '@inventory/db/webhooks/list-webhooks';
import {
  askForTest,
  disableWebhook,
  enableWebhook,
  removeWebhook,
  replayWebhook,
} from '@inventory/db/webhooks/manage-webhooks';
import type { Sql } from '@inventory/postgres/pool';
import { Command } from 'commander';
import { parseId, parseLimit, parseName } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print, printJson } from '../cli/print.ts';
import { printFields, printTable } from '../cli/table.ts';
import { beginFrom, type PlaceGiven, parsePlace, placeHelp } from '../cli/webhook-options.ts';

const reasons: Record<WebhookStop, string> = {
  operator: 'by an operator',
  gone: 'the receiver answered 410',
  failed: 'every attempt failed',
  restored: 'the database was restored since: use webhook replay',
  clientRemoved: 'its client was removed',
  clientDisabled: 'its client is disabled',
  permission: 'its client has no permission 11',
};

function describeState({ state, why }: Webhook): string {
  return why === null ? state : `${state}: ${reasons[why]}`;
}

export const webhookList = new Command('list')
  .description('List webhooks and how they are')
  .option('--client <name>', 'those of this client', parseName)
  .option('--json', 'print one line of JSON')
  .addHelpText('after', example('webhook list', 'webhook list --client scanner-7'))
  .action(async ({ client, json }: { client?: string; json?: true }) => {
    await withDatabase(async (sql) => {
      const webhooks = await listWebhooks(sql, { clientId: client ?? null });
      if (json) return printJson(webhooks);
      const rows = webhooks.map((webhook) => [
        webhook.webhookId,
        webhook.clientId,
        webhook.url,
        webhook.kinds?.join(',') ?? 'all',
        webhook.lastAttempt,
        webhook.lastOutcome,
        describeState(webhook),
      ]);
      printTable(['webhook', 'client', 'url', 'kinds', 'last attempt', 'outcome', 'state'], rows);
    });
  });

// For people; --json has the whole texts.
const answerShown = 60;

export const webhookShow = new Command('show')
  .description('Show a webhook and its last deliveries, newest first')
  .requiredOption('--id <number>', 'the webhook', parseId)
  .option('--limit <number>', 'show at most this many deliveries', parseLimit, 20)
  .option('--json', 'print one line of JSON, with the first 1,024 bytes of each answer')
  .addHelpText('after', example('webhook show --id 1'))
  .action(async ({ id, limit, json }: { id: number; limit: number; json?: true }) => {
    await withDatabase(async (sql) => {
      const webhook = await find(sql, id);
      const secrets = await listWebhookSecrets(sql, id);
      const deliveries = (await listDeliveries(sql, id)).slice(0, limit);
      if (json) return printJson({ ...webhook, secrets, deliveries });
      const ends = secrets.map(({ created, ends: end }) => {
        return `of ${created.toISOString()}${end === null ? '' : `, ends ${end.toISOString()}`}`;
      });
      printFields({
        webhook: webhook.webhookId,
        client: webhook.clientId,
        url: webhook.url,
        kinds: webhook.kinds?.join(', ') ?? 'all',
        'private address': webhook.allowPrivate,
        state: describeState(webhook),
        since: webhook.since,
        'failed attempts': webhook.attempts,
        'changes a message': `at most ${webhook.changesMax}`,
        'next attempt': webhook.nextAttempt,
        created: webhook.created,
        secrets: ends.join('; ') || 'none: give it one with webhook secret',
      });
      if (deliveries.length === 0) return;
      print('');
      printTable(
        ['at', 'message', 'attempt', 'changes', 'outcome', 'ms', 'answer'],
        deliveries.map((each) => [
          ...[each.at, each.messageId, each.attempt, each.changeCount, each.outcome, each.tookMs],
          each.answer.slice(0, answerShown),
        ]),
      );
    });
  });

async function find(sql: Sql, id: number): Promise<Webhook> {
  const [webhook] = await listWebhooks(sql, { webhookId: id });
  return webhook ?? unknown(id);
}

function unknown(id: number): never {
  throw new CommandError(`there is no webhook ${id}`);
}

export const webhookDisable = new Command('disable')
  .description('End deliveries until webhook enable; what changes meanwhile is sent then')
  .requiredOption('--id <number>', 'the webhook', parseId)
  .addHelpText('after', example('webhook disable --id 1'))
  .action(async ({ id }: { id: number }) => {
    await withDatabase(async (sql) => {
      if (!(await disableWebhook(sql, id))) unknown(id);
      print(`webhook ${id} is disabled`);
    });
  });

export const webhookEnable = new Command('enable')
  .description('Let a webhook go on where it stopped, at once')
  .requiredOption('--id <number>', 'the webhook', parseId)
  .addHelpText('after', example('webhook enable --id 1'))
  .action(async ({ id }: { id: number }) => {
    await withDatabase(async (sql) => {
      const outcome = await enableWebhook(sql, id);
      if (outcome === 'unknown') unknown(id);
      if (outcome === 'restored')
        throw new CommandError(
          `the database was restored since webhook ${id} last sent: use webhook replay with --from`,
        );
      print(`webhook ${id} is enabled`);
    });
  });

export const webhookReplay = new Command('replay')
  .description('Let a webhook go on from another place: send changes again, or leave some out')
  .requiredOption('--id <number>', 'the webhook', parseId)
  .requiredOption('--from <place>', placeHelp, parsePlace)
  .addHelpText('after', example('webhook replay --id 1 --from beginning', 'webhook replay --id 1 --from now'))
  .action(async ({ id, from }: { id: number; from: PlaceGiven }) => {
    await withDatabase(async (sql) => {
      if (!(await replayWebhook(sql, id, await beginFrom(sql, from)))) unknown(id);
      const { state } = await find(sql, id);
      print(`webhook ${id} goes on from there`);
      if (state === 'disabled') print('It is disabled; enable it to send.');
    });
  });

export const webhookRemove = new Command('remove')
  .description('Remove a webhook with its secrets and the record of its deliveries')
  .requiredOption('--id <number>', 'the webhook', parseId)
  .addHelpText('after', example('webhook remove --id 2'))
  .action(async ({ id }: { id: number }) => {
    await withDatabase(async (sql) => {
      if (!(await removeWebhook(sql, id))) unknown(id);
      print(`removed webhook ${id}`);
    });
  });

const testWithinMs = 60_000;
const lookEveryMs = 250;

export const webhookTest = new Command('test')
  .description('Check that messages arrive: a worker sends one without changes, and this shows the answer')
  .requiredOption('--id <number>', 'the webhook', parseId)
  .addHelpText('after', example('webhook test --id 1'))
  .action(async ({ id }: { id: number }) => {
    await withDatabase(async (sql) => {
      const last = (await askForTest(sql, id)) ?? unknown(id);
      const delivery = await awaitTest(sql, id, last);
      if (delivery === null)
        throw new CommandError('there is no answer yet: see webhook show, and ask again if no worker runs');
      const { outcome, tookMs, messageId, answer } = delivery;
      print(`message ${messageId}: ${outcome} after ${tookMs} ms`);
      if (answer !== '') print(answer);
      if (!outcome.startsWith('2')) process.exitCode = 1;
    });
  });

async function awaitTest(sql: Sql, id: number, last: number): Promise<WebhookDelivery | null> {
  const endsAt = performance.now() + testWithinMs;
  while (performance.now() < endsAt) {
    const deliveries = await listDeliveries(sql, id, last);
    const test = deliveries.find(({ changeCount }) => changeCount === 0);
    if (test !== undefined) return test;
    await wait(lookEveryMs);
  }
  return null;
}
