import type { FieldErrors } from '@inventory/domain/refusals/refused';

/** The header that says that no unknown name was ignored. */
export const strictApplied = { 'Preference-Applied': 'handling=strict' };

/**
 * Whether a caller prefers `handling=strict` (RFC 7240): unknown names are refused instead of ignored.
 * `header`: the Prefer header, with several lines joined by commas. Unreadable parts of it do not count.
 */
export function isStrict(header: string): boolean {
  if (header === '') return false;
  for (const preference of splitOutsideQuotes(header, ',')) {
    const [first = ''] = splitOutsideQuotes(preference, ';');
    const [name = '', ...value] = first.split('=');
    if (name.trim().toLowerCase() !== 'handling') continue;
    // Only the first one counts.
    return wordOf(value.join('=').trim()).toLowerCase() === 'strict';
  }
  return false;
}

/** Returns a token, or the content of a quoted string. */
function wordOf(text: string): string {
  const isQuoted = text.length > 1 && text.startsWith('"') && text.endsWith('"');
  return isQuoted ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
}

/** Splits a header's value, but not inside of quoted strings. */
export function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = [];
  let isQuoted = false;
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"') isQuoted = !isQuoted;
    else if (character === '\\' && isQuoted) index += 1;
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)];
}

type Shaped = { shape?: object; in?: Shaped };

/** Returns the field names of an object schema; empty without a schema. */
export function namesOf(schema: object | undefined): ReadonlySet<string> {
  if (schema === undefined) return new Set();
  // A schema with a transform keeps its object schema in `in`.
  const { shape, in: before } = schema as Shaped;
  if (shape !== undefined) return new Set(Object.keys(shape));
  if (before === undefined) throw new TypeError('a schema without names');
  return namesOf(before);
}

// A caller mends a few mistyped names. An answer that repeated thousands would cost more than the call.
const toldMax = 20;

/**
 * Returns an error for each of the first 20 unknown names, and how many more there are, as `invalid` takes
 * them.
 */
export function unknownAmong(names: Iterable<string>, known: ReadonlySet<string>): FieldErrors {
  const unknown: string[] = [];
  let count = 0;
  for (const name of names) {
    if (known.has(name)) continue;
    count += 1;
    if (count <= toldMax) unknown.push(name);
  }
  const errors: FieldErrors = Object.fromEntries(unknown.map((name) => [name, ['is unknown.']]));
  if (count > toldMax) errors['…'] = [`and ${count - toldMax} more names are unknown.`];
  return errors;
}
