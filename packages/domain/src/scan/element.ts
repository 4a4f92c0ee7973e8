import { parseQuantity, type Quantity } from '../quantity.ts';
import { checkPairOf, gs1Characters, hasCheckDigit, isIban } from './check-digits.ts';
import type { Identifier, Part } from './identifiers.ts';

/**
 * A value under its Application Identifier. `date`: the one that it begins with, as `2026-01-31`. `number`:
 * of a count or a measure, exact.
 */
export type Element = { ai: string; value: string; date?: string; number?: Quantity };

/**
 * Why a code is not read. `ai`: the Application Identifier, or the characters at its place; null for the code
 * as a whole.
 */
export type Fault = { ai: string | null; message: string };

export function isFault<T extends object>(read: T | Fault): read is Fault {
  return 'message' in read;
}

/**
 * Reads the value of an Application Identifier. `year`: the present one, which decides the century of a year
 * with two digits.
 */
export function elementOf({ ai, parts }: Identifier, value: string, year: number): Element | Fault {
  const element: Element = { ai, value };
  let at = 0;
  for (const [index, part] of parts.entries()) {
    if (part.isOptional && at === value.length) break;
    const text = value.slice(at, at + part.max);
    if (text.length < part.min) return { ai, message: 'Its value is too short.' };
    if (!characters[part.what].test(text)) return { ai, message: 'Its value has other characters.' };
    if (dateRules.has(part.rule)) {
      const date = dateOf(part.rule, text, year);
      if (date === null) return { ai, message: 'There is no such day.' };
      if (index === 0) element.date = date;
    } else if (part.rule !== '') {
      const { holds, message } = rules[part.rule]!;
      if (!holds(text)) return { ai, message };
    }
    at += text.length;
  }
  if (at < value.length) return { ai, message: 'Its value is too long.' };
  const decimals = decimalsOf(ai);
  if (decimals !== null) element.number = numberOf(value, decimals);
  return element;
}

const characters: Readonly<Record<Part['what'], RegExp>> = {
  n: /^\d*$/,
  x: new RegExp(`^[${gs1Characters.replaceAll(/[-\]\\^]/g, '\\$&')}]*$`),
  y: /^[#\-/\dA-Z]*$/,
  z: /^[\w\-=]*$/,
};

const dateRules: ReadonlySet<string> = new Set(['day', 'day0', 'date']);

const hasPair = (text: string) => text.length > 2 && checkPairOf(text.slice(0, -2)) === text.slice(-2);

/** The rules of parts besides dates: what they ask, and the message if it is not so. */
const rules: Readonly<Record<string, { holds: (text: string) => boolean; message: string }>> = {
  check: { holds: hasCheckDigit, message: 'Its check digit is wrong.' },
  pair: { holds: hasPair, message: 'Its check characters are wrong.' },
  model: { holds: (text) => hasPair(text) && /\D/.test(text), message: 'Its check characters are wrong.' },
  iban: { holds: isIban, message: 'Its check digits are wrong.' },
  time: matches(/^(?:[01]\d|2[0-3])[0-5]\d$/),
  hour: matches(/^(?:[01]\d|2[0-3])$/),
  sixty: matches(/^[0-5]\d$/),
  yes: matches(/^[01]$/),
  sex: matches(/^[0129]$/),
  zero: matches(/^0$/),
  some: matches(/[1-9]/),
  winding: matches(/^[019]$/),
  minus: matches(/^-$/),
  number: matches(/^(?:0|[1-9]\d*)$/),
  latitude: matches(/^(?:0\d{9}|1[0-7]\d{8}|1800000000)$/),
  longitude: matches(/^(?:[0-2]\d{9}|3[0-5]\d{8}|3600000000)$/),
  percent: matches(/^(?:[^%]|%[\da-f]{2})*$/i),
  piece: { holds: (text) => isPiece(text.slice(0, 2), text.slice(2)), message: 'There is no such piece.' },
  sequence: {
    holds: (text) => /^\d\/\d$/.test(text) && isPiece(text.slice(0, 1), text.slice(2)),
    message: 'There is no such piece.',
  },
};

function matches(pattern: RegExp) {
  return { holds: (text: string) => pattern.test(text), message: 'It cannot have this value.' };
}

function isPiece(piece: string, total: string): boolean {
  return Number(piece) > 0 && Number(piece) <= Number(total);
}

/** The date of YYMMDD or, for `date`, YYYYMMDD; null for a day that does not exist. */
function dateOf(rule: string, text: string, thisYear: number): string | null {
  const yearDigits = rule === 'date' ? 4 : 2;
  const written = Number(text.slice(0, yearDigits));
  const year = rule === 'date' ? written : yearOf(written, thisYear);
  const month = Number(text.slice(yearDigits, yearDigits + 2));
  const day = Number(text.slice(yearDigits + 2));
  if (month < 1 || month > 12 || year < 1) return null;
  const last = daysOf(year, month);
  // Day 00: the last of the month.
  const shown = day === 0 && rule === 'day0' ? last : day;
  if (shown < 1 || shown > last) return null;
  const digits = (number: number, length: number) => String(number).padStart(length, '0');
  return `${digits(year, 4)}-${digits(month, 2)}-${digits(shown, 2)}`;
}

/** The year with these last two digits that is at most 50 years ahead and 49 back. */
function yearOf(written: number, thisYear: number): number {
  const century = thisYear - (thisYear % 100);
  const ahead = written - (thisYear % 100);
  return century + written + (ahead >= 51 ? -100 : ahead <= -50 ? 100 : 0);
}

function daysOf(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** How many digits of a number are decimals; null if the value is no number. */
function decimalsOf(ai: string): number | null {
  if (ai === '30' || ai === '37') return 0;
  return /^3[1-6]\d\d$/.test(ai) ? Number(ai.charAt(3)) : null;
}

function numberOf(digits: string, decimals: number): Quantity {
  const whole = digits.slice(0, digits.length - decimals);
  return parseQuantity(decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`);
}
