import { Permission } from '@inventory/auth/permission';
import { readClients } from '../access/clients.ts';
import { type Piece, piece, send } from '../postgres/piece.ts';
import type { Sql, Tx } from '../postgres/pool.ts';
import { stateOf, type WebhookState, whyStopped, withClient } from './list-webhooks.ts';

/** A webhook as the worker sees it when it looks for work. */
export type ServedWebhook = {
  webhookId: number;
  clientId: string;
  /** The warehouses of its client. */
  wids: number[];
  state: WebhookState;
  why: string | null;
  afterNo: number;
  /** Whether its place is of another database than this one. */
  isOther: boolean;
  /** Whether it may be sent to now: nobody does, and no later time was set. */
  isFree: boolean;
  /** Whether a message waits that was sent before, or should have been. */
  isPending: boolean;
  /** Whether an operator waits for a test. */
  isTest: boolean;
  /** Since it began to fail, or was disabled, but not by an operator. */
  failingSeconds: number;
};

/** All webhooks. */
export async function readServedWebhooks(sql: Sql): Promise<ServedWebhook[]> {
  return send<ServedWebhook>(sql)`
    select webhook_id as "webhookId", client_id as "clientId", wids, why, after_no as "afterNo", "isOther", "isFree",
      "isPending", test_asked is not null as "isTest",
      ${stateOf} as state,
      case when disabled_why is distinct from 'operator'
        then coalesce(extract(epoch from clock_timestamp() - coalesce(failing_since, disabled)), 0) else 0
      end::double precision as "failingSeconds"
    from (
      select webhook.*, ${whyStopped} as why,
        array(select wid from client_warehouse where client_warehouse.client_id = webhook.client_id) as wids,
        database_id <> database_identity.id as "isOther",
        ${isUnleased} and (test_asked is not null or next_attempt <= clock_timestamp()) as "isFree",
        exists (select from webhook_message where webhook_message.webhook_id = webhook.webhook_id) as "isPending"
      from ${withClient}
      cross join database_identity
    ) as listed`;
}

const isUnleased = piece`(leased_until is null or leased_until < clock_timestamp())`;

/** A webhook that this worker alone sends to, until the lease ends. */
export type Leased = {
  webhookId: number;
  lease: string;
  clientId: string;
  url: string;
  kinds: string[] | null;
  allowPrivate: boolean;
  afterNo: number;
  /** The identity of the database of its place, as hexadecimal digits. */
  identity: string;
  scope: string | null;
  attempts: number;
  isDisabled: boolean;
  isTest: boolean;
};

/**
 * Takes the lease of a webhook for so many seconds. Returns null if another worker has it, or if nothing is
 * to be sent yet. The row decides, so two workers never send to a webhook at the same time.
 */
export async function leaseWebhook(
  sql: Sql,
  webhookId: number,
  lease: string,
  seconds: number,
): Promise<Leased | null> {
  const [leased] = await send<Leased>(sql)`
    update webhook
    set lease = ${lease}, leased_until = clock_timestamp() + make_interval(secs => ${seconds})
    where webhook_id = ${webhookId} and ${isUnleased}
      and (test_asked is not null or disabled is null and next_attempt <= clock_timestamp())
    returning webhook_id as "webhookId", lease, client_id as "clientId", url, kinds,
      allow_private as "allowPrivate", after_no as "afterNo", replace(database_id::text, '-', '') as identity,
      scope, attempts, disabled is not null as "isDisabled", test_asked is not null as "isTest"`;
  return leased ?? null;
}

export async function releaseWebhook(sql: Sql, { webhookId, lease }: Leased): Promise<void> {
  await sql`
    update webhook
    set lease = null, leased_until = null
    where webhook_id = ${webhookId} and lease = ${lease}`;
}

/** The warehouses of a client, in order; null: it was removed or disabled, or may not read changes. */
export async function readFollowed(sql: Sql, clientId: string): Promise<number[] | null> {
  const client = (await readClients(sql, [clientId])).get(clientId);
  if (client === undefined || !client.permissions.has(Permission.ItemMasterList)) return null;
  return [...client.scope].sort((one, other) => one - other);
}

/** The secrets that sign now, the current one first. */
export async function readWebhookSecrets(sql: Sql, webhookId: number): Promise<Uint8Array[]> {
  const rows = await sql<{ secret: Buffer }[]>`
    select secret
    from webhook_secret
    where webhook_id = ${webhookId} and (ends is null or ends > clock_timestamp())
    order by ends desc nulls first`;
  return rows.map(({ secret }) => secret);
}

/** A message as it is sent. `throughNo` and `scope`: the webhook's place once it has arrived. */
export type StoredMessage = {
  messageId: string;
  throughNo: number;
  scope: string;
  changeCount: number;
  body: string;
};

/** The message that has not arrived yet; null if there is none. */
export async function readStoredMessage(sql: Sql, webhookId: number): Promise<StoredMessage | null> {
  const [row] = await sql<StoredMessage[]>`
    select message_id as "messageId", through_no as "throughNo", scope, change_count as "changeCount", body
    from webhook_message
    where webhook_id = ${webhookId}`;
  return row ?? null;
}

