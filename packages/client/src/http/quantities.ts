import { decimalNames } from '../api/decimals.ts';

const decimals: ReadonlySet<string> = new Set(decimalNames);
const decimal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * The JSON text of a body. Quantities that are decimal texts are written as numbers, digit for digit; the
 * service refuses any other text. Throws TypeError for a field that JSON has no value for, such as NaN.
 */
export function jsonText(value: unknown, name = 'a value'): string {
  if (typeof value === 'string' && decimals.has(name) && decimal.test(value)) return value;
  if (typeof value !== 'object' || value === null || 'toJSON' in value) {
    const text = typeof value === 'bigint' ? null : JSON.stringify(value);
    // The service takes null for a field that is left out, and would apply another operation.
    if (!text || (text === 'null' && value !== null))
      throw new TypeError(`${name} cannot be sent: ${String(value)}`);
    return text;
  }
  if (Array.isArray(value)) return `[${value.map((each) => jsonText(each)).join()}]`;
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .map(([key, field]) => `${JSON.stringify(key)}:${jsonText(field, key)}`);
  return `{${fields.join()}}`;
}

// A string, and the number after it if it is a name. Texts are consumed whole, so nothing inside one is
// mistaken. What follows a damaged number is left over, and makes the whole no JSON.
const named = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:\s*(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?))?/g;

/**
 * The object or list in the text of an answer; null if there is none, as when the answer was cut off or is of
 * somebody else. `isExact`: quantities become texts, with the digits that came.
 */
export function readBody(text: string, isExact: boolean): object | null {
  const readNumber = (whole: string, name: string, _: string, number: string | undefined) =>
    number !== undefined && decimals.has(name.slice(1, -1)) ? `${name}:"${number}"` : whole;
  try {
    const body: unknown = JSON.parse(isExact ? text.replace(named, readNumber) : text);
    return body instanceof Object ? body : null;
  } catch {
    return null;
  }
}
