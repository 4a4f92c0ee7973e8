import { writeState } from '@inventory/domain/contract/feed-state';
import type { Sql, Tx } from '@inventory/postgres/pool';
import { readClients } from '../access/clients.ts';
import { readFeedPosition } from '../changes/read-position.ts';

/** The most webhooks of a client. */
export const webhooksMax = 50;

/** The start of a webhook: behind all changes of now, or behind this number. `scope`: see the table. */
export type Begin = 'now' | { afterNo: number; scope: string | null };

export type NewWebhook = {
  clientId: string;
  url: string;
  kinds: readonly string[] | null;
  allowPrivate: boolean;
  begin: Begin;
  secret: Uint8Array;
};

/** Adds a webhook and returns its number, or why there is none. */
export async function addWebhook(
  sql: Sql,
  { clientId, url, kinds, allowPrivate, begin, secret }: NewWebhook,
): Promise<number | 'unknownClient' | 'tooMany'> {
  return sql.begin(async (tx) => {
    // The lock puts those who add at the same time in sequence. Otherwise there could be too many.
    const [client] = await tx`select from client where client_id = ${clientId} for no key update`;
    if (client === undefined) return 'unknownClient';
    const [others] = await tx<{ count: number }[]>`
      select count(*)::integer as count from webhook where client_id = ${clientId}`;
    if (others!.count >= webhooksMax) return 'tooMany';
    const { afterNo, scope } = await beginAt(tx, clientId, begin);
    const [added] = await tx<{ webhook_id: number }[]>`
      insert into webhook (client_id, url, kinds, allow_private, after_no, database_id, scope)
      select ${clientId}, ${url}, ${kinds as string[] | null}::text[], ${allowPrivate}, ${afterNo}, id, ${scope}
      from database_identity
      returning webhook_id`;
    await insertSecret(tx, added!.webhook_id, secret);
    return added!.webhook_id;
  });
}

/** The start of a webhook of this client. Its receiver may read the lists from now on. */
async function beginAt(
  tx: Tx,
  clientId: string,
  begin: Begin,
): Promise<{ afterNo: number; scope: string | null }> {
  if (begin !== 'now') return begin;
  const { knownNo, places } = await readFeedPosition(tx, 0);
  const client = (await readClients(tx, [clientId])).get(clientId);
  if (client === undefined) return { afterNo: knownNo, scope: null };
  const reader = { scopeNo: client.scopeNo, wids: [...client.scope] };
  return { afterNo: knownNo, scope: writeState(reader, places, false) };
}

async function insertSecret(tx: Tx, webhookId: number, secret: Uint8Array): Promise<void> {
  await tx`insert into webhook_secret (webhook_id, secret) values (${webhookId}, ${secret as Buffer})`;
}

/**
 * Gives a webhook a new secret. The current one still signs beside it for `keptSeconds`; older ones end.
 * Returns when it ends, null if it ended at once, or false if there is no such webhook.
 */
export async function replaceWebhookSecret(
  sql: Sql,
  webhookId: number,
  secret: Uint8Array,
  keptSeconds: number,
): Promise<Date | null | false> {
  return sql.begin(async (tx) => {
    if (!(await lock(tx, webhookId))) return false;
    await tx`delete from webhook_secret where webhook_id = ${webhookId} and (ends is not null or ${keptSeconds} = 0)`;
    const [kept] = await tx<{ ends: Date }[]>`
      update webhook_secret
      set ends = clock_timestamp() + make_interval(secs => ${keptSeconds})
      where webhook_id = ${webhookId}
      returning ends`;
    await insertSecret(tx, webhookId, secret);
    return kept?.ends ?? null;
  });
}

/** Returns false if there is no such webhook. */
async function lock(tx: Tx, webhookId: number): Promise<boolean> {
  const found = await tx`select from webhook where webhook_id = ${webhookId} for no key update`;
  return found.length > 0;
}

/** Stops a webhook by hand. A message under way may still arrive. Returns false if there is none. */
export async function disableWebhook(sql: Sql, webhookId: number): Promise<boolean> {
  const changed = await sql`
    update webhook
    set disabled = clock_timestamp(),
      -- Only a replay may let one go on whose place is lost.
      disabled_why = case when disabled_why = 'restored' then disabled_why else 'operator' end
    where webhook_id = ${webhookId}
    returning 1`;
  return changed.length > 0;
}

/**
 * Lets a webhook go on where it stopped, at once, with all attempts. Not one whose place is of a database
 * that was restored since.
 */
export async function enableWebhook(
  sql: Sql,
  webhookId: number,
): Promise<'enabled' | 'unknown' | 'restored'> {
  return sql.begin(async (tx) => {
    const [found] = await tx<{ restored: boolean }[]>`
      select disabled_why is not distinct from 'restored' or database_id <> id as restored
      from webhook
      cross join database_identity
      where webhook_id = ${webhookId}
      for no key update of webhook`;
    if (found === undefined) return 'unknown';
    if (found.restored) return 'restored';
    await tx`
      update webhook
      set disabled = null, disabled_why = null, attempts = 0, failing_since = null, next_attempt = clock_timestamp()
      where webhook_id = ${webhookId}`;
    return 'enabled';
  });
}

/**
 * Sends changes again, or leaves some out: the webhook goes on from another place, under new message ids. A
 * message under way still ends first. Does not enable a webhook that was disabled, except by a restore.
 */
export async function replayWebhook(sql: Sql, webhookId: number, begin: Begin): Promise<boolean> {
  return sql.begin(async (tx) => {
    const [found] = await tx<{ clientId: string }[]>`
      select client_id as "clientId" from webhook where webhook_id = ${webhookId} for no key update`;
    if (found === undefined) return false;
    const { afterNo, scope } = await beginAt(tx, found.clientId, begin);
    await tx`delete from webhook_message where webhook_id = ${webhookId}`;
    // With another lease, the end of a message under way is not noted as the webhook's place.
    await tx`
      update webhook
      set after_no = ${afterNo},
        scope = coalesce(
          ${scope},
          -- No state matches an empty one, so a scope is told: the receiver may have seen what is gone.
          case when database_id <> id or disabled_why = 'restored' then '' end,
          -- Without it, a change of scope that was not told yet would never be told.
          scope
        ),
        database_id = id, attempts = 0, failing_since = null, next_attempt = clock_timestamp(),
        lease = case when lease is not null then gen_random_uuid() end,
        disabled = case when disabled_why <> 'restored' then disabled end,
        disabled_why = case when disabled_why <> 'restored' then disabled_why end
      from database_identity
      where webhook_id = ${webhookId}`;
    return true;
  });
}

/**
 * Asks the workers for a message without changes. Returns the number of the last delivery before it; null if
 * there is no such webhook.
 */
export async function askForTest(sql: Sql, webhookId: number): Promise<number | null> {
  const [asked] = await sql<{ last: number }[]>`
    update webhook
    set test_asked = clock_timestamp()
    where webhook_id = ${webhookId}
    returning (
      select coalesce(max(delivery_no), 0) from webhook_delivery where webhook_delivery.webhook_id = webhook.webhook_id
    ) as last`;
  return asked?.last ?? null;
}

/** Removes a webhook with its secrets and deliveries. Returns false if there is none. */
export async function removeWebhook(sql: Sql, webhookId: number): Promise<boolean> {
  const removed = await sql`delete from webhook where webhook_id = ${webhookId} returning 1`;
  return removed.length > 0;
}
