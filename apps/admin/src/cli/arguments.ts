import { parseDateTime } from '@inventory/domain/date-time';
import { lengthMax, name } from '@inventory/domain/fields';
import { Permission } from '@inventory/domain/permission';
import { oneUnit, parseQuantity, quantityLimit, sumLimit } from '@inventory/domain/quantity';
import { InvalidArgumentError } from 'commander';

// Parsers for the values of options. If one throws, the error becomes one line that names the option, and the
// exit code is 2.

const integerMax = 2 ** 31 - 1;

/** The id of a warehouse, or a rate limit: 1 to 2^31-1. */
export function parseId(text: string): number {
  return parseWhole(text, integerMax);
}

/** The code of a reason: 0 to 2^31-1. */
export function parseCode(text: string): number {
  return parseWhole(text, integerMax, 0);
}

/** An http address. */
export function parseUrl(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError('It must be an address like http://127.0.0.1:3000.');
}

/** The number of a lot. */
export function parseRecNo(text: string): number {
  return parseWhole(text, Number.MAX_SAFE_INTEGER);
}

/** Ids of warehouses, separated by commas; at least one. */
export function parseIds(text: string): number[] {
  return text.split(',').map((part) => parseId(part.trim()));
}

/** The words that an operator may use for permissions. */
const permissionWords: Record<string, number> = {
  list: Permission.ItemMasterList,
  move: Permission.LocateMoveUnits,
  issue: Permission.NegativeAdjustment,
  receive: Permission.PositiveAdjustment,
  items: Permission.ModifyItemMaster,
};

/** A permission for people: `95 receive`. */
export function describePermission(securityId: number): string {
  const word = Object.entries(permissionWords).find(([, each]) => each === securityId)?.[0];
  return word === undefined ? `${securityId}` : `${securityId} ${word}`;
}

const permissionsText = Object.values(permissionWords)
  .sort((a, b) => a - b)
  .map(describePermission)
  .join(', ');

/** For the help of options. */
export const permissionsHelp = `by number or word: ${permissionsText}`;

/** Permissions by the contract's security ids or by word, separated by commas; at least one. */
export function parsePermissions(text: string): number[] {
  const known = Object.values(permissionWords);
  return text.split(',').map((part) => {
    const asked = part.trim();
    const permission = Object.hasOwn(permissionWords, asked)
      ? permissionWords[asked]!
      : /^\d{1,3}$/.test(asked)
        ? Number(asked)
        : null;
    if (permission !== null && known.includes(permission)) return permission;
    throw new InvalidArgumentError(`A permission is one of ${permissionsText}.`);
  });
}

/** Requests in a window of 60 s, or `default`. */
export function parseRateLimit(text: string): number | 'default' {
  return text === 'default' ? text : parseId(text);
}

/** The name of something that may exist. It need not follow the rules for new names. */
export function parseName(text: string): string {
  return checkText(text, lengthMax.label);
}

const reservedIds = ['admin', 'seed'];

/**
 * The id of a new client. It appears in forms, in HTTP Basic (where a colon ends it), in logs and on command
 * lines, so it must not contain characters that are special in any of these.
 */
export function parseNewClientId(text: string): string {
  if (reservedIds.includes(text)) {
    throw new InvalidArgumentError('The ledger uses this name for the command line.');
  }
  if (/^[A-Za-z0-9][A-Za-z0-9._@-]{0,99}$/.test(text)) return text;
  throw new InvalidArgumentError(
    'It must be 1 to 100 characters of A-Z, a-z, 0-9, ".", "_", "-" and "@", and begin with a letter or a digit.',
  );
}

// Letters, digits and signs of any language, with single spaces between them: no invisible characters, and
// none that change how the following text is shown.
const printable = /^[^\s\p{C}\p{Z}]+(?: [^\s\p{C}\p{Z}]+)*$/u;

/** The name of something new. */
export function parseNewName(text: string): string {
  return checkPrintable(checkText(text, lengthMax.label));
}

/** An alias. It can be used wherever a ShortID can. */
export function parseAlias(text: string): string {
  return checkPrintable(checkText(text, lengthMax.shortId));
}

function checkPrintable(text: string): string {
  if (printable.test(text)) return text;
  throw new InvalidArgumentError('It must consist of visible characters, with single spaces between them.');
}

/** The reason for a change. */
export function parseReason(text: string): string {
  return checkText(text, lengthMax.description);
}

/**
 * A quantity of 0 or more, of all lots of an item in a warehouse, within the limits of the API. It stays
 * text, so that it stays exact.
 */
export function parseQuantityText(text: string): string {
  if (isQuantityText(text, sumLimit)) return text;
  throw refusedQuantity(text, '0 or more', sumLimit);
}

/** The same for one scan: more than 0, and less than a lot may have. */
export function parseUnitsText(text: string): string {
  if (isQuantityText(text, quantityLimit) && Number(text) > 0) return text;
  throw refusedQuantity(text, 'more than 0', quantityLimit);
}

function refusedQuantity(text: string, least: string, limit: number): InvalidArgumentError {
  // Whether 1,000 is one or a thousand is not ours to say.
  if (/^[\d.,]+$/.test(text) && (text.includes(',') || text.split('.').length > 2))
    return new InvalidArgumentError('It must have a decimal point, and nothing between thousands.');
  const below = `below ${limit.toExponential().replace('+', '')}`;
  return new InvalidArgumentError(`It must be ${least}, ${below}, with at most 6 digits after the point.`);
}

/** Whether a text is a quantity of 0 or more below this limit. */
export function isQuantityText(text: string, limit: number): boolean {
  return /^\d{1,15}(?:\.\d{1,6})?$/.test(text) && parseQuantity(text) < BigInt(limit) * oneUnit;
}

/** The most entries to show. */
export function parseLimit(text: string): number {
  return parseWhole(text, 10_000);
}

const unitMs = { d: 86_400_000, h: 3_600_000 };

/**
 * A moment in the future: a number of days or hours from now, a date (its last moment, UTC) or a date with a
 * time.
 */
export function parseExpiry(text: string): Date {
  const span = /^(\d{1,4})([dh])$/.exec(text);
  const at =
    span === null
      ? lastMomentOf(text)
      : new Date(Date.now() + Number(span[1]) * unitMs[span[2] as 'd' | 'h']);
  if (at === null)
    throw new InvalidArgumentError('It must be like 30d, 12h, 2031-01-31 or 2031-01-31T18:00:00Z.');
  if (at.getTime() <= Date.now()) throw new InvalidArgumentError('It must be in the future.');
  return at;
}

/** A moment in the past: a date with a time. */
export function parseMoment(text: string): Date {
  const moment = parseDateTime(text);
  if (moment === null || moment.precision === 'day' || moment.at > Date.now())
    throw new InvalidArgumentError('It must be a past time like 2026-11-21T08:00:00Z.');
  return new Date(moment.at);
}

function lastMomentOf(text: string): Date | null {
  const moment = parseDateTime(text);
  return moment === null ? null : new Date(moment.at + (moment.precision === 'day' ? unitMs.d - 1 : 0));
}

function parseWhole(text: string, max: number, min = 1): number {
  const value = Number(text);
  if (/^\d{1,16}$/.test(text) && value >= min && value <= max) return value;
  throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
}

function checkText(text: string, charactersMax: number): string {
  const checked = name(charactersMax).safeParse(text);
  if (checked.success) return checked.data;
  throw new InvalidArgumentError(`It ${checked.error.issues[0]?.message}`);
}
