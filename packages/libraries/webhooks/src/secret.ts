import { randomBytes } from 'node:crypto';

// Standard Webhooks asks for 24 to 64 bytes.
const secretBytes = 32;

/** A new secret. It must be readable to sign, so no digest of it is stored, but the secret. */
export function createWebhookSecret(): Buffer {
  return randomBytes(secretBytes);
}

/** A secret as receivers are given it. */
export function writeWebhookSecret(secret: Uint8Array): string {
  return `whsec_${Buffer.from(secret).toString('base64')}`;
}
