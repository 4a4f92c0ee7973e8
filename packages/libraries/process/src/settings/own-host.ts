import { isIP } from 'node:net';

// Names that cannot be registered on the internet.
const inside = /(^|\.)(localhost|local|internal|svc|home\.arpa)$/;

/**
 * Whether a `Host` header names this process as an operator would: by an address, a name without a dot, a
 * name of a private network, or one of `names` (`.example.com` covers all names that end with it). The
 * internal port needs no password, so a foreign page whose name was made to resolve to 127.0.0.1 must not
 * read it in an operator's browser.
 */
export function isOwnHost(header: string | undefined, names: readonly string[]): boolean {
  if (header === undefined) return true;
  const host = header.replace(/:\d+$/, '').toLowerCase();
  if (/^\[[\da-f:.]+\]$/.test(host)) return true;
  if (isIP(host) !== 0 || !host.includes('.') || inside.test(host)) return true;
  return names.some((name) => (name.startsWith('.') ? host.endsWith(name) : host === name));
}
