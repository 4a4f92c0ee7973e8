import { z } from 'zod';
import { parseDateTime } from './date-time.ts';
import { type Decimal, formatQuantity, isExactDecimal, quantityLimit, sumLimit } from './quantity.ts';

// The building blocks of request bodies. Each message completes the sentence "<field> …".

type Issue = { input?: unknown };
const expects = (what: string) => (issue: Issue) =>
  issue.input === undefined ? 'is required.' : `must be ${what}.`;

const integerMax = 2 ** 31 - 1;

function integer(min: number, max: number = integerMax) {
  return (
    z
      .number({ error: expects('an integer') })
      // Not `int()`, which would stop the check of the whole body. One answer must name all invalid fields.
      .refine((value) => Number.isSafeInteger(value), { error: 'must be an integer.' })
      .min(min, { error: `must be at least ${min}.` })
      .max(max, { error: `must be at most ${max}.` })
      .meta({ type: 'integer' })
  );
}

/** An id: 1 to 2^31-1. */
export const Id = integer(1);

/** A number that the client chooses, such as a reason code or a job: 0 to 2^31-1. */
export const Code = integer(0);

/** A number that every JSON reader can hold: 0 to 2^53-1. */
export const Count53 = z
  .number({ error: expects('an integer') })
  .int({ error: 'must be an integer.' })
  .min(0, { error: 'must be at least 0.' })
  .max(Number.MAX_SAFE_INTEGER, { error: `must be at most ${Number.MAX_SAFE_INTEGER}.` });

/** The number of a lot or a transaction: 1 to 2^53-1. A busy service exceeds 2^31 within weeks. */
export const RecordNo = integer(1, Number.MAX_SAFE_INTEGER);

const digits = 'at most 6 digits after the point';

/** The messages why a value is not a valid decimal below `limit` and at or above `least`. */
function decimalFaults(value: unknown, limit: number, least: 'positive' | 'zero'): string[] {
  if (value === undefined) return ['is required.'];
  if (typeof value !== 'bigint' && (typeof value !== 'number' || !Number.isFinite(value)))
    return [`must be a number with ${digits}.`];
  // Exact: a bigint counts millionths, and both limits in millionths fit a double.
  const isLess = typeof value === 'bigint' ? value < limit * 1e6 : value < limit;
  return [
    ...(isLess ? [] : [`must be less than ${limit}.`]),
    ...(typeof value === 'bigint' || isExactDecimal(value) ? [] : [`must have ${digits}.`]),
    ...(least === 'positive' && value <= 0 ? ['must be greater than 0.'] : []),
    ...(least === 'zero' && value < 0 ? ['must not be negative.'] : []),
  ];
}

/**
 * An exact JSON number. If it has more digits than a double holds, the body's reader supplies a bigint, and
 * its text is passed on.
 */
function decimal(limit: number, least: 'positive' | 'zero') {
  return z
    .unknown()
    .transform((value, context): Decimal => {
      const faults = decimalFaults(value, limit, least);
      for (const message of faults) context.addIssue({ code: 'custom', message });
      if (faults.length > 0) return z.NEVER;
      return typeof value === 'bigint' ? formatQuantity(value) : (value as number);
    })
    .meta({
      ...{ type: 'number', exclusiveMaximum: limit },
      ...(least === 'positive' ? { exclusiveMinimum: 0 } : { minimum: 0 }),
    });
}

/** A quantity of one lot: greater than 0. */
export const Units = decimal(quantityLimit, 'positive');

/** A quantity taken from several lots. */
export const UnitsOfLots = decimal(sumLimit, 'positive');

/** The total units of several lots: 0 or more. */
export const AmountOfLots = decimal(sumLimit, 'zero');

/** A weight, a price or a package size: 0 or more. */
export const Amount = decimal(quantityLimit, 'zero');

/** Text that Postgres can compare with: no NUL and no lone surrogates. */
export const Text = z
  .string({ error: expects('a string') })
  .refine((value) => !value.includes('\u0000') && value.isWellFormed(), {
    error: 'must not contain U+0000 or a lone surrogate.',
  });

/**
 * Text of at most this many characters (code points), without NUL (Postgres cannot store it) and without lone
 * surrogates.
 */
export function text(lengthMax: number) {
  return Text.max(lengthMax, { error: `must be at most ${lengthMax} characters long.` });
}

/** Text that names something: not empty, and not only white space. */
export function name(lengthMax: number) {
  return text(lengthMax)
    .refine((value) => value.trim() !== '', { error: 'must not be empty.' })
    .meta({ minLength: 1, pattern: '\\S' });
}

/** The value of `dryRun` in the answer to a real call. */
export const isReal = z.literal(false).describe('false: it was done');

export const Flag = z.boolean({ error: expects('true or false') });

/** ISO 8601. */
export const DateTimeText = z
  .string({ error: expects('an ISO 8601 date or datetime') })
  .refine((value) => parseDateTime(value) !== null, { error: 'must be an ISO 8601 date or datetime.' });

/** The longest texts, in characters (code points). */
export const lengthMax = { shortId: 64, label: 100, description: 500, remark: 1000 } as const;

/** The most aliases of an item. Those of version 0.1.0 may have more, and then get no further ones. */
export const aliasesMax = 100;

/**
 * Lets a rule about several fields run even if other fields are invalid, so that one answer names all faults.
 */
export function isObject({ value }: { value: unknown }): boolean {
  return typeof value === 'object' && value !== null;
}

/** The item of a transaction. */
export const ItemName = name(lengthMax.shortId).describe(
  'Item ShortID. Extension: or an alias, a GTIN in any of its spellings',
);

/** In the answer to a transaction: the item, if it was sent under another name. */
export const NamedOtherwise = z
  .string()
  .optional()
  .describe('Extension: the ShortID of the item; only if `itemID` was an alias or a GTIN');
