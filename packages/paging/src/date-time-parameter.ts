import { lastMoment, parseDateTime } from '@inventory/domain/date-time';
import { z } from 'zod';
import { withPlus } from './page-query.ts';

const dayMs = 86_400_000;

/**
 * An ISO 8601 time in a query. `through`: reads it as the end of what was written, so that a date covers its
 * whole UTC day, and a time without fractions its whole second. For inclusive upper bounds.
 */
export function dateTimeParameter(description: string, { through = false } = {}) {
  return requiredDateTime(description, { through }).optional().meta({ description, format: 'date-time' });
}

/** The same, where it must be given. */
export function requiredDateTime(
  description: string,
  { through = false, example }: { through?: boolean; example?: string } = {},
) {
  return z
    .string({ error: 'is required.' })
    .transform((text, context) => {
      const parsed = parseDateTime(withPlus(text));
      if (parsed !== null) {
        const lengthMs = { day: dayMs, second: 1000, millisecond: 1 }[parsed.precision];
        return new Date(through ? Math.min(parsed.at + lengthMs - 1, lastMoment) : parsed.at);
      }
      context.addIssue({ code: 'custom', message: 'must be an ISO 8601 date or datetime.' });
      return z.NEVER;
    })
    .meta({ description, format: 'date-time', ...(example === undefined ? {} : { example }) });
}
