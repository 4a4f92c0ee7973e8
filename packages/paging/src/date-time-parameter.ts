import { lastMoment, parseDateTime } from '@inventory/domain/date-time';
import { z } from 'zod';
import { withPlus } from './page-query.ts';

const dayMs = 86_400_000;

/**
 * A moment of a query, ISO 8601. `through`: the end of what was written, so that a date means its whole UTC
 * day and a time without fractions its whole second; for a bound that is itself included.
 */
export function dateTimeParameter(description: string, { through = false } = {}) {
  return z
    .string()
    .transform((text, context) => {
      const parsed = parseDateTime(withPlus(text));
      if (parsed !== null) {
        const lengthMs = { day: dayMs, second: 1000, millisecond: 1 }[parsed.precision];
        return new Date(through ? Math.min(parsed.at + lengthMs - 1, lastMoment) : parsed.at);
      }
      context.addIssue({ code: 'custom', message: 'must be an ISO 8601 date or datetime.' });
      return z.NEVER;
    })
    .optional()
    .meta({ description, format: 'date-time' });
}
