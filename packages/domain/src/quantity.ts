/**
 * A quantity, exact: a bigint that counts millionths (1.5 units = 1_500_000n). Every number that a request
 * may carry (at most 6 digits after the point, below 1e12) has exactly one; sums never round.
 */
export type Quantity = bigint;

/** A lot holds fewer units than this. */
export const quantityLimit = 1e12;
/** The lots of an item in a warehouse together hold fewer units than this. */
export const sumLimit = 1e15;
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

/** A decimal of a request: a number where a double carries it, else its plain decimal text. */
export type Decimal = number | string;

/** The quantity of a decimal of a request. */
export function quantityOf(decimal: Decimal): Quantity {
  return parseQuantity(plainDecimal(decimal));
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
 * The number that a JSON literal such as `-1.50e3` writes, of any length. Where its digits say more than a
 * double carries (more than 15 significant ones, unless it is whole and at most 2^53-1, or an exponent that
 * makes 0 of them) it is the quantity as bigint, and NaN where there is none: finer than a millionth, or very
 * long. No other value of a JSON text is a bigint.
 */
export function numberOfLiteral(literal: string): number | Quantity {
  const [mantissa = ''] = literal.toLowerCase().split('e');
  const digits = withoutFirstZeros(mantissa.replace('-', '').replace('.', ''));
  const significant = mantissa.includes('.') ? withoutLastZeros(digits) : digits;
  const number = Number(literal);
  // All digits of a whole number up to 2^53-1 are carried; where it is to be a quantity, that says so.
  if (/^-?\d+$/.test(literal) && Number.isSafeInteger(number)) return number;
  const isCarried = significant.length <= significantDigitsMax && (number !== 0 || digits === '');
  return isCarried ? number : (quantityOfLiteral(literal) ?? Number.NaN);
}

// A BigInt of a long text takes the square of its length. What has more digits is refused anyway.
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

// By hand: the pattern `0+$` begins anew at each zero of a run that does not end the text.
function withoutLastZeros(digits: string): string {
  let to = digits.length;
  while (digits[to - 1] === '0') to--;
  return digits.slice(0, to);
}

// Numbers from 1e-6 to 1e21 print without an exponent; -0 prints as 0.
function plainDecimal(decimal: Decimal): string {
  return String(decimal);
}
