import { isIP } from 'node:net';

// Names that nobody can own on the internet.
const inside = /(^|\.)(localhost|local|internal|home\.arpa)$/;

/**
 * Whether a `Host` header names this process as those do who run it: an address, a name without a dot, or one
 * of a network of their own. The page asks for no password, so a page of somebody else whose name was made to
 * lead to 127.0.0.1 must not read it in a browser of theirs.
 */
export function isOwnHost(header: string | undefined): boolean {
  if (header === undefined) return true;
  const host = header.replace(/:\d+$/, '').toLowerCase();
  if (/^\[[\da-f:.]+\]$/.test(host)) return true;
  return isIP(host) !== 0 || !host.includes('.') || inside.test(host);
}
