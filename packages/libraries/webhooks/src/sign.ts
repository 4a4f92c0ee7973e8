import { createHmac } from 'node:crypto';

/** The signed text: the bytes of a message, its id, and the attempt's time in milliseconds since 1970. */
export type Signed = { messageId: string; at: number; body: string };

/**
 * The headers of Standard Webhooks 1.0.0. While one secret replaces another there are two signatures, so a
 * receiver may know either.
 */
export function signatureHeaders({ messageId, at, body }: Signed, secrets: readonly Uint8Array[]) {
  const seconds = Math.floor(at / 1000);
  const signatures = secrets.map((secret) => {
    const digest = createHmac('sha256', secret).update(`${messageId}.${seconds}.${body}`).digest('base64');
    return `v1,${digest}`;
  });
  return {
    'webhook-id': messageId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
}
