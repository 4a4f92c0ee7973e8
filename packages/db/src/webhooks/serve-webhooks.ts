import type { FeedReader } from '@inventory/domain/contract/feed-state';
import { Permission } from '@inventory/domain/permission';
import { type Piece, piece, raw, send } from '@inventory/postgres/piece';
import type { Sql, Tx } from '@inventory/postgres/pool';
import { readClients } from '../access/clients.ts';
import { messageChangesMax } from '../changes/read-next.ts';
import {
  changesMax,
  isAhead,
  leaseTerm,
  pauseTerm,
  stateOf,
  unfinished,
  type WebhookState,
  whyStopped,
  withClient,
} from './list-webhooks.ts';

/** A webhook as the worker sees it when it looks for work. */
export type ServedWebhook = {
  webhookId: number;
  clientId: string;
  /** The warehouses of its client. */
  wids: number[];
  state: WebhookState;
  why: string | null;
  afterNo: number;
  /** The state that its receiver was told last (`FeedState`); null: none. */
  scope: string | null;
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
  /** Whether a time in its row was written by a clock that was ahead: see `correctTimes`. */
  isAhead: boolean;
};

/** All webhooks. */
export async function readServedWebhooks(sql: Sql): Promise<ServedWebhook[]> {
  return send<ServedWebhook>(sql)`
    select webhook_id as "webhookId", client_id as "clientId", wids, why, after_no as "afterNo", scope, "isOther", "isFree",
      "isPending", test_asked is not null as "isTest", ${isAhead} as "isAhead",
      ${stateOf} as state,
      case when disabled_why is distinct from 'operator'
        then coalesce(extract(epoch from clock_timestamp() - coalesce(failing_since, disabled)), 0) else 0
      end::double precision as "failingSeconds"
    from (
      select webhook.*, ${whyStopped} as why,
        array(select wid from client_warehouse where client_warehouse.client_id = webhook.client_id) as wids,
        database_id <> database_identity.id as "isOther",
        ${isUnleased} and (test_asked is not null or ${isDue}) as "isFree",
        exists (select from webhook_message where webhook_message.webhook_id = webhook.webhook_id) as "isPending"
      from ${withClient}
      cross join database_identity
    ) as listed`;
}

const isUnleased = piece`(leased_until is null or leased_until < clock_timestamp())`;
// Only failed attempts are followed by a pause. Other times in `next_attempt` mean nothing, also those that a
// clock wrote which was ahead.
const isDue = piece`(attempts = 0 or next_attempt <= clock_timestamp())`;

/**
 * Corrects the times that a clock wrote which was ahead: otherwise their webhooks would stand still until
 * then. A lease counts as taken now, because its worker may still be sending, and an attempt as made now.
 * Returns the numbers of the webhooks.
 */
export async function correctTimes(sql: Sql): Promise<number[]> {
  const rows = await send<{ webhook_id: number }>(sql)`
    update webhook
    set leased_until = ${atMost('leased_until', leaseTerm)},
      next_attempt = case
        -- Both were written by the same clock, so the pause between them is right.
        when last_attempt > clock_timestamp()
          then clock_timestamp() + least(greatest(next_attempt - last_attempt, interval '0'), ${pauseTerm})
        when next_attempt > clock_timestamp() + ${pauseTerm} then clock_timestamp()
        else next_attempt
      end,
      last_attempt = ${atMost('last_attempt')},
      failing_since = ${atMost('failing_since')}
    where ${isAhead}
    returning webhook_id`;
  return rows.map(({ webhook_id }) => webhook_id);
}

/** A time, but no later than now and a term; null stays null, which `least` would not see. */
function atMost(column: string, term = piece`interval '0'`): Piece {
  return piece`case when ${raw(column)} is not null then least(${raw(column)}, clock_timestamp() + ${term}) end`;
}

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
  /** The most changes that its receiver takes at once. */
  changesMax: number;
  /** Attempts at the message that is due, also those that were begun and never ended. */
  attempts: number;
  lastAttempt: Date | null;
  lastOutcome: string | null;
  isTest: boolean;
};

/**
 * Takes the lease of a webhook. Returns null if another worker has it, or if nothing is to be sent yet. The
 * row decides, so two workers never send to a webhook at the same time.
 */
export async function leaseWebhook(sql: Sql, webhookId: number, lease: string): Promise<Leased | null> {
  const [leased] = await send<Leased>(sql)`
    update webhook
    set lease = ${lease}, leased_until = clock_timestamp() + ${leaseTerm},
      failing_since = case
        when last_outcome = ${unfinished} then coalesce(failing_since, last_attempt) else failing_since
      end
    where webhook_id = ${webhookId} and ${isUnleased}
      and (test_asked is not null or disabled is null and ${isDue})
    returning webhook_id as "webhookId", lease, client_id as "clientId", url, kinds,
      allow_private as "allowPrivate", after_no as "afterNo", replace(database_id::text, '-', '') as identity,
      scope, ${changesMax} as "changesMax", attempts, last_attempt as "lastAttempt", last_outcome as "lastOutcome",
      test_asked is not null as "isTest"`;
  return leased ?? null;
}

