import { algorithm, audience, issuer } from './token.ts';

// An Ed25519 signature of 64 bytes.
const signatureCharacters = 86;

/**
 * Whether a token could be a live token of this service, judged without its signature. This costs a hundredth
 * of a verification, so junk, foreign tokens and expired tokens cost little. It only rejects tokens that
 * `verifyToken` would reject, too; other tokens must still be verified.
 */
export function looksLive(token: string, now: Date): boolean {
  const [header, claims, signature, ...more] = token.split('.');
  if (more.length > 0 || signature?.length !== signatureCharacters) return false;
  const { alg, kid } = readPart(header);
  if (alg !== algorithm || typeof kid !== 'string') return false;
  const { iss, aud, exp, iat, sub, jti } = readPart(claims);
  return (
    iss === issuer &&
    (aud === audience || Array.isArray(aud)) &&
    typeof exp === 'number' &&
    exp * 1000 > now.getTime() &&
    iat !== undefined &&
    typeof sub === 'string' &&
    jti !== undefined
  );
}

function readPart(part: string | undefined): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8'));
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
