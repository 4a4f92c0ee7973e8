import { Permission } from '@inventory/domain/permission';
import { type Piece, piece, send } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { messageChangesMax } from '../changes/read-next.ts';

/**
 * `failing`: its last attempt failed, and it is tried again. `paused`: its client may not read changes now.
 * `disabled`: nothing is sent until an operator enables it.
 */
export type WebhookState = 'active' | 'failing' | 'paused' | 'disabled';

/** Why a webhook is disabled (see schema/11-webhooks.sql) or paused; null: it is neither. */
export type WebhookStop =
  | 'operator'
  | 'gone'
  | 'failed'
  | 'restored'
  | 'clientRemoved'
  | 'clientDisabled'
  | 'permission';

export type Webhook = {
  webhookId: number;
  clientId: string;
  url: string;
  /** null: all. */
  kinds: string[] | null;
  allowPrivate: boolean;
  created: Date;
  state: WebhookState;
  why: WebhookStop | null;
  /** When it was disabled, or began to fail. */
  since: Date | null;
  /** All changes up to this number were told. */
  afterNo: number;
  /** Failed attempts at the message that is due. */
  attempts: number;
  nextAttempt: Date | null;
  lastAttempt: Date | null;
  /** A status of HTTP, or a word for what went wrong; `unfinished` while the last attempt is under way. */
  lastOutcome: string | null;
  /** The most changes in a message: fewer than usual if the receiver has answered 413. */
  changesMax: number;
};

/** Why a webhook is not served, as SQL. Needs the tables of `withClient`. */
export const whyStopped: Piece = piece`
  case
    when webhook.disabled is not null then webhook.disabled_why
    when client.client_id is null then 'clientRemoved'
    when client.disabled then 'clientDisabled'
    when not ${Permission.ItemMasterList}::integer = any(security_group.permissions) then 'permission'
  end`;

/** The outcome of an attempt that was begun. It stays if its process ends in the middle. */
export const unfinished = 'unfinished';

/**
 * Longer than an attempt with its statements, so that a lease never ends before its attempt. A killed
 * worker's webhook is served again after this time.
 */
export const leaseSeconds = 25;
/** Longer than any pause after a failed attempt. */
export const pauseHoursMax = 30;
export const leaseTerm: Piece = piece`make_interval(secs => ${leaseSeconds}::integer)`;
export const pauseTerm: Piece = piece`make_interval(hours => ${pauseHoursMax}::integer)`;

// The clock of Postgres may be set back by so much at any time.
const stepTerm = piece`interval '5 seconds'`;

/**
 * Whether a time in the row of a webhook is later than its rule allows, as SQL: a clock that wrote it was
 * ahead. A lease is no longer than a lease, an attempt no later than the longest pause, and nothing that has
 * happened is later than now.
 */
export const isAhead: Piece = piece`
  coalesce(
    leased_until > clock_timestamp() + ${leaseTerm} + ${stepTerm}
      or next_attempt > clock_timestamp() + ${pauseTerm}
      or greatest(last_attempt, failing_since) > clock_timestamp() + ${stepTerm},
    false
  )`;

// An attempt is under way, or ended with its process.
const isUnderWay = piece`(last_outcome = ${unfinished} and coalesce(leased_until >= clock_timestamp(), false))`;
const isCutOff = piece`(last_outcome = ${unfinished} and not coalesce(leased_until >= clock_timestamp(), false))`;

/** How a webhook is (`WebhookState`), as SQL. Needs `why` beside its columns: see `whyStopped`. */
export const stateOf: Piece = piece`
  case
    when disabled is not null then 'disabled'
    when why is not null then 'paused'
    when failing_since is not null or ${isCutOff} then 'failing'
    else 'active'
  end`;

/** The most changes in a message of a webhook, as SQL. */
export const changesMax: Piece = piece`coalesce(changes_max, ${messageChangesMax}::integer)`;

/** Webhooks with their clients, which may be removed. */
export const withClient: Piece = piece`
  webhook
  left join client using (client_id)
  left join security_group using (group_id)`;

/** Webhooks by number: the one with this number, those of a client, or all. */
export async function listWebhooks(
  sql: Sql,
  { webhookId = null, clientId = null }: { webhookId?: number | null; clientId?: string | null } = {},
): Promise<Webhook[]> {
  return send<Webhook>(sql)`
    select webhook_id as "webhookId", client_id as "clientId", url, kinds, allow_private as "allowPrivate",
      created, why, attempts - coalesce(${isUnderWay}, false)::integer as attempts, after_no as "afterNo",
      last_attempt as "lastAttempt", last_outcome as "lastOutcome",
      ${changesMax} as "changesMax", ${stateOf} as state,
      coalesce(disabled, failing_since, case when ${isCutOff} then last_attempt end) as since,
      case when why is null and (failing_since is not null or ${isCutOff}) then next_attempt end as "nextAttempt"
    from (
      select webhook.*, ${whyStopped} as why
      from ${withClient}
      where (${webhookId}::integer is null or webhook_id = ${webhookId})
        and (${clientId}::text is null or client_id = ${clientId})
    ) as listed
    order by webhook_id`;
}

export type WebhookSecret = { created: Date; ends: Date | null };

/** The facts about the live secrets of a webhook, without the secrets; the current one comes first. */
export async function listWebhookSecrets(sql: Sql, webhookId: number): Promise<WebhookSecret[]> {
  const rows = await sql<WebhookSecret[]>`
    select created, ends
    from webhook_secret
    where webhook_id = ${webhookId} and (ends is null or ends > clock_timestamp())
    order by ends desc nulls first`;
  return [...rows];
}

export type WebhookDelivery = {
  deliveryNo: number;
  messageId: string;
  attempt: number;
  changeCount: number;
  at: Date;
  tookMs: number;
  outcome: string;
  answer: string;
};

/** The last deliveries of a webhook, newest first. */
export async function listDeliveries(sql: Sql, webhookId: number, afterNo = 0): Promise<WebhookDelivery[]> {
  const rows = await sql<WebhookDelivery[]>`
    select delivery_no as "deliveryNo", message_id as "messageId", attempt, change_count as "changeCount", at,
      took_ms as "tookMs", outcome, answer
    from webhook_delivery
    where webhook_id = ${webhookId} and delivery_no > ${afterNo}
    order by delivery_no desc`;
  return [...rows];
}

/** How many webhooks stand still without an operator's doing: disabled after failures, or paused. */
export async function countStoppedWebhooks(sql: Sql): Promise<{ disabled: number; paused: number }> {
  const [row] = await send<{ disabled: number; paused: number }>(sql)`
    select count(*) filter (where disabled is not null)::integer as disabled,
      count(*) filter (where disabled is null)::integer as paused
    from (select webhook.disabled, ${whyStopped} as why from ${withClient}) as listed
    where why <> 'operator'`;
  return row!;
}

/** How many webhooks have times that a clock wrote which was ahead. A running worker corrects them. */
export async function countAheadWebhooks(sql: Sql): Promise<number> {
  const [row] = await send<{ count: number }>(sql)`
    select count(*)::integer as count from webhook where ${isAhead}`;
  return row!.count;
}
