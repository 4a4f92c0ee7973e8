import { makeChecks } from '@inventory/admin/doctor/check';
import { postgresChecks } from '@inventory/admin/doctor/postgres-checks';
import { startServer } from '@inventory/api/server';
import { connect, type Sql } from '@inventory/postgres/pool';
import { createLog } from '@inventory/process/log/log';
import { startWorker } from '@inventory/worker/worker';
import { expect, inject, test } from 'vitest';
import { addressFor, asPart } from '../harness/as-part.ts';
import { createDatabase, noTables, type TestDatabase } from '../harness/servers/database.ts';
import { type OddSetting, oddRounds, refused } from '../harness/servers/odd-settings.ts';
import { type ApiClient, createApiClient } from '../harness/service/api-client.ts';
import { expectInvariants } from '../harness/service/invariants.ts';
import { prepareDatabase, startOwnService } from '../harness/service/own-service.ts';

/** Sets everything the server's operator can set, for connections opened from then on. */
async function carry(database: TestDatabase, settings: readonly OddSetting[]): Promise<void> {
  const name = new URL(database.url).pathname.slice(1);
  const server = connect(inject('databaseUrl'), { name: 'tests', connectionsMax: 1 });
  const value = ({ name: of, value: text }: OddSetting) =>
    of === 'search_path' ? text : `'${text.replaceAll("'", "''")}'`;
  await Promise.all(
    settings.map((each) =>
      server.unsafe(`alter database ${name} set ${each.name} = ${value(each)}`).catch((error) => {
        // Some values depend on others, or on the machine: Postgres refuses them from anybody.
        if (!['22023', '0A000', '42704'].includes(error.code)) throw error;
      }),
    ),
  );
  await server.end();
}

/** Every kind of call, one after the other, so that the numbers are the same each time. */
const calls: (client: ApiClient) => (() => Promise<{ status: number; text: string }>)[] = (client) => {
  const get = (path: string) => () => client.get(path);
  const post = (path: string, body: object, key?: string) => () =>
    client.post(path, body, key === undefined ? {} : { 'Idempotency-Key': key });
  const receipt = { itemID: 'A', units: 5.000001, wid: 1, reasonCode: 1, spot: "B'\\ä", price: 0.1 };
  const issue = { itemID: 'A', units: 2, wid: 1, reasonCode: 1 };
  const operations = [
    {
      op: 'receive',
      key: 'b1',
      ...receipt,
      capturedAt: '2026-01-02T03:04:05+05:45',
      deviceID: 'd',
      deviceSeq: 1,
    },
    { op: 'issue', key: 'b2', ...issue },
    { op: 'issue', key: 'b3', ...issue, units: 1e6 },
  ];
  return [
    () => client.post('/Item', { shortID: 'A', description: 'ÄÖ \\ \' "', category: 7, units: 12 }),
    () => client.post('/Item', { shortID: 'A' }),
    () => client.post('/Item', { shortID: 'B' }),
    () => client.put('/Item', { shortID: 'B', description: 'other' }),
    post('/Inventory/Receive', { ...receipt, expires: '2099-02-01', serial: 'S', rfidTag: 'R' }, 'k1'),
    post('/Inventory/Receive', { ...receipt, expires: '2099-02-01', serial: 'S', rfidTag: 'R' }, 'k1'),
    post('/Inventory/Receive', receipt, 'k1'),
    post('/Inventory/Receive', { ...receipt, expires: '2020-02-03T04:05:06.789Z', netWeight: 1.5 }),
    post('/Inventory/Receive', { ...receipt, wid: 2, units: 999_999_999.999999 }),
    post('/Inventory/Receive', { ...receipt, itemID: 'C' }),
    post('/Inventory/Move', { itemID: 'A', units: 1.5, wid: 1, toSpot: 'T' }),
    post('/Inventory/Move', { itemID: 'A', units: 1, wid: 1, shipToWid: 2 }),
    post('/Inventory/Issue', issue, 'k2'),
    post('/Inventory/Issue', issue, 'k2'),
    post('/Inventory/Issue', { ...issue, dryRun: true }),
    post('/Inventory/Issue', { ...issue, units: 1e6 }),
    post('/Inventory/Count', { itemID: 'A', wid: 1, spot: 'T', counted: 4, reasonCode: 1 }),
    post('/Inventory/Reverse', { transactionNo: 4 }),
    post('/Inventory/Batch', { mode: 'each', operations }),
    post('/Inventory/Batch', { mode: 'atomic', operations: operations.slice(0, 2) }),
    post('/Inventory/Batch', { mode: 'atomic', operations }),
    get('/Me'),
    get('/Item/1'),
    get('/Item?key=A&type=id'),
    get('/Item?Category=7'),
    get('/Item/All?sort=description&direction=desc&view=full'),
    get('/Inventory?view=full'),
    get('/Inventory?sort=expires&inStock=true&pageSize=2&page=2'),
    get('/Inventory?expiresBefore=2030-01-01'),
    get('/Inventory?modifiedSince=2026-01-01%2000:00:00%2B05:45'),
    get('/Inventory/1?sort=price&spot=T'),
    get('/Inventory/1?serial=S&rfidTag=R'),
    get('/Inventory/StockLevels?view=full'),
    get('/Inventory/StockLevels/1'),
    get('/Inventory/Lots/4'),
    get('/Inventory/Transactions?deviceID=d'),
    get('/Inventory/Transactions?kind=receive&startDate=2026-01-01'),
    get('/Inventory/Transactions?itemID=A&pageSize=2'),
    get('/Inventory/Transactions/4'),
    get('/Changes?limit=1000'),
    get('/Changes?after=now'),
    () => client.delete('/Item/B'),
  ];
};

