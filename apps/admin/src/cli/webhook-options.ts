import { readIdentity } from '@inventory/db/backup/identity';
import { readFeedPosition } from '@inventory/db/changes/read-position';
import type { Begin } from '@inventory/db/webhooks/manage-webhooks';
import { type Cursor, readCursor, shortIdentity } from '@inventory/domain/contract/change-cursor';
import { isLost } from '@inventory/domain/contract/feed-state';
import { changeKinds } from '@inventory/domain/contract/webhook';
import type { Sql } from '@inventory/postgres/pool';
import { InvalidArgumentError } from 'commander';
import { CommandError } from './command-error.ts';

const urlMax = 2000;

/** The address of a receiver. */
export function parseReceiver(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['https:', 'http:'].includes(url.protocol) || url.href.length > urlMax)
    throw new InvalidArgumentError('It must be an address like https://erp.example/inventory.');
  if (url.port === '0') throw new InvalidArgumentError('Nothing listens on port 0.');
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw new InvalidArgumentError('It must have neither user and password nor a fragment.');
  return url;
}

/** Kinds of changes, separated by commas. */
export function parseKinds(text: string): string[] {
  const asked = text.split(',').map((part) => part.trim());
  if (asked.every((kind) => (changeKinds as readonly string[]).includes(kind))) return [...new Set(asked)];
  throw new InvalidArgumentError(`A kind is one of ${changeKinds.join(', ')}.`);
}

/** A place in the change feed. */
export type PlaceGiven = 'now' | 'beginning' | Cursor;

export const placeHelp = 'now, beginning, or a cursor: nextCursor of a message or of GET /Changes';

export function parsePlace(text: string): PlaceGiven {
  if (text === 'now' || text === 'beginning') return text;
  const cursor = readCursor(text);
  if (cursor !== null) return cursor;
  throw new InvalidArgumentError('It must be now, beginning, or a cursor that this service has given.');
}

/** Finds the place in this database. Throws CommandError for a cursor of another one. */
export async function beginFrom(sql: Sql, place: PlaceGiven): Promise<Begin> {
  if (place === 'now') return place;
  if (place === 'beginning') return { afterNo: 0, scope: null };
  const { id } = await readIdentity(sql);
  if (place.identity !== shortIdentity(id.replaceAll('-', '')))
    throw new CommandError('this cursor is of another database, or of this one before it was restored');
  const { places } = await readFeedPosition(sql, Number.MAX_SAFE_INTEGER);
  if (isLost(place.state, places))
    throw new CommandError('what this cursor has seen may be lost: the database has moved since');
  return { afterNo: place.after, scope: place.state };
}
