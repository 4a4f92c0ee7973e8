import { connections, readConfig } from '@inventory/process/config';
import {
  describePlaces,
  readDatabaseAddress,
  whyNoPrimary,
  withLogin,
} from '@inventory/process/database-address';
import { expect, test } from 'vitest';

const two = 'postgres://u:p%40ss@h1:5433,[::1]/stock?target_session_attrs=read-write&sslmode=require';

test('each server of an address stands alone, with its port, its login and its parameters', () => {
  const address = readDatabaseAddress(two)!;
  expect(address.places).toEqual([
    { host: 'h1', port: 5433 },
    { host: '::1', port: 5432 },
  ]);
  expect(address.places.map(address.at)).toEqual([
    'postgres://u:p%40ss@h1:5433/stock?sslmode=require',
    'postgres://u:p%40ss@[::1]:5432/stock?sslmode=require',
  ]);
  expect(describePlaces(two)).toBe('h1:5433, [::1]:5432');
  expect(withLogin(two, { name: 'a b', password: 'c@d' })).toBe(
    'postgres://a%20b:c%40d@h1:5433,[::1]/stock?target_session_attrs=read-write&sslmode=require',
  );
  expect(withLogin('redis://h:1/2', { name: 'n', password: 'p' })).toBe('redis://n:p@h:1/2');
});

test.each([
  ['postgres://u:p@h/stock', null],
  ['postgres:///stock', null],
  ['postgres://h1,h2/stock', null],
  ['postgres://h1,h2/stock?target_session_attrs=primary', null],
  ['postgres://u:50%25off@h/stock', null],
  ['postgres://u:50%off@h/stock', /a % of a password is %25/],
  ['postgres://u@h1:1,h2:70000/stock', /is no address/],
  ['postgres://u@h1,,h2/stock', /is no address/],
  ['postgres://u@h1:0,h2/stock', /is no address/],
  ['postgres://h1,h2/stock?target_session_attrs=any', /must lead to the primary/],
  ['postgres://h/stock?target_session_attrs=standby', /must lead to the primary/],
])('%s as DATABASE_URL: %s', (url, why) => {
  const read = () => readConfig({ DATABASE_URL: connections.DATABASE_URL }, { DATABASE_URL: url });
  if (why === null) {
    expect(whyNoPrimary(url)).toBe(null);
    expect(read()).toEqual({ DATABASE_URL: url });
  } else {
    expect(read).toThrow(why);
  }
});
