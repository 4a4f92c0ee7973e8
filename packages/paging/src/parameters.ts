import { Id, Text } from '@inventory/domain/fields';
import { z } from 'zod';

const idMax = 2 ** 31 - 1;
const numberMax = Number.MAX_SAFE_INTEGER;
const digits = { error: 'must be a plain integer.' };

/**
 * A number in a path, such as recNo. Other values do not match the path. `example`: a number in the demo
 * data.
 */
export function pathNumber(description: string, example: number) {
  return z
    .string()
    .regex(/^\d{1,16}$/)
    .transform(Number)
    .refine(Number.isSafeInteger)
    .meta({ description, example, type: 'integer', minimum: 1 });
}

/** A number in a query, such as recNo: up to 2^53-1. A number that nothing has matches nothing. */
export function numberParameter(description: string) {
  return z
    .string()
    .regex(/^\d+$/, digits)
    .transform(Number)
    .refine((number) => number <= numberMax, { error: `must be at most ${numberMax}.` })
    .optional()
    .meta({ description, type: 'integer', minimum: 1 });
}

/** An id in a query, such as a warehouse's: 0 to 2^31-1. */
export function idParameter(description: string) {
  return requiredId(description).optional().meta(idMeta(description));
}

/** The same, where it must be given. `example`: for the document. */
export function requiredId(description: string, example?: number) {
  return z
    .string({ error: 'is required.' })
    .regex(/^\d+$/, digits)
    .transform(Number)
    .refine((id) => id <= idMax, { error: `must be at most ${idMax}.` })
    .meta({ ...idMeta(description), ...(example === undefined ? {} : { example }) });
}

const idMeta = (description: string) =>
  ({ description, type: 'integer', minimum: 0, maximum: idMax }) as const;

const dayMs = 86_400_000;

/** A check of a query: `to` is not before `from`, and both lie within this many days, as `maxOf` says. */
export function withinDays<Value extends { from: Date; to: Date }>(maxOf: (value: Value) => number) {
  return ({ value, issues }: z.core.ParsePayload<Value>): void => {
    const { from, to }: { from: unknown; to: unknown } = value;
    // One of them cannot be read.
    if (!(from instanceof Date && to instanceof Date)) return;
    const max = maxOf(value);
    const isLong = to.getTime() - from.getTime() >= max * dayMs;
    const fault = to < from ? 'must not be before from.' : isLong ? `must be within ${max} days.` : null;
    if (fault !== null) issues.push({ code: 'custom', message: fault, path: ['to'], input: to });
  };
}

/** Several such ids, separated by commas. */
export function idsParameter(description: string, countMax: number) {
  return z
    .string()
    .regex(/^\d+(?:,\d+)*$/, { error: 'must be integers with commas between them.' })
    .transform((text) => text.split(',').map(Number))
    .refine((ids) => ids.length <= countMax, { error: `must be at most ${countMax}.` })
    .refine((ids) => ids.every((id) => id <= idMax), { error: `must be at most ${idMax} each.` })
    .optional()
    .meta({ description, type: 'string', pattern: '^\\d+(,\\d+)*$', example: '1,2,3' });
}

/** A text in a query that says which records are wanted. */
export function textParameter(description: string) {
  return Text.optional().meta({ description });
}

/** Yes or no in a query. */
export function flagParameter(description: string) {
  return z
    .enum(['true', 'false'], { error: 'must be true or false.' })
    .transform((text) => text === 'true')
    .optional()
    .meta({ type: 'boolean', description });
}

/** The warehouse in a path. */
export const widParams = z.object({
  wid: z
    .string()
    // A number that is not an id belongs to no warehouse, so it is out of scope like any other.
    .regex(/^\d+$/)
    .transform(Number)
    .meta({ description: 'Warehouse ID', example: 2, type: 'integer', minimum: 1, maximum: idMax }),
});

/** The part number in a path. `example`: an item of the demo data. */
export function partNoParams(example: number) {
  return z.object({
    partNo: z
      .string()
      .regex(/^\d{1,10}$/)
      .transform(Number)
      .pipe(Id)
      .meta({ description: 'Internal part number', example, type: 'integer', minimum: 1, maximum: idMax }),
  });
}

/** Selects the fields of the records of a list. */
export const viewParameter = z
  .enum(['full'], { error: 'must be full.' })
  .optional()
  .meta({ description: 'Extension: full shows every field that is stored' });
