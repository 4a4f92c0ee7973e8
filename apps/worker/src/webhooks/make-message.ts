import { randomUUID } from 'node:crypto';
import { readWarehouseNames } from '@inventory/db/catalog/warehouses';
import { readChanges } from '@inventory/db/changes/read-changes';
import type { FeedPosition } from '@inventory/db/changes/read-position';
import type { Sql } from '@inventory/db/postgres/pool';
import type { Leased, StoredMessage } from '@inventory/db/webhooks/serve-webhooks';
import {
  digestScope,
  scopeChange,
  shortIdentity,
  writeCursor,
} from '@inventory/domain/contract/change-cursor';

// A message contains at most this many changes, and fewer if their texts are longer together: many servers
// refuse bodies of a megabyte.
const changesMax = 100;
const charactersMax = 500_000;

/** The next message of a webhook; null: none of the changes up to `throughNo` is for it. */
export type NextMessage = { message: StoredMessage | null; throughNo: number; hasMore: boolean };

/** Reads the next changes of a webhook, in the scope of its client, and makes a message of them. */
export async function makeMessage(
  sql: Sql,
  { afterNo, kinds, scope: toldScope }: Leased,
  position: FeedPosition,
  { wids, at }: { wids: readonly number[]; at: number },
): Promise<NextMessage> {
  const scope = digestScope(wids);
  const told: string[] = [];
  // Without it, a receiver that keeps a copy would not know that its copy shows other warehouses.
  if (toldScope !== null && toldScope !== scope) told.push(scopeChange(await readWarehouseNames(sql, wids)));
  const until = Math.max(afterNo, position.knownNo);
  const limit = changesMax - told.length;
  const page = await readChanges(sql, { wids, after: afterNo, until, limit, kinds, charactersMax });
  told.push(...page.changes.map(({ text }) => text));
  const { through: throughNo, hasMore } = page;
  if (told.length === 0) return { message: null, throughNo, hasMore };
  const nextCursor = writeCursor({ identity: shortIdentity(position.identity), scope, after: throughNo });
  const { messageId, body } = messageOf(told, nextCursor, at);
  return { message: { messageId, throughNo, scope, changeCount: told.length, body }, throughNo, hasMore };
}

/** A message of these changes, each as JSON text. `at`: milliseconds since 1970. */
export function messageOf(
  changes: readonly string[],
  nextCursor: string,
  at: number,
): Pick<StoredMessage, 'messageId' | 'body'> {
  const data = `{"value":[${changes.join()}],"nextCursor":"${nextCursor}"}`;
  return { messageId: newId(), body: bodyOf('inventory.changes', at, data) };
}

/** A message that only shows whether it arrives. */
export function makeTest(at: number): Pick<StoredMessage, 'messageId' | 'body'> {
  return { messageId: newId(), body: bodyOf('inventory.test', at, '{"value":[]}') };
}

function newId(): string {
  return `msg_${randomUUID().replaceAll('-', '')}`;
}

/** The form that Standard Webhooks recommends. */
function bodyOf(type: string, at: number, data: string): string {
  return `{"type":"${type}","timestamp":"${new Date(at).toISOString()}","data":${data}}`;
}