/** Gives the lease back. Nothing has changed. */
export async function releaseWebhook(sql: Sql, { webhookId, lease }: Leased): Promise<void> {
  await sql`
    update webhook
    set lease = null, leased_until = null
    where webhook_id = ${webhookId} and lease = ${lease}`;
}

/**
 * Notes that an attempt begins, before anything is sent: if sending ends the process, the attempt counts as
 * failed, and the next one is as many milliseconds away as after a failure. `attempt`: null for a test.
 * Returns the secrets that sign now, the current one first; null without the lease.
 */
export async function beginAttempt(
  sql: Sql,
  { webhookId, lease }: Leased,
  attempt: { number: number; nextInMs: number } | null,
): Promise<Uint8Array[] | null> {
  const begun =
    attempt === null
      ? piece`test_asked = null`
      : piece`attempts = ${attempt.number}, last_attempt = clock_timestamp(), last_outcome = ${unfinished},
          next_attempt = clock_timestamp() + ${attempt.nextInMs}::double precision * interval '1 millisecond'`;
  const rows = await send<{ secret: Uint8Array | null }>(sql)`
    with begun as (
      update webhook
      set ${begun}
      where webhook_id = ${webhookId} and lease = ${lease}
      returning webhook_id
    )
    select secret
    from begun
    left join webhook_secret
      on webhook_secret.webhook_id = begun.webhook_id and (ends is null or ends > clock_timestamp())
    order by ends desc nulls first`;
  return rows.length === 0 ? null : rows.flatMap(({ secret }) => (secret === null ? [] : [secret]));
}

/** Gives the lease back after an attempt that was begun and given up: as if it had not begun. */
export async function releaseBegun(sql: Sql, leased: Leased): Promise<void> {
  const { webhookId, lease, attempts, lastAttempt, lastOutcome, isTest } = leased;
  const before = isTest
    ? piece`test_asked = coalesce(test_asked, clock_timestamp())`
    : piece`attempts = ${attempts}, next_attempt = clock_timestamp(), last_attempt = ${lastAttempt},
        last_outcome = ${lastOutcome}`;
  await send(sql)`
    update webhook
    set lease = null, leased_until = null, ${before}
    where webhook_id = ${webhookId} and lease = ${lease}`;
}

/** Disables a webhook whose last attempt ended its worker. */
export async function disableFailed(sql: Sql, { webhookId, lease }: Leased): Promise<void> {
  await sql`
    update webhook
    set lease = null, leased_until = null, disabled_why = coalesce(disabled_why, 'failed'),
      disabled = coalesce(disabled, clock_timestamp())
    where webhook_id = ${webhookId} and lease = ${lease}`;
}

/**
 * A client as a reader of the feed, its warehouses in order; null: it was removed or disabled, or may not
 * read changes. `scopeAgeMs`: see `ClientWithTokens`.
 */
export async function readFollowed(
  sql: Sql,
  clientId: string,
): Promise<(FeedReader & { scopeAgeMs: number }) | null> {
  const client = (await readClients(sql, [clientId])).get(clientId);
  if (client === undefined || !client.permissions.has(Permission.ItemMasterList)) return null;
  const { scope, scopeNo, scopeAgeMs } = client;
  return { scopeNo, scopeAgeMs, wids: [...scope].sort((one, other) => one - other) };
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
 * The consequences of an attempt. `again`: the same message after so many milliseconds. `smaller`: another
 * one after that time, with at most so many changes. `none`: it was a test.
 */
export type Consequence =
  | { kind: 'arrived'; throughNo: number; scope: string }
  | { kind: 'again'; inMs: number }
  | { kind: 'smaller'; inMs: number; changesMax: number }
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
    if (consequence.kind === 'arrived' || consequence.kind === 'smaller')
      await tx`delete from webhook_message where webhook_id = ${webhookId}`;
    await send(tx)`
      update webhook
      set lease = null, leased_until = null, last_attempt = clock_timestamp(), last_outcome = ${attempt.outcome},
        ${changesOf(consequence, attempt)}
      where webhook_id = ${webhookId}`;
    return true;
  });
}

const hasFailed = piece`failing_since = coalesce(failing_since, clock_timestamp())`;

/** The changes in a webhook's row that depend on the consequence of an attempt. */
function changesOf(consequence: Consequence, { changeCount }: Attempt): Piece {
  switch (consequence.kind) {
    case 'none':
      return piece`attempts = attempts`;
    case 'arrived':
      return piece`after_no = ${consequence.throughNo}, scope = ${consequence.scope}, attempts = 0,
        failing_since = null, next_attempt = clock_timestamp(),
        changes_max = nullif(changes_max + (${changeCount} >= changes_max)::integer, ${messageChangesMax})`;
    case 'smaller':
      return piece`${hasFailed}, attempts = 1, changes_max = ${consequence.changesMax},
        next_attempt = clock_timestamp() + ${consequence.inMs}::double precision * interval '1 millisecond'`;
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
