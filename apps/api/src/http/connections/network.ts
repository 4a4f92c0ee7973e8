import { isIP, SocketAddress } from 'node:net';

/**
 * Reduces an address to what counts as one caller: an IPv4 address, also if written as IPv6, or the first
 * four groups of an IPv6 address, because a caller usually owns all 2^64 addresses below them. Empty if it is
 * no address.
 */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%');
  const family = isIP(plain);
  if (family !== 6) return family === 4 ? plain : '';
  // Canonical form: lower case, no leading zeros, a mapped IPv4 address with dots.
  const canonical = new SocketAddress({ address: plain, family: 'ipv6' }).address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(canonical)?.[1];
  if (mapped !== undefined) return mapped;
  const [left = '', right = ''] = canonical.split('::');
  const groups = left.split(':').filter((group) => group !== '');
  if (canonical.includes('::')) {
    const last = right.split(':').filter((group) => group !== '');
    const lastCount = last.length + (right.includes('.') ? 1 : 0);
    groups.push(...Array<string>(8 - groups.length - lastCount).fill('0'), ...last);
  }
  return groups.slice(0, 4).join(':');
}
