import { isIP } from 'node:net';

// Names that nobody can own on the internet.
const inside = /(^|\.)(localhost|local|internal|svc|home\.arpa)$/;

/**
 * Whether a `Host` header names this process as those do who run it: an address, a name without a dot, one
 * of a network of their own, or one of `names` (`.example.com`: whatever ends so). The internal port asks
 * for no password, so a page of somebody else whose name was made to lead to 127.0.0.1 must not read it in
 * a browser of theirs. /
 */
export function isOwnHost(header: string | undefined, names: readonly string[]): boolean {
  if (header === undefined) return true;
  const host = header.replace(/:\d+$/, '').toLowerCase();
  if (/^\[[\da-f:.]+\]$/.test(host)) return true;
  if (isIP(host) !== 0 || !host.includes('.') || inside.test(host)) return true;
  return names.some((name) => (name.startsWith('.') ? host.endsWith(name) : host === name));
}
