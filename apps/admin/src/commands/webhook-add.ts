import { isIP } from 'node:net';
import { addWebhook, replaceWebhookSecret, webhooksMax } from '@inventory/db/webhooks/manage-webhooks';
import { changeKinds } from '@inventory/domain/contract/webhook';
import { isLocalName } from '@inventory/webhooks/look-up';
import { hostOf, mayReach } from '@inventory/webhooks/resolve';
import { createWebhookSecret, writeWebhookSecret } from '@inventory/webhooks/secret';
import { Command } from 'commander';
import { parseId, parseName } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print, printJson } from '../cli/print.ts';
import {
  beginFrom,
  type PlaceGiven,
  parseKinds,
  parsePlace,
  parseReceiver,
  placeHelp,
} from '../cli/webhook-options.ts';

type AddOptions = {
  client: string;
  url: URL;
  kinds?: string[];
  from: PlaceGiven;
  allowPrivate?: boolean;
  json?: true;
};

export const webhookAdd = new Command('add')
  .description('Add an address to which the changes of a client are sent')
  .requiredOption('--client <name>', 'whose permissions and warehouses count', parseName)
  .requiredOption('--url <url>', 'the address, with https', parseReceiver)
  .option('--kinds <list>', `only these: ${changeKinds.join(', ')}`, parseKinds)
  .option('--from <place>', placeHelp, parsePlace, 'now')
  .option('--allow-private', 'the address may be in a private network, and use http there')
  .option('--json', 'print one line of JSON: webhookId and secret')
  .addHelpText(
    'after',
    `\nThe secret verifies messages; it is shown only once. See docs/integrations.md.\n${example(
      'webhook add --client scanner-7 --url https://erp.example/inventory',
      'webhook add --client scanner-7 --url http://10.1.2.3:8080/hook --allow-private --kinds stock,hold',
    )}`,
  )
  .action(async ({ client, url, kinds, from, allowPrivate = false, json }: AddOptions) => {
    refuseAddress(url, allowPrivate);
    const secret = createWebhookSecret();
    await withDatabase(async (sql) => {
      const begin = await beginFrom(sql, from);
      const added = await addWebhook(sql, {
        ...{ clientId: client, url: url.href, kinds: kinds ?? null, allowPrivate, begin, secret },
      });
      if (added === 'unknownClient') throw new CommandError(`there is no client ${client}`);
      if (added === 'tooMany')
        throw new CommandError(`client ${client} has ${webhooksMax} webhooks, and may not have more`);
      if (json) return printJson({ webhookId: added, secret: writeWebhookSecret(secret) });
      print(`added webhook ${added} of client ${client}`);
      tellSecret(secret);
    });
  });

/** A name is looked up when something is sent; an address can be refused at once. */
function refuseAddress(url: URL, allowPrivate: boolean): void {
  const isEncrypted = url.protocol === 'https:';
  if (!isEncrypted && !allowPrivate)
    throw new CommandError('--url needs https; http is only for private addresses, with --allow-private', 2);
  const host = hostOf(url);
  refuseName(host);
  const address = isLocalName(host) ? '127.0.0.1' : host;
  if (isIP(address) === 0 || mayReach(address, { allowPrivate, isEncrypted })) return;
  if (mayReach(address, { allowPrivate: true, isEncrypted }))
    throw new CommandError(`${host} is a private address: if it is meant, add --allow-private`);
  throw new CommandError(
    `nothing is sent to ${host}${isEncrypted ? '' : ' without https'}: it is no address of a receiver`,
  );
}

/** A name that no name server can know. */
function refuseName(host: string): void {
  if (isIP(host) !== 0) return;
  const labels = host.replace(/\.$/, '').split('.');
  const isUnknown = /^invalid$/i.test(labels.at(-1)!);
  if (isUnknown || host.length > 254 || labels.some((label) => label === '' || label.length > 63))
    throw new CommandError(`nothing is sent to ${host}: no name server can know this name`, 2);
}

function tellSecret(secret: Uint8Array): void {
  print(`secret: ${writeWebhookSecret(secret)}`);
  print('It is not shown again.');
}

const keptSeconds = 24 * 3600;

export const webhookSecret = new Command('secret')
  .description('Give a webhook a new secret; the previous one signs beside it for a day')
  .requiredOption('--id <number>', 'the webhook', parseId)
  .option('--now', 'end the previous one at once')
  .option('--json', 'print one line of JSON: webhookId, secret, and when the previous one ends')
  .addHelpText('after', example('webhook secret --id 1', 'webhook secret --id 1 --now'))
  .action(async ({ id, now, json }: { id: number; now?: true; json?: true }) => {
    const secret = createWebhookSecret();
    await withDatabase(async (sql) => {
      const ends = await replaceWebhookSecret(sql, id, secret, now ? 0 : keptSeconds);
      if (ends === false) throw new CommandError(`there is no webhook ${id}`);
      if (json) return printJson({ webhookId: id, secret: writeWebhookSecret(secret), previousEnds: ends });
      print(`gave webhook ${id} a new secret`);
      tellSecret(secret);
      print(
        ends === null ? 'The previous one has ended.' : `The previous one ends at ${ends.toISOString()}.`,
      );
    });
  });
