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

/** A token lives this long, and none is good for longer, whatever it says. */
export const tokenLifetimeSeconds = 3600;
/** The clocks of two processes may differ by this much: each goes by that of Postgres, as it measured it. */
export const leewaySeconds = 10;

export const algorithm = 'EdDSA';
export const issuer = 'inventory-management-service';
export const audience = 'inventory-api';

/** A key pair that nobody knows yet. */
export type NewSigningKey = { kid: string; publicJwk: JWK; privateJwk: JWK };
/** The public half and when the key signs: from `signsFrom` until it is retired. */
export type VerifyingKey = { kid: string; publicJwk: JWK; signsFrom: Date; retired: Date | null };
export type PrivateHalf = { kid: string; privateJwk: JWK };

/** Keys ready for use. Times are milliseconds since 1970. */
export type KeyRing = {
  verifying: ReadonlyMap<string, { key: CryptoKey; until: number }>;
  /** Those that begin to sign last first. */
  signing: readonly { kid: string; key: CryptoKey; from: number; until: number }[];
};

/** A fresh Ed25519 key; its `kid` is the thumbprint of its public half. */
export async function createSigningKey(): Promise<NewSigningKey> {
  for (;;) {
    const { privateKey } = await generateKeyPair(algorithm, { crv: 'Ed25519', extractable: true });
    const privateJwk = await exportJWK(privateKey);
    const publicJwk = publicHalf(privateJwk);
    const kid = await calculateJwkThumbprint(publicJwk);
    // A command line takes what begins so for an option.
    if (!kid.startsWith('-')) return { kid, publicJwk, privateJwk };
  }
}

/**
 * `keys`: those that are not withdrawn; `privateHalves`: of those of them that sign, by what this process may
 * read.
 */
export async function createKeyRing(
  keys: readonly VerifyingKey[],
  privateHalves: readonly PrivateHalf[],
): Promise<KeyRing> {
  const verifying = new Map<string, { key: CryptoKey; until: number }>();
  const signing: { kid: string; key: CryptoKey; from: number; until: number }[] = [];
  for (const { kid, publicJwk, signsFrom, retired } of keys) {
    const until = retired?.getTime() ?? Number.POSITIVE_INFINITY;
    const lifeMs = (tokenLifetimeSeconds + leewaySeconds) * 1000;
    verifying.set(kid, { key: await importKey(publicHalf(publicJwk)), until: until + lifeMs });
    const half = privateHalves.find((each) => each.kid === kid);
    if (half === undefined) continue;
    signing.push({ kid, key: await importKey(half.privateJwk), from: signsFrom.getTime(), until });
  }
  signing.sort((a, b) => b.from - a.from);
  return { verifying, signing };
}

/** A token that says who the client is and nothing of what it may do. Throws when no key signs now. */
export async function signToken(ring: KeyRing, clientId: string, now: Date): Promise<string> {
  const { kid, key } = signingKeyAt(ring, now.getTime());
  const issuedAt = Math.floor(now.getTime() / 1000);
  return new SignJWT({})
    .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
    .setSubject(clientId)
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + tokenLifetimeSeconds)
    .setJti(randomUUID())
    .sign(key);
}

/** The id of the key that signs at a moment, milliseconds since 1970. Throws when none does. */
export function signerAt(ring: KeyRing, at: number): string {
  return signingKeyAt(ring, at).kid;
}

function signingKeyAt({ signing }: KeyRing, at: number) {
  // The very first key signs at once, and this clock may be a little behind the one that made it. Nor is a
  // gap between two keys, as somebody's own change of the table may leave, a reason to sign nothing.
  const key =
    signing.find(({ from, until }) => from <= at && at < until) ??
    signing.findLast(({ until }) => at < until);
  if (key === undefined) throw new PlainError('there is no key that signs');
  return key;
}

/** The client a token speaks for, from when until when (seconds since 1970), and which key says so. */
export type VerifiedToken = { clientId: string; issuedAt: number; expiresAt: number; kid: string };

/** The verified token, or null for anything that is not a live token of ours, whatever is wrong with it. */
export async function verifyToken(ring: KeyRing, token: string, now: Date): Promise<VerifiedToken | null> {
  try {
    const { payload, protectedHeader } = await jwtVerify(
      token,
      ({ kid }) => {
        const known = kid === undefined ? undefined : ring.verifying.get(kid);
        if (known === undefined || known.until <= now.getTime()) throw new Error('unknown key');
        return known.key;
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
    // Ours have none of these: one that does was made by somebody who should not be able to.
    const { kid, typ, crit, b64 } = protectedHeader;
    if (typ !== 'JWT' || crit !== undefined || b64 !== undefined) return null;
    const { sub, jti, exp, iat } = payload;
    if (typeof sub !== 'string' || typeof jti !== 'string' || jti === '') return null;
    if (typeof exp !== 'number' || typeof iat !== 'number') return null;
    if (exp - iat > tokenLifetimeSeconds || iat * 1000 > now.getTime() + leewaySeconds * 1000) return null;
    // NUL cannot be stored, so no client has it in its id; the database would fail on it.
    if (sub.includes('\u0000')) return null;
    return { clientId: sub, issuedAt: iat, expiresAt: exp, kid: kid! };
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
  if (key instanceof Uint8Array) throw new PlainError('a signing key must be an Ed25519 key pair');
  return key;
}

function publicHalf({ d: _secret, ...jwk }: JWK): JWK {
  return jwk;
}
