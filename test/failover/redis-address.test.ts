import { connections, readConfig } from '@inventory/process/settings/config';
import { describeRedis, parseRedisAddress } from '@inventory/process/settings/redis-address';
import { describe, expect, test } from 'vitest';

const read = (env: Record<string, string>) =>
  readConfig({ REDIS_URL: connections.REDIS_URL, QUEUE_PREFIX: connections.QUEUE_PREFIX }, env).REDIS_URL;

describe('REDIS_URL is', () => {
  test.each([
    ['redis://host', { kind: 'single', url: 'redis://host' }],
    ['rediss://user:p%40ss@host:1/3', { kind: 'single', url: 'rediss://user:p%40ss@host:1/3' }],
    [
      'redis+sentinel://api:p%40s%2Fs@one:1,10.0.0.2,[::1]:3/stock/2?sentinelUsername=watch&sentinelPassword=w%26d',
      {
        kind: 'sentinel',
        hosts: [
          { host: 'one', port: 1 },
          { host: '10.0.0.2', port: 26379 },
          { host: '::1', port: 3 },
        ],
        tls: false,
        username: 'api',
        password: 'p@s/s',
        master: 'stock',
        database: 2,
        sentinelUsername: 'watch',
        sentinelPassword: 'w&d',
        sentinelTls: false,
      },
    ],
    [
      'rediss+sentinel://:secret@one/stock?sentinelTls=off',
      {
        kind: 'sentinel',
        tls: true,
        sentinelTls: false,
        username: undefined,
        password: 'secret',
        database: 0,
      },
    ],
    ['rediss+sentinel://one/stock', { tls: true, sentinelTls: true, password: undefined }],
    [
      'rediss+cluster://api:secret@one:1,two/',
      {
        kind: 'cluster',
        hosts: [
          { host: 'one', port: 1 },
          { host: 'two', port: 6379 },
        ],
        tls: true,
        username: 'api',
        password: 'secret',
      },
    ],
  ])('%s', (url, wanted) => {
    expect(parseRedisAddress(url)).toMatchObject(wanted);
    expect(read({ REDIS_URL: url })).toBe(url);
  });
});

describe('one line says what is wrong with', () => {
  test.each([
    ['http://host', /^REDIS_URL must be redis:\/\/host:port, redis\+sentinel:/],
    ['sentinel://host/stock', /^REDIS_URL must be redis:/],
    [
      'redis://user:hidden@one:1,two:2',
      /^REDIS_URL names several hosts: redis\+sentinel:\/\/ is for Sentinels/,
    ],
    [
      'redis+sentinel://user:hidden@one:1',
      /^REDIS_URL must end with the name by which the Sentinels know the master/,
    ],
    ['redis+sentinel://one/stock/x', /^REDIS_URL must have \/master or \/master\/number/],
    ['redis+sentinel:///stock', /^REDIS_URL names no host/],
    [
      'redis+sentinel://one/stock?sentinelpassword=hidden',
      /^REDIS_URL has unknown parameters: the known ones are sentinelU/,
    ],
    ['redis+sentinel://one/stock?sentinelTls=hidden', /^REDIS_URL must have sentinelTls=on or off/],
    ['redis+cluster://hid den@one:70000', /^REDIS_URL must have host:port,host:port/],
    [
      'redis+cluster://user:hidden@one:1/3',
      /^REDIS_URL has a path, but a Redis Cluster has only one database/,
    ],
    ['redis+cluster://one?password=hidden', /^REDIS_URL has parameters after a \?/],
    ['redis://user:hid%den@one', /^REDIS_URL has a % that does not begin a percent-encoding/],
    ['redis+cluster://user:hid%den@one', /^REDIS_URL has a % that does not begin a percent-encoding/],
  ])('%s', (url, message) => {
    expect(() => read({ REDIS_URL: url })).toThrow(message);
    expect(() => read({ REDIS_URL: url })).not.toThrow(/hid/);
  });

  test.each(['my shop', 'stock*', 'a"b'])(
    '%j as a prefix, which has a meaning in the file of users',
    (prefix) => {
      expect(() => read({ REDIS_URL: 'redis://one', QUEUE_PREFIX: prefix })).toThrow(
        /^QUEUE_PREFIX must have no blanks/,
      );
    },
  );

  test('a prefix that would put all queues on one node of a Redis Cluster', () => {
    const env = { REDIS_URL: 'redis+cluster://one', QUEUE_PREFIX: '{stock}' };
    expect(() => read(env)).toThrow(/^QUEUE_PREFIX must have no braces on a Redis Cluster/);
    expect(read({ ...env, REDIS_URL: 'redis://one' })).toBe('redis://one');
  });
});

describe('a password from its own setting is put', () => {
  test.each([
    ['redis://worker@host:1/2', 'redis://worker:p%40%2F@host:1/2'],
    ['rediss://host', 'rediss://:p%40%2F@host'],
    [
      'redis+sentinel://api:other@one,two/stock?sentinelTls=on',
      'redis+sentinel://api:p%40%2F@one,two/stock?sentinelTls=on',
    ],
    ['redis+cluster://api@one,two', 'redis+cluster://api:p%40%2F@one,two'],
  ])('in %s', (url, wanted) => {
    const changed = read({ REDIS_URL: url, REDIS_PASSWORD: 'p@/' });
    expect(changed).toBe(wanted);
    const again = parseRedisAddress(changed);
    if (again.kind !== 'single') expect(again.password).toBe('p@/');
  });

  test('in the address of Sentinels, beside that of the servers', () => {
    const url = read({
      REDIS_URL: 'redis+sentinel://api@one,two/stock',
      REDIS_PASSWORD: 'server',
      REDIS_SENTINEL_PASSWORD: 'watch&?',
    });
    expect(parseRedisAddress(url)).toMatchObject({
      password: 'server',
      sentinelPassword: 'watch&?',
      master: 'stock',
    });
  });

  test('nowhere, with an error, when there are no Sentinels', () => {
    const env = { REDIS_URL: 'redis://host', REDIS_SENTINEL_PASSWORD: 'hidden' };
    expect(() => read(env)).toThrow(/^REDIS_URL does not name Sentinels/);
  });
});

test('an address shown to people has no password', () => {
  expect(
    [
      'redis://a:hidden@host:1',
      'redis+sentinel://a:hidden@one,[::1]:2/stock',
      'rediss+cluster://:hidden@one',
    ].map(describeRedis),
  ).toEqual(['host:1', 'one:26379,[::1]:2 (Sentinels of stock)', 'one:6379 (a Redis Cluster)']);
});
