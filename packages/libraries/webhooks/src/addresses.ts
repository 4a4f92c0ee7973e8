import { BlockList, isIP } from 'node:net';

// From the registries of special-purpose addresses of IANA, without those that are inside another one.
const refused = {
  ipv4: [
    ...['0.0.0.0/8', '169.254.0.0/16', '192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24'],
    ...['192.88.99.0/24', '192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
    // multicast, reserved and broadcast
    ...['224.0.0.0/4', '240.0.0.0/4'],
  ],
  // Teredo and others, documentation, 6to4, AS112. What is outside 2000::/3 is not global.
  ipv6: ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'],
};

// An operator may allow these: the networks of companies and providers, and this machine.
const inside = {
  ipv4: ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
  ipv6: ['::1/128', 'fc00::/7'],
};

// Metadata services of clouds, which give out credentials, inside ranges that would be allowed: Azure,
// Alibaba, Amazon, Google, Scaleway. The others use link-local addresses.
const metadata = {
  ipv4: ['168.63.129.16/32', '100.100.100.200/32'],
  ipv6: ['fd00:ec2::/32', 'fd20:ce::254/128', 'fd00:42::42/128'],
};

const metadataList = listOf(metadata);
const refusedList = listOf(refused);
const insideList = listOf(inside);
const globalList = listOf({ ipv4: [], ipv6: ['2000::/3'] });
// `BlockList` would look for these in the lists of IPv4.
const mappedList = listOf({ ipv4: [], ipv6: ['::ffff:0:0/96'] });

function listOf(ranges: Record<'ipv4' | 'ipv6', readonly string[]>): BlockList {
  const list = new BlockList();
  for (const family of ['ipv4', 'ipv6'] as const) {
    for (const range of ranges[family]) {
      const [network, bits] = range.split('/');
      list.addSubnet(network!, Number(bits), family);
    }
  }
  return list;
}

/**
 * `public`: anybody on the internet. `private`: a network or machine that an operator may allow. `refused`:
 * no receiver has such an address, or it stands for another one, such as an IPv4 address in IPv6.
 */
export type Reach = 'public' | 'private' | 'refused';

/** How far an address reaches, given as text. */
export function reachOf(address: string): Reach {
  const family = isIP(address);
  // A zone names an interface of this machine.
  if (family === 0 || address.includes('%')) return 'refused';
  const name = family === 4 ? 'ipv4' : 'ipv6';
  if (family === 6 && mappedList.check(address, name)) return 'refused';
  if (metadataList.check(address, name)) return 'refused';
  if (insideList.check(address, name)) return 'private';
  if (refusedList.check(address, name)) return 'refused';
  return family === 4 || globalList.check(address, name) ? 'public' : 'refused';
}
