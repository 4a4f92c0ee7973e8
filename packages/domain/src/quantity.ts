/**
 * A quantity, exact: a bigint that counts millionths (1.5 units = 1_500_000n). Every number that a request
 * may carry (at most 6 digits after the point, below 1e12) has exactly one; sums never round.
 */
export type Quantity = bigint;

/** Requests carry quantities below this many units. */
export const quantityLimit = 1e12;
const digitsAfterPointMax = 6;
const significantDigitsMax = 15;
const millionth = 1_000_000n;

/**
 * The quantity of a plain decimal text such as `12`, `-0.5` or `100.000000`; throws a RangeError on anything
 * else.
 */
export function parseQuantity(text: string): Quantity {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  const [, sign, whole = '0', digits = ''] = match ?? [];
  const fraction = withoutLastZeros(digits);
  if (match === null || fraction.length > digitsAfterPointMax)
    throw new RangeError(`not a quantity: ${text}`);
  const millionths = BigInt(whole) * millionth + BigInt(fraction.padEnd(digitsAfterPointMax, '0'));
  return sign === '-' ? -millionths : millionths;
}

/** The shortest plain decimal text of a quantity: `1.5`, `100`, `-0.000001`. */
export function formatQuantity(quantity: Quantity): string {
  const magnitude = quantity < 0n ? -quantity : quantity;
  const whole = (quantity < 0n ? '-' : '') + (magnitude / millionth).toString();
  const fraction = magnitude % millionth;
  if (fraction === 0n) return whole;
  return `${whole}.${withoutLastZeros(fraction.toString().padStart(digitsAfterPointMax, '0'))}`;
}

/** The quantity of a JSON number that passed {@link isExactDecimal}. */
export function quantityOf(number: number): Quantity {
  return parseQuantity(plainDecimal(number));
}

/**
 * Whether a JSON number is one that every reader carries exactly: at most 6 digits after the point and 15
 * significant ones. (A literal with more digits than a double holds never gets here as a number: the body's
 * reader turns it into NaN.)
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
 * The number that a JSON literal such as `-1.50e3` writes, of any length; NaN when its digits say more than a
 * double carries: more than 15 significant ones, unless it is whole and at most 2^53-1, or an exponent that
 * makes 0 of them.
 */
export function numberOfLiteral(literal: string): number {
  const [mantissa = ''] = literal.toLowerCase().split('e');
  const digits = withoutFirstZeros(mantissa.replace('-', '').replace('.', ''));
  const significant = mantissa.includes('.') ? withoutLastZeros(digits) : digits;
  const number = Number(literal);
  // All digits of a whole number up to 2^53-1 are carried; where it is to be a quantity, that says so.
  if (/^-?\d+$/.test(literal) && Number.isSafeInteger(number)) return number;
  return significant.length > significantDigitsMax || (number === 0 && digits !== '') ? Number.NaN : number;
}

function withoutFirstZeros(digits: string): string {
  let from = 0;
  while (digits[from] === '0') from++;
  return digits.slice(from);
}

// By hand: the pattern `0+$` begins anew at each zero of a run that does not end the text.
function withoutLastZeros(digits: string): string {
  let to = digits.length;
  while (digits[to - 1] === '0') to--;
  return digits.slice(0, to);
}

// Numbers from 1e-6 to 1e21 print without an exponent; -0 prints as 0.
function plainDecimal(number: number): string {
  return String(number);
}
