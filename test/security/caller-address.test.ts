import { isIP } from 'node:net';
import { apiSettings } from '@inventory/api/config';
import { callerAddress } from '@inventory/api/http/connections/caller-address';
import { ConfigError, readConfig } from '@inventory/process/settings/config';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { askToken } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const service = useService();
const socketAddress = '192.0.2.1';

function of(forwarded: string | undefined, proxies: number, remoteAddress = socketAddress): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return callerAddress({ headers, socket: { remoteAddress } }, proxies);
}

describe('the entry that counts', () => {
  test.each([
    ['none without a proxy', '203.0.113.9', 0, socketAddress],
    ['the last one behind one proxy', '198.51.100.1, 203.0.113.9', 1, '203.0.113.9'],
    ['the last but one behind two', '198.51.100.1, 203.0.113.9, 10.0.0.1', 2, '203.0.113.9'],
    ['never an entry written by the caller', '1.1.1.1, 2.2.2.2, 203.0.113.9', 1, '203.0.113.9'],
    ['the first one when there are fewer entries than proxies', '203.0.113.9', 3, '203.0.113.9'],
    ['the connection’s address when there is no header', undefined, 2, socketAddress],
    ['the connection’s address when the header is empty', '', 2, socketAddress],
    [
      'the nearest to the right of an entry that is no address',
      '203.0.113.9, unknown, 10.0.0.1',
      2,
      '10.0.0.1',
    ],
    ['the connection’s address when no entry is one', 'unknown, _hidden', 2, socketAddress],
    ['an empty entry counts as one', '203.0.113.9,,10.0.0.1', 2, '10.0.0.1'],
    ['a comma at the end is an entry, too', '203.0.113.9,', 1, socketAddress],
  ])('%s', (_what, forwarded, proxies, expected) => {
    expect(of(forwarded, proxies)).toBe(expected);
  });
});

const forms: Record<string, string[]> = {
  '203.0.113.9': [
    ...['203.0.113.9', ' 203.0.113.9 ', '203.0.113.9:4711', '::ffff:203.0.113.9', '::FFFF:cb00:7109'],
    ...['0:0:0:0:0:ffff:203.0.113.9', '[::ffff:203.0.113.9]:4711'],
  ],
  '2001:db8:1:2::/64': [
    ...['2001:db8:1:2:3:4:5:6', '2001:DB8:1:2::6', '2001:0db8:0001:0002:0000:0000:0000:0006'],
    ...['[2001:db8:1:2::6]', '[2001:db8:1:2::6]:4711'],
  ],
  '2001:db8:0:0::/64': ['2001:db8::6'],
  '2001:db8:1:0::/64': ['2001:db8:1::'],
  '0:0:0:0::/64': ['::', '::1'],
  'fe80:0:0:0::/64': ['fe80::1%eth0'],
  '64:ff9b:0:0::/64': ['64:ff9b::203.0.113.9'],
};

test.each(Object.entries(forms))('%s: the key of each form of it', (expected, all) => {
  for (const written of all) {
    expect(of(written, 1), written).toBe(expected);
    // The connection's address follows the same rules.
    expect(of(undefined, 1, written), written).toBe(expected);
  }
});

test.each([
  ...'localhost 203.0.113.999 203.0.113.9:port 203.0.113 0x7f.1 [203.0.113.9] [2001:db8::6'.split(' '),
  ...['2001:db8::6]', '"203.0.113.9"', 'for=203.0.113.9', '203.0.113.9 203.0.113.8'],
  ...[`203.0.113.9${' '.repeat(60)}`, `2001:db8::${'0'.repeat(14_000)}1`],
])('no address: %s', (written) => {
  expect(of(written, 1)).toBe(socketAddress);
});

test('a header of 14 KB makes no key, whatever is in it', () => {
  expect(of('x'.repeat(14_000), 1)).toBe(socketAddress);
  expect(of(`${'1.1.1.1,'.repeat(1750)}203.0.113.9`, 1)).toBe('203.0.113.9');
});

test('the key is always a short address, whatever the caller writes to the left', () => {
  const entry = fc.oneof(
    fc.string(),
    fc.ipV4(),
    fc.ipV6(),
    fc.constantFrom('', '[', ']', '::', ':', '%', '::1%'),
  );
  const run = fc.check(
    fc.property(fc.array(entry), fc.oneof(fc.ipV4(), fc.ipV6()), fc.nat(3), (written, proxy, proxies) => {
      const key = of(written.join(','), proxies);
      expect(key.length).toBeLessThanOrEqual(25);
      expect(isIP(key.replace('::/64', '::'))).not.toBe(0);
      expect(of([...written, proxy].join(', '), 1)).toBe(of(proxy, 1));
    }),
    { numRuns: 1000 },
  );
  expect(run.failed, fc.defaultReportMessage(run)).toBe(false);
});

const read = (settings: Record<string, string>) =>
  readConfig({ TRUST_PROXY: apiSettings.TRUST_PROXY }, settings).TRUST_PROXY;

test('TRUST_PROXY is the number of proxies, none by default; else it is refused at start, with what to write instead', () => {
  expect(read({})).toBe(0);
  for (const [written, proxies] of Object.entries({ '': 0, 0: 0, 1: 1, 3: 3, false: 0 }))
    expect(read({ TRUST_PROXY: written }), written).toBe(proxies);
  for (const TRUST_PROXY of ['true', 'yes', '-1', '1.5', '100']) {
    expect(() => read({ TRUST_PROXY })).toThrow(ConfigError);
    expect(() => read({ TRUST_PROXY })).toThrow(
      /^TRUST_PROXY must be the number of trusted proxies .* such as 1 /,
    );
  }
});

test('429 without TRUST_PROXY: the caller is its connection, whatever X-Forwarded-For says', async () => {
  const statuses: number[] = [];
  for (let each = 0; each < 12; each++) {
    // As another client each time, so that only the address can be limited.
    const wrong = { clientId: uniqueName('nobody'), secret: 'wrong' };
    const headers = { 'X-Forwarded-For': `198.18.0.${each}` };
    statuses.push((await askToken(service.baseUrl, wrong, headers)).status);
  }
  expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
});
