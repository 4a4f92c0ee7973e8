import { newKey } from './new-key.ts';
import type { CallKind } from './outcome.ts';
import { readBody } from './quantities.ts';

/** The header with the key of a write. */
export const keyHeader = 'Idempotency-Key';

// A transaction that is made or, with GET, read.
const transaction = /Receive|Move|Issue|Count|Reverse|Hold|transactionNo/;

type List = { mode?: unknown; operations?: { key?: unknown }[] };

/**
 * The kind of a call of the document by its path, and whether an earlier call may have sent its key. A stock
 * transaction without a key gets one, in `headers`. The operations of a list of mode `each` keep theirs.
 */
export function formOf(
  { method }: Request,
  path: string,
  headers: Headers,
  body: string,
): { kind: CallKind; isResend: boolean } {
  if (/GET|HEAD/.test(method) || path === '/Scan') return { kind: 'read', isResend: false };
  const list: List | null = path === '/Inventory/Batch' ? readBody(body, false) : null;
  const keys = (list?.operations ?? []).map(({ key }) => key);
  const isResend = headers.has(keyHeader) || keys.some(Boolean);
  const takesKey = transaction.test(path) || list?.mode === 'atomic';
  if (takesKey && !headers.has(keyHeader)) headers.set(keyHeader, newKey());
  const otherwise = list === null ? 'unkeyed' : 'once';
  return { kind: takesKey || (list && keys.every(Boolean)) ? 'keyed' : otherwise, isResend };
}

// Fields of which each answer of success to these calls has one.
const marks = {
  access_token: /Token/,
  transactionNo: transaction,
  results: /Batch|Scan/,
  nextCursor: /Changes/,
  warehouses: /Me$/,
  recNo: /recNo/,
  partNo: /partNo}$/,
  alias: /alias}/,
  // One item, a page of items, or the list of a category.
  'shortID value length': /Item$|ShortID/,
  value: /Inventory|Item|Reasons|Webhooks/,
};

/**
 * The fields of which each answer of success to a call of this path has one. None if the document of this
 * version does not have the path.
 */
export function marksOf(path: string): readonly string[] {
  const found = Object.entries(marks).find(([, paths]) => paths.test(path));
  return found?.[0].split(' ') ?? [];
}