/** Stores a message before it is first sent, in place of an earlier one. Returns false without the lease. */
export async function storeMessage(
  sql: Sql,
  leased: Leased,
  { messageId, throughNo, scope, changeCount, body }: StoredMessage,
): Promise<boolean> {
  return sql.begin(async (tx) => {
    if (!(await holds(tx, leased))) return false;
    const replaced = await tx`delete from webhook_message where webhook_id = ${leased.webhookId} returning 1`;
    // Its attempts are not those of the new one.
    if (replaced.length > 0) await tx`update webhook set attempts = 0 where webhook_id = ${leased.webhookId}`;
    await tx`
      insert into webhook_message (webhook_id, message_id, through_no, scope, change_count, body)
      values (${leased.webhookId}, ${messageId}, ${throughNo}, ${scope}, ${changeCount}, ${body})`;
    return true;
  });
}

/** The lock keeps an operator from taking the lease away before this transaction ends. */
async function holds(tx: Tx, { webhookId, lease }: Leased): Promise<boolean> {
  const found = await tx`
    select from webhook where webhook_id = ${webhookId} and lease = ${lease} for no key update`;
  return found.length > 0;
}

/** Moves the place of a webhook past changes that are not for it, and gives the lease back. */
export async function passChanges(sql: Sql, { webhookId, lease }: Leased, throughNo: number): Promise<void> {
  await sql`
    update webhook
    set after_no = ${throughNo}, lease = null, leased_until = null
    where webhook_id = ${webhookId} and lease = ${lease}`;
}

/** An attempt, for the operator. `outcome`: see `Webhook.lastOutcome`. */
export type Attempt = {
  messageId: string;
  attempt: number;
  changeCount: number;
  tookMs: number;
  outcome: string;
  answer: string;
};

/**
 * The consequences of an attempt. `again`: the same message after so many milliseconds. `none`: it was a
 * test.
 */
export type Consequence =
  | { kind: 'arrived'; throughNo: number; scope: string }
  | { kind: 'again'; inMs: number }
  | { kind: 'disabled'; why: 'gone' | 'failed' }
  | { kind: 'none' };

// The number of deliveries that are kept of each webhook.
const deliveriesKept = 100;

/**
 * Notes an attempt with its consequence, and gives the lease back. Without the lease, only the attempt is
 * noted, and false is returned: an operator has moved the webhook meanwhile, or this took too long.
 */
export async function noteAttempt(
  sql: Sql,
  leased: Leased,
  attempt: Attempt,
  consequence: Consequence,
): Promise<boolean> {
  const { webhookId } = leased;
  return sql.begin(async (tx) => {
    const [found] = await tx<{ held: boolean }[]>`
      select lease is not distinct from ${leased.lease}::uuid as held
      from webhook
      where webhook_id = ${webhookId}
      for no key update`;
    // An operator has removed it.
    if (found === undefined) return false;
    await tx`
      insert into webhook_delivery (webhook_id, message_id, attempt, change_count, at, took_ms, outcome, answer)
      values (${webhookId}, ${attempt.messageId}, ${attempt.attempt}, ${attempt.changeCount},
        clock_timestamp() - ${attempt.tookMs} * interval '1 millisecond', ${attempt.tookMs}, ${attempt.outcome},
        ${attempt.answer})`;
    await tx`
      delete from webhook_delivery
      where webhook_id = ${webhookId}
        and delivery_no <= (
          select delivery_no
          from webhook_delivery
          where webhook_id = ${webhookId}
          order by delivery_no desc
          offset ${deliveriesKept}
          limit 1
        )`;
    if (!found.held) return false;
    if (consequence.kind === 'arrived') await tx`delete from webhook_message where webhook_id = ${webhookId}`;
    await send(tx)`
      update webhook
      set lease = null, leased_until = null, last_attempt = clock_timestamp(), last_outcome = ${attempt.outcome},
        ${changesOf(consequence)}
      where webhook_id = ${webhookId}`;
    return true;
  });
}

const hasFailed = piece`attempts = attempts + 1, failing_since = coalesce(failing_since, clock_timestamp())`;

/** What else changes in the row of a webhook. */
function changesOf(consequence: Consequence): Piece {
  switch (consequence.kind) {
    case 'none':
      return piece`test_asked = null`;
    case 'arrived':
      return piece`after_no = ${consequence.throughNo}, scope = ${consequence.scope}, attempts = 0,
        failing_since = null, next_attempt = clock_timestamp()`;
    case 'again':
      return piece`${hasFailed},
        next_attempt = clock_timestamp() + ${consequence.inMs}::double precision * interval '1 millisecond'`;
    case 'disabled':
      // An operator may have disabled it meanwhile.
      return piece`${hasFailed}, disabled_why = coalesce(disabled_why, ${consequence.why}),
        disabled = coalesce(disabled, clock_timestamp())`;
  }
}

/**
 * Disables the webhooks whose place is of a database that was restored since, or that has lost changes which
 * were told. Returns their numbers.
 */
export async function disableRestored(sql: Sql): Promise<number[]> {
  const rows = await sql<{ webhook_id: number }[]>`
    update webhook
    set disabled = clock_timestamp(), disabled_why = 'restored'
    from database_identity
    cross join feed_position() as position
    where disabled is null and (database_id <> id or after_no > position.drawn_no)
    returning webhook_id`;
  return rows.map(({ webhook_id }) => webhook_id);
}
