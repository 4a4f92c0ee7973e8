import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { types } from '../harness/compiled.ts';

const root = join(import.meta.dirname, '../..');
const program = join(root, 'test/harness/network/fails-at-once.ts');

// How each try ends; and the files of ours that begin a connection, a look-up or a request in it.
const expected: [name: string, outcome: string, files: string[]][] = [
  ['a message to an address', 'unreachable', ['packages/libraries/webhooks/src/bounded-connection.ts']],
  ['a message to a name', 'unreachable', ['packages/libraries/webhooks/src/send-message.ts']],
  ['a message to a name, encrypted', 'unreachable', []],
  ['a message to a name without name servers', 'unknownHost', ['packages/libraries/webhooks/src/look-up.ts']],
  ['Postgres by address', 'ENETUNREACH', ['packages/libraries/postgres/src/pool.ts']],
  ['Postgres by name', 'ECONNREFUSED', []],
  [
    'Postgres on several hosts',
    'ENETUNREACH',
    [
      'packages/libraries/postgres/src/servers/hosts.ts',
      'packages/libraries/postgres/src/servers/standing.ts',
    ],
  ],
  ['Redis by address', 'told', ['packages/libraries/redis/src/redis.ts']],
  ['Redis by name', 'told', []],
  ['Redis by Sentinels', 'told', []],
  ['Redis Cluster', 'told', ['packages/libraries/redis/src/redis-cluster.ts']],
  ['the node of a Redis Cluster', 'a socket', ['packages/libraries/redis/src/slot-connector.ts']],
  ['a Redis of this machine', 'refused', ['packages/local/src/redis/redis.ts']],
  ['the api of this machine', 'refused', ['apps/admin/src/start/banner.ts']],
  [
    'the clock of an api',
    expect.stringContaining('does not answer'),
    ['apps/admin/src/doctor/machine-checks.ts'],
  ],
  ['the certificate of an address', 'refused', ['packages/libraries/process/src/certificate-end.ts']],
  ['a call of the client', 'refused', ['packages/client/src/http/transport.ts']],
];
// These begin one in the same way as a file of the table, by the driver, which tells its caller.
const alike: Record<string, string> = {
  'packages/client/src/http/api.ts': 'as packages/client/src/http/transport.ts, which it calls',
  'packages/libraries/postgres/src/trace-statements.ts': 'never connects',
  'packages/local/src/postgres/postgres.ts': 'as packages/libraries/postgres/src/pool.ts',
};

test('no connection, look-up or request that fails in the turn in which it began ends a process', async () => {
  const options = ['--conditions', 'inventory-source', '--import', types, program];
  const { stdout } = await promisify(execFile)(process.execPath, options, { cwd: join(root, 'test') });
  expect(JSON.parse(stdout)).toEqual(Object.fromEntries(expected));
});

const begins = [
  // Functions and classes that are imported from Node under these names.
  /import \{[^}]*\b(?:connect|createConnection|request|get|lookup|Resolver|Socket)\b[^}]*\} from 'node:(?:net|tls|http|https|http2|dgram|dns|dns\/promises)'/,
  /\bnew (?:Redis|Cluster)\(/,
  /[ (]postgres\(/,
  /\bfetch\(/,
];

test('every file that begins one is tried', () => {
  const files = execFileSync('git', ['ls-files', 'apps/*/src/*.ts', 'packages/*/src/*.ts'], {
    cwd: root,
    encoding: 'utf8',
  });
  const found = files
    .trim()
    .split('\n')
    .filter((file) => {
      const text = readFileSync(join(root, file), 'utf8')
        .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|\btype \w+/g, '')
        .replaceAll(/^import type .*$/gm, '');
      return begins.some((each) => each.test(text));
    });
  expect(found.sort()).toEqual([...expected.flatMap(([, , files]) => files), ...Object.keys(alike)].sort());
});
