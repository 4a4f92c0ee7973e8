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

/** The lifetime of a token. A token is never valid for longer, whatever it says. */
export const tokenLifetimeSeconds = 3600;
/**
 * The tolerated difference between two processes' clocks. Each follows its measurement of Postgres's clock.
 */
export const leewaySeconds = 10;

export const algorithm = 'EdDSA';
export const issuer = 'inventory-management-service';
export const audience = 'inventory-api';

/** A key pair that was just created and is not stored yet. */
export type NewSigningKey = { kid: string; publicJwk: JWK; privateJwk: JWK };
/** The public key, and the period in which the key signs: from `signsFrom` until it is retired. */
export type VerifyingKey = { kid: string; publicJwk: JWK; signsFrom: Date; retired: Date | null };
export type PrivateHalf = { kid: string; privateJwk: JWK };

/** Keys ready for use. Times are milliseconds since 1970. */
export type KeyRing = {
  verifying: ReadonlyMap<string, { key: CryptoKey; until: number }>;
  /** The key that begins to sign last comes first. */
  signing: readonly { kid: string; key: CryptoKey; from: number; until: number }[];
};

/** A new Ed25519 key. Its `kid` is the thumbprint of its public key. */
export async function createSigningKey(): Promise<NewSigningKey> {
  for (;;) {
    const { privateKey } = await generateKeyPair(algorithm, { crv: 'Ed25519', extractable: true });
    const privateJwk = await exportJWK(privateKey);
    const publicJwk = publicHalf(privateJwk);
    const kid = await calculateJwkThumbprint(publicJwk);
    // A `kid` that begins with a hyphen would look like an option on a command line.
    if (!kid.startsWith('-')) return { kid, publicJwk, privateJwk };
  }
}

/**
 * `keys`: all keys that are not withdrawn. `privateHalves`: the private keys of those that sign, as far as
 * this process may read them.
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

/** A token that names the client but contains no rights. Throws if no key signs now. */
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

/** The id of the key that signs at this time (milliseconds since 1970). Throws if there is none. */
export function signerAt(ring: KeyRing, at: number): string {
  return signingKeyAt(ring, at).kid;
}

function signingKeyAt({ signing }: KeyRing, at: number) {
  // The very first key signs at once, even if this clock is a little behind the one that created it. A gap
  // between two keys, for example after a manual change of the table, must not stop signing either.
  const key =
    signing.find(({ from, until }) => from <= at && at < until) ??
    signing.findLast(({ until }) => at < until);
  if (key === undefined) throw new PlainError('no key signs tokens now');
  return key;
}

/** The client of a token, its period (seconds since 1970) and its key. */
export type VerifiedToken = { clientId: string; issuedAt: number; expiresAt: number; kid: string };

/** Returns the verified token, or null if it is not a live token of this service. */
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
        // Without this, a token without an expiry would be valid.
        requiredClaims: ['exp', 'iat', 'sub', 'jti'],
      },
    );
    // Our tokens have none of these headers.
    const { kid, typ, crit, b64 } = protectedHeader;
    if (typ !== 'JWT' || crit !== undefined || b64 !== undefined) return null;
    const { sub, jti, exp, iat } = payload;
    if (typeof sub !== 'string' || typeof jti !== 'string' || jti === '') return null;
    if (typeof exp !== 'number' || typeof iat !== 'number') return null;
    if (exp - iat > tokenLifetimeSeconds || iat * 1000 > now.getTime() + leewaySeconds * 1000) return null;
    // Postgres cannot store NUL and would fail on it, so no client has it in its id.
    if (sub.includes('\u0000')) return null;
    return { clientId: sub, issuedAt: iat, expiresAt: exp, kid: kid! };
  } catch {
    return null;
  }
}

/** Whether a token names a key that the ring lacks. The key may be new. */
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
