const pattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

const firstMoment = Date.parse('0001-01-01T00:00:00Z');
/** The last time that can be written, in milliseconds since 1970. */
export const lastMoment = Date.parse('9999-12-31T23:59:59.999Z');

/** A time, and how precisely it was written: a UTC day, a second or a millisecond. */
export type DateTime = { at: number; precision: 'day' | 'second' | 'millisecond' };

/**
 * Parses an ISO 8601 date or datetime. Without an offset it is UTC. `at`: milliseconds since 1970; further
 * digits are dropped. Returns null for other text, including a day that does not exist.
 */
export function parseDateTime(text: string): DateTime | null {
  const match = pattern.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, fraction, offset] = match;
  const part = (digits: string | undefined) => Number(digits ?? 0);
  if (part(hour) > 23 || part(minute) > 59 || part(second) > 59 || part(year) === 0) return null;
  const date = new Date(0);
  date.setUTCFullYear(part(year), part(month) - 1, part(day));
  if (date.getUTCMonth() !== part(month) - 1 || date.getUTCDate() !== part(day)) return null;
  date.setUTCHours(
    part(hour),
    part(minute),
    part(second),
    Number((fraction ?? '0').padEnd(3, '0').slice(0, 3)),
  );
  const offsetMinutes = minutesOf(offset);
  if (offsetMinutes === null) return null;
  const at = date.getTime() - offsetMinutes * 60_000;
  // An offset can move the first or last day out of the years 1 to 9999, which Postgres and answers cannot
  // write.
  if (at < firstMoment || at > lastMoment) return null;
  return { at, precision: hour === undefined ? 'day' : fraction === undefined ? 'second' : 'millisecond' };
}

/** The only form of a time in answers: UTC, milliseconds, `Z`. */
export function formatDateTime(at: number): string {
  return new Date(at).toISOString();
}

function minutesOf(offset: string | undefined): number | null {
  if (offset === undefined || offset === 'Z' || offset === 'z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(3).replace(':', '') || 0);
  if (hours > 23 || minutes > 59) return null;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
