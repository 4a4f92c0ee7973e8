import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';

type Part = Record<string, unknown>;

export const encodePart = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** The header and the claims of a token. */
export const partsOf = (token: string) =>
  token.split('.', 2).map((part) => JSON.parse(Buffer.from(part, 'base64url').toString())) as [Part, Part];

/** The id of the key that signed a token. */
export const kidOf = (token: string) => partsOf(token)[0].kid as string;

/** A token with any content. */
export function signToken(header: unknown, claims: unknown, key: KeyObject, digest: string | null = null) {
  const input = `${encodePart(header)}.${encodePart(claims)}`;
  return `${input}.${sign(digest, Buffer.from(input), key).toString('base64url')}`;
}

const foreign = generateKeyPairSync('ed25519').privateKey;

/** A token with an id of its own, like this one in all but what is changed and the key that has signed it. */
export function forgeToken(token: string, changed: { header?: Part; claims?: Part } = {}): string {
  const [header, claims] = partsOf(token);
  const fresh = { ...claims, jti: randomUUID(), ...changed.claims };
  return signToken({ ...header, ...changed.header }, fresh, foreign);
}
