import { newKey } from './new-key.ts';
import type { CallKind } from './outcome.ts';
import { readBody } from './quantities.ts';

/** The header with the key of a write. */
export const keyHeader = 'Idempotency-Key';

const transaction = /\/Inventory\/(Receive|Move|Issue|Count|Reverse|Hold)$/;

type List = { mode?: unknown; operations?: unknown };

/**
 * The kind of a call, and whether an earlier call may have sent its key. A stock transaction without a key
 * gets one, in `headers`. The operations of a list of mode `each` keep theirs.
 */
export function formOf(
  { method }: Request,
  path: string,
  headers: Headers,
  body: string,
): { kind: CallKind; isResend: boolean } {
  if (/GET|HEAD/.test(method) || path.endsWith('/Scan')) return { kind: 'read', isResend: false };
  const list = path.endsWith('/Inventory/Batch') ? (readBody(body, false) as List | null) : null;
  const operations = Array.isArray(list?.operations) ? list.operations : [];
  const isKeyed = (each: { key?: unknown } | null) => Boolean(each?.key);
  const isResend = headers.has(keyHeader) || operations.some(isKeyed);
  const takesKey = transaction.test(path) || list?.mode === 'atomic';
  if (takesKey && !headers.has(keyHeader)) headers.set(keyHeader, newKey());
  const otherwise = list === null ? 'unkeyed' : 'once';
  return { kind: takesKey || (list && operations.every(isKeyed)) ? 'keyed' : otherwise, isResend };
}

// By the paths of calls, a field that each answer of success has.
const marks: [RegExp, string][] = [
  [transaction, 'transactionNo'],
  [/\/(Inventory\/Batch|Scan)$/, 'results'],
  [/^\/Changes$/, 'nextCursor'],
  [/^\/Me$/, 'warehouses'],
  [/^\/Token$/, 'access_token'],
];

/** A field that each answer of success to a call of this path has; undefined: any object may be one. */
export function markOf(path: string): string | undefined {
  return marks.find(([paths]) => paths.test(path))?.[1];
}
