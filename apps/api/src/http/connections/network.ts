import { isIP, SocketAddress } from 'node:net';

/**
 * What counts as one address: an IPv4 address itself, also one that is written as IPv6; of an IPv6 address
 * the first four groups, because whoever has one has 2^64 of them. Empty for what is no address.
 */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%');
  const family = isIP(plain);
  if (family !== 6) return family === 4 ? plain : '';
  // In the one form that the system writes: lower case, no leading zeros, IPv4 within IPv6 with dots.
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
