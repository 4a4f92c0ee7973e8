import { randomUUID } from 'node:crypto';
import { readNextChanges } from '@inventory/db/changes/read-next';
import type { FeedPosition } from '@inventory/db/changes/read-position';
import type { Leased, StoredMessage } from '@inventory/db/webhooks/serve-webhooks';
import type { FeedReader } from '@inventory/domain/contract/feed-state';
import type { Sql } from '@inventory/postgres/pool';

/** The next message of a webhook; null: none of the changes up to `throughNo` is for it. */
export type NextMessage = { message: StoredMessage | null; throughNo: number; hasMore: boolean };

/** Reads the next changes of a webhook, in the scope of its client, and makes a message of them. */
export async function makeMessage(
  sql: Sql,
  leased: Leased,
  position: FeedPosition,
  { reader, at }: { reader: FeedReader; at: number },
): Promise<NextMessage> {
  const { changes, throughNo, scope, nextCursor, hasMore } = await readNextChanges(
    sql,
    leased,
    position,
    reader,
  );
  if (changes.length === 0) return { message: null, throughNo, hasMore };
  const { messageId, body } = messageOf(changes, nextCursor, at);
  const message = { messageId, throughNo, scope, changeCount: changes.length, body };
  return { message, throughNo, hasMore };
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
