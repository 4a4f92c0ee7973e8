import { apiSettings } from '@inventory/api/config';
import { createSecret, digestSecret } from '@inventory/auth/secret';
import { addSecret, changeClient, endTokens } from '@inventory/db/access/clients';
import { listClients, removeClient } from '@inventory/db/operator/client-accounts';
import { readConfig } from '@inventory/process/settings/config';
import { Command, Option } from 'commander';
import { describePermission, parseExpiry, parseName, parseUrl } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print, printDrawing, printJson } from '../cli/print.ts';
import { drawCode, signInAddress } from '../cli/sign-in-code.ts';
import { printFields, printTable } from '../cli/table.ts';
import { urlOf } from '../start/banner.ts';

export const clientList = new Command('list')
  .description('List clients and what each may do')
  .option('--json', 'print one line of JSON')
  .addHelpText('after', example('client list'))
  .action(async ({ json }: { json?: true }) => {
    await withDatabase(async (sql) => {
      const clients = await listClients(sql);
      if (json) return printJson(clients);
      const rows = clients.map((client) => [
        client.clientId,
        client.permissions.join(','),
        client.warehouses.map(({ wid }) => wid).join(','),
        client.readOnly,
        client.rateLimit ?? 'default',
        client.secrets.length,
        client.disabled ? 'disabled' : '',
      ]);
      const head = ['client', 'permissions', 'warehouses', 'read-only', 'rate limit', 'secrets', ''];
      printTable(head, rows);
    });
  });

export const clientShow = new Command('show')
  .description('Show a client: what it may do, and when its secrets end')
  .requiredOption('--id <name>', 'its client_id', parseName)
  .option('--json', 'print one line of JSON')
  .addHelpText('after', example('client show --id scanner-7'))
  .action(async ({ id, json }: { id: string; json?: true }) => {
    await withDatabase(async (sql) => {
      const [client] = await listClients(sql, id);
      if (client === undefined) throw new CommandError(`there is no client ${id}`);
      if (json) return printJson(client);
      const secrets = client.secrets.map(({ created, expires }) => {
        const end = expires === null ? 'does not expire' : `ends ${expires.toISOString()}`;
        return `of ${created.toISOString()}, ${end}`;
      });
      printFields({
        client: client.clientId,
        permissions: client.permissions.map(describePermission).join(', ') || 'none',
        warehouses: client.warehouses.map(({ wid, name }) => `${wid} ${name}`).join(', ') || 'none',
        'read-only': client.readOnly,
        'rate limit': client.rateLimit ?? 'default',
        'operation limit': client.operationsPerMinute ?? 'default',
        disabled: client.disabled,
        created: client.created,
        secrets: secrets.join('; ') || 'none: it gets no token',
      });
    });
  });

type SecretOptions = { id: string; expires?: Date; revokeOthers?: true; qr?: string | true; json?: true };

export const clientSecret = new Command('secret')
  .description('Add a secret to a client; its newest earlier secret stays valid, older ones end')
  .requiredOption('--id <name>', 'its client_id', parseName)
  .option(
    '--expires <time>',
    'when the new one ends: 30d, 12h, or a date (its last moment, UTC)',
    parseExpiry,
  )
  .option('--revoke-others', 'end all other secrets and all tokens of the client at once')
  .addOption(
    new Option(
      '--qr [address]',
      'show a code instead that signs in when a phone scans it; address: of the service, as the phone reaches it',
    )
      .argParser(parseUrl)
      .conflicts('json'),
  )
  .option('--json', 'print one line of JSON: clientId, clientSecret, and expires if it is set')
  .addHelpText(
    'after',
    example(
      'client secret --id scanner-7',
      'client secret --id scanner-7 --expires 30d --revoke-others',
      'client secret --id scanner-7 --qr https://inventory.example.com',
    ),
  )
  .action(async ({ id, expires, revokeOthers, qr, json }: SecretOptions) => {
    const base = qr && whereServed(qr);
    const secret = createSecret();
    await withDatabase(async (sql) => {
      const found = await addSecret(sql, id, digestSecret(secret), {
        expires: expires ?? null,
        revokeOthers: revokeOthers ?? false,
      });
      if (!found) throw new CommandError(`there is no client ${id}`);
      if (!revokeOthers) return;
      await endTokens(sql, id).catch(() => {
        throw new CommandError(
          `all secrets of client ${id} have ended, but its tokens have not; run this again to end them and get a secret`,
        );
      });
    });
    if (json) return printJson({ clientId: id, clientSecret: secret, expires });
    print(`added a secret to client ${id}`);
    if (base) await showCode(base, { clientId: id, clientSecret: secret });
    else print(`client_secret: ${secret}`);
    if (expires !== undefined) print(`It ends at ${expires.toISOString()}.`);
    if (revokeOthers) print('All other secrets and all tokens of the client have ended.');
    print('It is not stored and not shown again.');
  });

/** The address of the service for a code: the one that was given, or else what its settings tell. */
function whereServed(given: string | true): string {
  if (given !== true) return given;
  const { HOST, PORT, CERTIFICATE_URL } = apiSettings;
  const config = readConfig({ HOST, PORT, CERTIFICATE_URL }, process.env);
  return config.CERTIFICATE_URL ?? urlOf(config.HOST, config.PORT);
}

async function showCode(base: string, client: { clientId: string; clientSecret: string }): Promise<void> {
  const address = signInAddress(base, client);
  printDrawing(await drawCode(address, process.stdout.isTTY === true));
  const { origin, pathname, hostname } = new URL(address);
  print(`Scan it with the camera of the phone: it opens ${origin}${pathname} and signs in.`);
  if (/^(127\.|localhost$|\[::1\]$)/.test(hostname))
    print('Only this machine reaches that address. Name another one for phones: --qr https://…');
}

export const clientDisable = setDisabled(
  'disable',
  'Lock a client out: no new tokens, and its tokens stop working within a second',
  true,
);

export const clientEnable = setDisabled('enable', 'Let a disabled client in again', false);

function setDisabled(name: 'disable' | 'enable', description: string, disabled: boolean): Command {
  return new Command(name)
    .description(description)
    .requiredOption('--id <name>', 'its client_id', parseName)
    .addHelpText('after', example(`client ${name} --id scanner-7`))
    .action(async ({ id }: { id: string }) => {
      await withDatabase(async (sql) => {
        if (!(await changeClient(sql, id, { disabled }))) throw new CommandError(`there is no client ${id}`);
        print(`client ${id} is ${name}d`);
      });
    });
}

export const clientRemove = new Command('remove')
  .description(
    'Remove a client for good: its tokens stop working within a second, and its id cannot be used again',
  )
  .requiredOption('--id <name>', 'its client_id', parseName)
  .addHelpText(
    'after',
    `\nThe ledger keeps its transactions. To lock it out for a while, use client disable.\n${example('client remove --id scanner-7')}`,
  )
  .action(async ({ id }: { id: string }) => {
    await withDatabase(async (sql) => {
      if (!(await removeClient(sql, id))) throw new CommandError(`there is no client ${id}`);
      print(`removed client ${id}`);
    });
  });
