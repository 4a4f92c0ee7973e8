import type { Change } from './api/types.ts';
import { InventoryError } from './http/inventory-error.ts';

/** The body of a webhook. That of a test has no changes. */
export type WebhookMessage = {
  type: 'inventory.changes' | 'inventory.test';
  timestamp: string;
  data: { value: Change[]; nextCursor: string };
};

type Headers = { get(name: string): string | null } | Record<string, string | string[] | undefined>;

// Of the clocks, and of the way.
const toleranceMs = 300_000;

/**
 * Checks that a webhook comes from the service (Standard Webhooks 1.0.0), and returns its body. `secret`: the
 * one that the service shows, `whsec_…`. `body`: the bytes or the text as they came, not parsed. Throws
 * InventoryError, code `invalid_signature`.
 */
export async function verifyWebhook<Body = WebhookMessage>(
  secret: string,
  headers: Headers,
  body: string | Uint8Array,
): Promise<Body> {
  if (typeof secret !== 'string' || typeof headers !== 'object' || headers === null)
    throw refused('the secret or the headers are missing');
  const text = textOf(body);
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    headerOf(headers, `webhook-${name}`),
  );
  if (!id || !timestamp || !signatures) throw refused('a header is missing');
  const sentAt = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) * 1000 : Number.NaN;
  if (!(Math.abs(Date.now() - sentAt) <= toleranceMs))
    throw refused('it was sent too long ago, or a clock is wrong');
  const keyBytes = bytesOf(secret.replace(/^whsec_/, ''));
  if (keyBytes.length === 0) throw refused('the secret is not one of the service');
  const key = await crypto.subtle.importKey('raw', keyBytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const signature of signatures.split(' ')) {
    if (!signature.startsWith('v1,')) continue;
    const bytes = bytesOf(signature.slice(3));
    // In constant time.
    if (await crypto.subtle.verify('HMAC', key, bytes, signed)) return read(text);
  }
  throw refused('no signature fits');
}

function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  if (!ArrayBuffer.isView(body) && !(body instanceof ArrayBuffer))
    throw refused('the body must be its bytes or its text, not parsed');
  return new TextDecoder().decode(body as Uint8Array);
}

function read<Body>(text: string): Body {
  try {
    return JSON.parse(text);
  } catch {
    throw refused('the body is no JSON');
  }
}

function headerOf(headers: Headers, name: string): string | null {
  const named = Object.entries(headers).find(([each]) => each.toLowerCase() === name);
  const value: unknown = typeof headers.get === 'function' ? headers.get(name) : named?.[1];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : null;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function refused(why: string): InventoryError {
  return new InventoryError({
    status: 0,
    code: 'invalid_signature',
    message: `The webhook is not for this receiver: ${why}.`,
    outcome: 'notApplied',
  });
}
