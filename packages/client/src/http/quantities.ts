import { decimalNames } from '../api/decimals.ts';

const decimals: ReadonlySet<string> = new Set(decimalNames);
const decimal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * The JSON text of a body. Quantities that are decimal texts are written as numbers, digit for digit; the service
 * refuses any other text.
 */
export function jsonText(value: unknown, name = ''): string {
  if (typeof value === 'string' && decimals.has(name) && decimal.test(value)) return value;
  if (typeof value !== 'object' || value === null || 'toJSON' in value)
    return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map((each) => jsonText(each)).join()}]`;
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .map(([key, field]) => `${JSON.stringify(key)}:${jsonText(field, key)}`);
  return `{${fields.join()}}`;
}

// A string, and the number after it if it is a name. Texts are consumed whole, so nothing inside one is mistaken.
const named = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:\s*(-?\d[\d.eE+-]*))?/g;

/** Reads an answer. `isExact`: quantities become texts, with the digits that came. */
export function parseJson(text: string, isExact: boolean): unknown {
  if (!isExact) return JSON.parse(text);
  return JSON.parse(
    text.replace(named, (whole: string, name: string, _, number: string | undefined) =>
      number !== undefined && decimals.has(name.slice(1, -1)) ? `${name}:"${number}"` : whole,
    ),
  );
}
