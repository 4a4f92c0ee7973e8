import { formatQuantity } from './quantity.ts';

/** A part of an answer: a JSON value, or a quantity as bigint. */
export type JsonAnswer =
  | string
  | number
  | boolean
  | null
  | bigint
  | readonly JsonAnswer[]
  | { readonly [name: string]: JsonAnswer };

/**
 * The JSON text of an answer, with each quantity digit for digit. A double would round a sum with more than
 * 15 digits, and `JSON.stringify` in Node 20 cannot write a raw number.
 */
export function jsonText(value: JsonAnswer): string {
  if (typeof value === 'bigint') return formatQuantity(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  let members = '';
  for (const [name, member] of Object.entries(value))
    members += `${members && ','}${JSON.stringify(name)}:${jsonText(member)}`;
  return `{${members}}`;
}
