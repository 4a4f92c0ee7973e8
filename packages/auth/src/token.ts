import { randomUUID } from 'node:crypto';
import { PlainError } from '@inventory/process/plain-error';
import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose';

/** A token lives this long. */
export const tokenLifetimeSeconds = 3600;

const algorithm = 'EdDSA';
const issuer = 'inventory-management-service';
const audience = 'inventory-api';

/** A key pair as it is stored. */
export type SigningKey = { kid: string; privateJwk: JWK; created: Date };

/** The key that signs and the keys that verify, ready for use. */
export type KeyRing = { signing: { kid: string; key: CryptoKey }; verifying: Map<string, CryptoKey> };

/** A fresh Ed25519 key; its `kid` is the thumbprint of its public half. */
export async function createSigningKey(): Promise<Omit<SigningKey, 'created'>> {
  const { privateKey } = await generateKeyPair(algorithm, { crv: 'Ed25519', extractable: true });
  const privateJwk = await exportJWK(privateKey);
  return { kid: await calculateJwkThumbprint(publicHalf(privateJwk)), privateJwk };
}

/**
 * `keys` newest first, at least one. The newest signs only once every process has had `settleSeconds` to read it; until
 * then the one before it does. All verify.
 */
export async function createKeyRing(
  keys: readonly SigningKey[],
  now: Date,
  settleSeconds: number,
): Promise<KeyRing> {
  const settled = keys.find((key) => now.getTime() - key.created.getTime() >= settleSeconds * 1000);
  const signing = settled ?? keys.at(-1);
  if (signing === undefined) throw new PlainError('there is no signing key');
  const verifying = new Map<string, CryptoKey>();
  for (const { kid, privateJwk } of keys) verifying.set(kid, await importKey(publicHalf(privateJwk)));
  return { signing: { kid: signing.kid, key: await importKey(signing.privateJwk) }, verifying };
}

/** A token that says who the client is and nothing of what it may do. */
export async function signToken(ring: KeyRing, clientId: string, now: Date): Promise<string> {
  const issuedAt = Math.floor(now.getTime() / 1000);
  return new SignJWT({})
    .setProtectedHeader({ alg: algorithm, kid: ring.signing.kid, typ: 'JWT' })
    .setSubject(clientId)
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + tokenLifetimeSeconds)
    .setJti(randomUUID())
    .sign(ring.signing.key);
}

/** Who a token speaks for, and until when (seconds since 1970). */
export type VerifiedToken = { clientId: string; expiresAt: number };

/** The verified token, or null for anything that is not a live token of ours, whatever is wrong with it. */
export async function verifyToken(ring: KeyRing, token: string, now: Date): Promise<VerifiedToken | null> {
  try {
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        const key = kid === undefined ? undefined : ring.verifying.get(kid);
        if (key === undefined) throw new Error('unknown key');
        return key;
      },
      {
        algorithms: [algorithm],
        issuer,
        audience,
        currentDate: now,
        // Without this a token that never expires would pass.
        requiredClaims: ['exp', 'iat', 'sub', 'jti'],
      },
    );
    if (typeof payload.sub !== 'string' || typeof payload.exp !== 'number') return null;
    // NUL cannot be stored, so no client has it in its id; the database would fail on it.
    if (payload.sub.includes('\u0000')) return null;
    return { clientId: payload.sub, expiresAt: payload.exp };
  } catch {
    return null;
  }
}

/** Whether a token names a key that the ring lacks: perhaps one made a moment ago. */
export function namesUnknownKey(ring: KeyRing, token: string): boolean {
  try {
    const header = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString('utf8'));
    return typeof header?.kid === 'string' && !ring.verifying.has(header.kid);
  } catch {
    return false;
  }
}

async function importKey(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, algorithm);
  if (key instanceof Uint8Array) throw new Error('a signing key must be an Ed25519 key pair');
  return key;
}

function publicHalf({ d: _secret, ...jwk }: JWK): JWK {
  return jwk;
}
