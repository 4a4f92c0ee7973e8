import { apiSettings } from '@inventory/api/config';
import { serverOptions } from '@inventory/postgres/servers/server-options';
import { connections, readConfig } from '@inventory/process/settings/config';
import {
  describePlaces,
  readDatabaseAddress,
  whyNoPrimary,
  withLogin,
  withLoginOf,
} from '@inventory/process/settings/database-address';
import { expect, onTestFinished, test, vi } from 'vitest';

const two = 'postgres://u:p%40ss@h1:5433,[::1]/my%20stock?target_session_attrs=read-write&sslmode=require';

test('each server of an address gets its port, and all get the login and the parameters', () => {
  const address = readDatabaseAddress(two);
  expect(address).toEqual({
    places: [
      { host: 'h1', port: 5433 },
      { host: '::1', port: 5432 },
    ],
    user: 'u',
    password: 'p@ss',
    database: 'my stock',
    wanted: 'read-write',
    tls: 'require',
  });
  expect(serverOptions(address, address.places[1]!)).toMatchObject({
    host: ['::1'],
    port: [5432],
    ssl: 'require',
  });
  expect(describePlaces(two)).toBe('h1:5433, [::1]:5432');
  expect(withLogin(two, { name: 'a b', password: 'c@d' })).toBe(
    'postgres://a%20b:c%40d@h1:5433,[::1]/my%20stock?target_session_attrs=read-write&sslmode=require',
  );
  expect(withLogin('redis://h:1/2', { name: 'n', password: 'p' })).toBe('redis://n:p@h:1/2');
});

test.each([
  ['', 'off'],
  ['?sslmode=disable&channel_binding=prefer', 'off'],
  ['?sslmode=allow', 'prefer'],
  ['?sslmode=prefer', 'prefer'],
  ['?sslmode=require', 'require'],
  ['?sslmode=verify-ca', 'verify-full'],
  ['?sslmode=verify-full', 'verify-full'],
  // As providers write it.
  ['?sslmode=require&channel_binding=require', 'verify-full'],
  ['?sslrootcert=system', 'verify-full'],
])('an address that ends with "%s" means TLS: %s', (end, tls) => {
  expect(readDatabaseAddress(`postgres://u:p@h/stock${end}`).tls).toBe(tls);
});

test('DATABASE_PASSWORD overrides the password in the address, and counts as unset when empty', () => {
  const address = readDatabaseAddress('postgres://u:of-the-address@h/stock');
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const [given, password] of [
    ['given', 'given'],
    ['', 'of-the-address'],
  ] as const) {
    vi.stubEnv('DATABASE_PASSWORD', given);
    expect(serverOptions(address, address.places[0]!)).toMatchObject({ password });
  }
});

const ours = 'application_name=x&connect_timeout=10&keepalives_idle=7&gssencmode=disable';

test.each([
  ['postgres://u:p@h/stock', null],
  ['postgresql://u:p@h/stock', null],
  ['postgres:///stock', null],
  ['postgres://u@[::1]/stock', null],
  ['postgres://u@[2001:db8::1]:6432,[::1],h/stock', null],
  ['postgres://%2Fvar%2Frun%2Fpostgresql/stock', null],
  ['postgres://h1,h2/stock', null],
  ['postgres://h1,h2/stock?target_session_attrs=primary', null],
  [`postgres://h/stock?${ours}`, null],
  ['postgres://u:50%25off@h/stock', null],
  ['postgres://u:50%off@h/stock', /a % in a password is written %25/],
  ['postgres://u:to?p=secret@h/stock', /^DATABASE_URL is not an address[^=]*$/],
  ['postgres://u@::1/stock', /an IPv6 address in \[brackets\]/],
  ['postgres://u@h1:1,h2:70000/stock', /is not an address/],
  ['postgres://u@h1,,h2/stock', /is not an address/],
  ['postgres://u@h1:0,h2/stock', /is not an address/],
  ['postgres://h/50%off', /is not an address/],
  ['postgres://h%zz/stock', /is not an address/],
  ['postgres://h/stock#?sslmode=require', /is not an address/],
  ['postgres://h1,h2/stock?target_session_attrs=any', /must lead to the primary/],
  ['postgres://h/stock?target_session_attrs=standby', /must lead to the primary/],
  ['postgres://h/stock?TimeZone=Asia/Tokyo', /a parameter that the service does not know \(TimeZone\)/],
  [
    'postgres://h/stock?options=-cdatestyle%3DSQL',
    /a parameter that .* not know \(options\); known ones are/,
  ],
  ['postgres://h/stock?statement_timeout=1', /a parameter that .* not know \(statement_timeout\)/],
  ['postgres://h/stock?sslcert=a.pem', /a parameter that .* not know \(sslcert\)/],
  ['postgres://h/stock?host=/tmp', /a parameter that .* not know \(host\)/],
  ['postgres://h/stock?constructor=1', /a parameter that .* not know \(constructor\)/],
  ['postgres://h/stock?ssl=true', /a parameter that .* not know \(ssl\)/],
  ['postgres://h/stock?sslmode=on', /a value of sslmode .* it may be disable, allow, prefer, require/],
  ['postgres://h/stock?sslrootcert=ca.pem', /it may be system; NODE_EXTRA_CA_CERTS names the file/],
  [
    'postgres://h/stock?sslmode=disable&channel_binding=require',
    /channel_binding, which is impossible with sslmode=disable/,
  ],
  ['postgres://h/stock?sslmode=require&sslmode=disable', /has sslmode twice/],
])('%s as DATABASE_URL: %s', (url, why) => {
  const read = () => readConfig({ DATABASE_URL: connections.DATABASE_URL }, { DATABASE_URL: url });
  if (why === null) {
    expect(whyNoPrimary(url)).toBe(null);
    expect(read()).toEqual({ DATABASE_URL: url });
  } else {
    expect(read).toThrow(why);
  }
});

test.each([
  ['postgres://r:5433/stock', 'postgres://u:p@r:5433/stock'],
  ['postgres://u@r/stock', 'postgres://u:p@r/stock'],
  ['postgres://reader@r/stock', 'postgres://reader@r/stock'],
  ['postgres://reader:own@r/stock', 'postgres://reader:own@r/stock'],
])('%s as DATABASE_READ_URL beside postgres://u:p@h/stock is used as %s', (url, used) => {
  expect(withLoginOf(url, 'postgres://u:p@h/stock')).toBe(used);
});

test.each([
  ['postgres://u:p@h/stock?target_session_attrs=standby', null],
  ['postgres://u:p@[::1]:6432/stock', null],
  ['postgres://u:p@h1,h2/stock', /must be an address with one host/],
  ['redis://h/1', /is not an address/],
  ['postgres://h/stock?search_path=other', /not know \(search_path\)/],
])('%s as DATABASE_READ_URL: %s', (url, why) => {
  const { DATABASE_READ_URL } = apiSettings;
  const read = () => readConfig({ DATABASE_READ_URL }, { DATABASE_READ_URL: url });
  if (why === null) expect(read()).toEqual({ DATABASE_READ_URL: url });
  else expect(read).toThrow(why);
});
