import { createHash } from 'node:crypto';

/** Whose changes are told. `scopeNo`: the number of the last change of its scope; 0: there was none. */
export type FeedReader = { scopeNo: number; wids: readonly number[] };

/** The state of the reader of a cursor, beside its number. */
export type FeedState = {
  /** Whether all that it has seen, also in lists, was on the standbys when the cursor was given. */
  isOnStandbys: boolean;
  /** The place of the database where the cursor was given; see migration 0002. */
  mark: number;
  /** Of its scope; see `scopeMark`. */
  scope: number;
};

// Layout: one bit, 11 bits, 20 bits.
const markAt = 20;
const scopeValues = 2 ** markAt;
const markValues = 2 ** 11;

/**
 * The state of a reader in a database that is at the last of these places, as 8 hexadecimal digits.
 * `isOnStandbys`: see {@link FeedState}.
 */
export function writeState(reader: FeedReader, places: readonly number[], isOnStandbys: boolean): string {
  const value = ((isOnStandbys ? markValues : 0) + places.at(-1)!) * scopeValues + scopeMark(reader);
  return value.toString(16).padStart(8, '0');
}

function readState(state: string): FeedState {
  const value = Number.parseInt(state, 16);
  const upper = Math.floor(value / scopeValues);
  return { isOnStandbys: upper >= markValues, mark: upper % markValues, scope: value % scopeValues };
}

/** The digits of a scope. They are others after each change, even if it gives back what another one took. */
function scopeMark({ scopeNo, wids }: FeedReader): number {
  const text = [scopeNo, ...inOrder(wids)].join();
  return Number.parseInt(createHash('sha256').update(text).digest('hex').slice(0, 5), 16);
}

/** A digest of a scope, as the cursors of 0.1.0 contain it. */
function digestScope(wids: readonly number[]): string {
  return createHash('sha256').update(inOrder(wids).join()).digest('hex').slice(0, 8);
}

const inOrder = (wids: readonly number[]) => [...wids].sort((one, other) => one - other);

/**
 * The verdict on a reader's place. `lost`: what the reader has seen may be gone, so it must begin again.
 * `isNewScope`: its scope has changed since. `isFromBefore`: the place was given before the database moved to
 * where it is now, and may only be followed if its number is there.
 */
export type Judgement =
  | { lost: true }
  | { lost: false; isNewScope: boolean; isOnStandbys: boolean; isFromBefore: boolean };

/** Whether what a reader with this state has seen may be gone. */
export function isLost(state: string | null, places: readonly number[]): boolean {
  return judgePlace({ after: 0, state }, places, { scopeNo: 0, wids: [] }).lost;
}

/** Whether all that a reader with this state has seen was on the standbys when it got it. */
export function wasOnStandbys(state: string | null): boolean {
  return state !== null && readState(state).isOnStandbys;
}

/** Whether this state was given at one of these places. */
export function isKnownPlace(state: string, places: readonly number[]): boolean {
  return places.includes(readState(state).mark);
}

/**
 * Judges the place of a reader in the same database. `state`: null for a reader that begins. `places`: the
 * marks of the places of the database, in order; it is at the last one.
 */
export function judgePlace(
  { after, state }: { after: number; state: string | null },
  places: readonly number[],
  reader: FeedReader,
): Judgement {
  if (state === null) return { lost: false, isNewScope: false, isOnStandbys: false, isFromBefore: false };
  const isOnlyPlace = places.length === 1;
  // Of 0.1.0, which notes neither places nor changes of scope.
  const asBefore = { lost: false, isOnStandbys: false, isFromBefore: false } as const;
  if (state === digestScope(reader.wids))
    return isOnlyPlace ? { ...asBefore, isNewScope: reader.scopeNo > after } : { lost: true };
  const { isOnStandbys, mark, scope } = readState(state);
  const place = places.lastIndexOf(mark);
  if (place < 0) return isOnlyPlace ? { ...asBefore, isNewScope: true } : { lost: true };
  const isFromBefore = place < places.length - 1;
  if (isFromBefore && !isOnStandbys) return { lost: true };
  return { lost: false, isNewScope: scope !== scopeMark(reader), isOnStandbys, isFromBefore };
}
