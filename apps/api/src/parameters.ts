import { z } from 'zod';

const digits = { error: 'must be a plain integer.' };

/**
 * A number of the service's in a path, as recNo; anything else is no such path. `example`: one of the demo.
 */
export function pathNumber(description: string, example: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .meta({ description, example, type: 'integer', minimum: 1 });
}

/** A number of the service's in a query, as recNo; one that is not given to anything matches nothing. */
export function numberParameter(description: string) {
  return z
    .string()
    .regex(/^\d{1,15}$/, digits)
    .transform(Number)
    .optional()
    .meta({ description, type: 'integer', minimum: 1 });
}

/** An id in a query, as a warehouse's: 0 … 2^31-1. */
export function idParameter(description: string) {
  const idMax = 2 ** 31 - 1;
  return z
    .string()
    .regex(/^\d{1,15}$/, digits)
    .transform(Number)
    .refine((id) => id <= idMax, { error: `must be at most ${idMax}.` })
    .optional()
    .meta({ description, type: 'integer', minimum: 0, maximum: idMax });
}

/** Which fields the records of a list have. */
export const viewParameter = z
  .enum(['full'], { error: 'must be full.' })
  .optional()
  .meta({ description: 'Extension: full shows every field that is stored' });