/**
 * Masks moments near now, and a token's end; a moment as far off as a time zone stays. Cursors name their
 * database.
 */
function withoutMoments(text: string): string {
  return text
    .replace(/ursor":"[\w-]{24}"/g, 'ursor":""')
    .replace(/"cursors":\[[^\]]*\]/, '"cursors":[]')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (moment) =>
      Math.abs(Date.parse(moment) - Date.now()) < 7_200_000 ? 'now' : moment,
    );
}

async function toldByCommands(sql: Sql): Promise<string[]> {
  const checks = await makeChecks(sql, postgresChecks);
  // The number of connections does not matter here.
  return checks.filter(({ id }) => id !== 'connections').map(({ id, state }) => `${id}: ${state}`);
}

/**
 * All answers of the service on a database with these settings, from the first migration on, up to the first
 * one that differs or is 503.
 */
async function answersWith(settings: readonly OddSetting[], usual: string[] | null): Promise<string[]> {
  const database = await createDatabase(noTables);
  try {
    await carry(database, settings);
    await prepareDatabase(database.sql, []);
    const service = await startOwnService({ apis: 1, workers: 1, env: { DATABASE_URL: database.url } });
    try {
      const { clientId, token } = service.clients[0]!;
      // A request that is sent again may draw another number.
      const client = createApiClient(service.baseUrls[0]!, clientId, token, { isPatient: false });
      const told: string[] = [];
      for (const call of calls(client)) {
        const { status, text } = await call();
        const line = `${status} ${withoutMoments(text)}`;
        told.push(line);
        if (status === 503 || (usual !== null && line !== usual[told.length - 1])) return told;
      }
      const operator = connect(addressFor('operator', database.url), { name: 'tests', connectionsMax: 2 });
      told.push(...(await toldByCommands(operator)));
      await operator.end();
      await expectInvariants(database.sql);
      return told;
    } finally {
      await service.stop();
    }
  } finally {
    await database.drop();
  }
}

/** The same, tried again after a 503, because a slow machine answers so; or what failed. */
async function answersInTime(settings: readonly OddSetting[], usual: string[] | null): Promise<string[]> {
  for (let tries = 1; ; tries++) {
    const told = await answersWith(settings, usual).catch((error: Error) => [`failed: ${error.message}`]);
    if (tries === 5 || !told.at(-1)!.startsWith('503 ')) return told;
  }
}

/** The settings that change an answer, each with the first answer it changes. */
async function culpritsAmong(settings: readonly OddSetting[], usual: string[]): Promise<string[]> {
  let told: string[] = [];
  let first = 0;
  // A request under a used key draws a number, or none, by a moment's chance: a setting would do it twice.
  for (let tries = 1; tries <= 2; tries++) {
    told = await answersInTime(settings, usual);
    first = usual.findIndex((line, index) => told[index] !== line);
    if (first === -1 && told.length === usual.length) return [];
  }
  const difference = `${told[first]}, not ${usual[first]}`;
  if (settings.length === 1) return [`${settings[0]!.name} = ${settings[0]!.value}: ${difference}`];
  const half = Math.ceil(settings.length / 2);
  const found: string[] = [];
  for (const part of [settings.slice(0, half), settings.slice(half)])
    found.push(...(await culpritsAmong(part, usual)));
  return found.length > 0 ? found : [`several together: ${difference}`];
}

test('the same answers whatever settings a database has: every user setting, at every kind of odd value', async () => {
  const server = connect(inject('databaseUrl'), { name: 'tests', connectionsMax: 1 });
  const rounds = await oddRounds(server);
  await server.end();
  expect(rounds[0]!.length).toBeGreaterThan(100);
  const usual = await answersInTime([], null);
  expect(usual.join('\n')).not.toMatch(/^(5\d\d |failed: |.*: (unknown|fail))/m);
  const culprits: string[] = [];
  // Two at once, because each waits much for Postgres.
  for (let at = 0; at < rounds.length; at += 2) {
    const found = rounds.slice(at, at + 2).map((round) => culpritsAmong(round, usual));
    culprits.push(...(await Promise.all(found)).flat());
  }
  expect(culprits).toEqual([]);
});

test.concurrent.for(refused)(
  '%o is refused by name by api and worker, and reported by doctor',
  async (odd, { expect, onTestFinished }) => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    await carry(database, [odd]);
    const env = { DATABASE_URL: database.url, REDIS_URL: inject('redisUrl'), PORT: '0' };
    const named = `the database runs with ${odd.name} = ${odd.value}`;
    await expect(startServer(asPart('api', env), createLog('api'))).rejects.toThrow(named);
    await expect(startWorker(asPart('worker', env), createLog('worker'))).rejects.toThrow(named);
    const operator = connect(addressFor('operator', database.url), { name: 'tests', connectionsMax: 2 });
    const checks = await makeChecks(operator, postgresChecks);
    await operator.end();
    expect(checks.find(({ id }) => id === 'settings')).toMatchObject({
      state: 'fail',
      found: expect.stringContaining(`${odd.name} = ${odd.value}`),
    });
  },
);
