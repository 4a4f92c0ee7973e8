/**
 * An exact quantity: a bigint in millionths (1.5 units = 1_500_000n). It can hold every number that a request
 * may contain (at most 6 decimals, below 1e12), and sums never round.
 */
export type Quantity = bigint;

/** The exclusive limit of a lot's units. */
export const quantityLimit = 1e12;
/** The exclusive limit for the units of all lots of an item in a warehouse. */
export const sumLimit = 1e15;
const digitsAfterPointMax = 6;
const significantDigitsMax = 15;
const millionth = 1_000_000n;

/** 1 unit, and the exclusive limit of a lot's units. */
export const oneUnit: Quantity = millionth;
export const unitsLimit: Quantity = BigInt(quantityLimit) * millionth;

/** Parses a plain decimal text such as `12`, `-0.5` or `100.000000`. Throws a RangeError for other text. */
export function parseQuantity(text: string): Quantity {
  const match = /^(-?\d+)(?:\.(\d{1,6})0*)?$/.exec(text);
  if (match === null) throw new RangeError(`not a quantity: ${text}`);
  const [, whole = '', fraction = ''] = match;
  return BigInt(whole + fraction.padEnd(digitsAfterPointMax, '0'));
}

/** The shortest plain decimal text of a quantity: `1.5`, `100`, `-0.000001`. */
export function formatQuantity(quantity: Quantity): string {
  const magnitude = quantity < 0n ? -quantity : quantity;
  const whole = (quantity < 0n ? '-' : '') + (magnitude / millionth).toString();
  const fraction = magnitude % millionth;
  if (fraction === 0n) return whole;
  return `${whole}.${withoutLastZeros(fraction.toString().padStart(digitsAfterPointMax, '0'))}`;
}

/** A decimal in a request: a number if a double can hold it, otherwise its plain decimal text. */
export type Decimal = number | string;

/** The quantity of a decimal in a request. */
export function quantityOf(decimal: Decimal): Quantity {
  return parseQuantity(plainDecimal(decimal));
}

/**
 * Whether every reader can hold a JSON number exactly: at most 6 decimals and 15 significant digits. (A
 * literal with more digits than a double holds never arrives here as a number: the body's reader turns it
 * into NaN.)
 */
export function isExactDecimal(number: number): boolean {
  if (!Number.isFinite(number)) return false;
  if (Math.abs(number) >= 1e21 || (number !== 0 && Math.abs(number) < 1e-6)) return false;
  const [whole = '', fraction = ''] = plainDecimal(Math.abs(number)).split('.');
  const digits = withoutFirstZeros(whole + fraction);
  const significant = fraction === '' ? withoutLastZeros(digits) : digits;
  return fraction.length <= digitsAfterPointMax && significant.length <= significantDigitsMax;
}

/**
 * The value of a JSON literal such as `-1.50e3`, of any length. If a double cannot hold all digits (more than
 * 15 significant ones, unless it is an integer up to 2^53-1, or an exponent that rounds them to 0), returns
 * the quantity as bigint, or NaN if there is none: finer than a millionth, or very long. No other JSON value
 * becomes a bigint.
 */
export function numberOfLiteral(literal: string): number | Quantity {
  const [mantissa = ''] = literal.toLowerCase().split('e');
  const digits = withoutFirstZeros(mantissa.replace('-', '').replace('.', ''));
  const significant = mantissa.includes('.') ? withoutLastZeros(digits) : digits;
  const number = Number(literal);
  // A double holds all digits of an integer up to 2^53-1. If it should be a quantity, the quantity's own
  // check applies.
  if (/^-?\d+$/.test(literal) && Number.isSafeInteger(number)) return number;
  const isCarried = significant.length <= significantDigitsMax && (number !== 0 || digits === '');
  return isCarried ? number : (quantityOfLiteral(literal) ?? Number.NaN);
}

// Converting a long text to BigInt takes quadratic time. Longer literals are refused anyway.
const literalLengthMax = 64;

function quantityOfLiteral(literal: string): Quantity | null {
  if (literal.length > literalLengthMax) return null;
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const zeros = Number(exponent) - fraction.length + digitsAfterPointMax;
  if (Math.abs(zeros) > literalLengthMax) return null;
  const digits = BigInt(whole + fraction);
  if (zeros >= 0) return digits * 10n ** BigInt(zeros);
  const unit = 10n ** BigInt(-zeros);
  return digits % unit === 0n ? digits / unit : null;
}

function withoutFirstZeros(digits: string): string {
  let from = 0;
  while (digits[from] === '0') from++;
  return digits.slice(from);
}

// By hand: the pattern `0+$` would restart at each zero of a run that does not end the text.
function withoutLastZeros(digits: string): string {
  let to = digits.length;
  while (digits[to - 1] === '0') to--;
  return digits.slice(0, to);
}

// Numbers from 1e-6 to 1e21 print without an exponent; -0 prints as 0.
function plainDecimal(decimal: Decimal): string {
  return String(decimal);
}
