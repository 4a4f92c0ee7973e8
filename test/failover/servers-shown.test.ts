import { afterAll, beforeAll, beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { hasBrowser, slowMs, startBrowser } from '../harness/pages/browser.ts';
import { type WatchedStatusPage, watchStatusPage } from '../harness/pages/status-page-stream.ts';
import { type PostgresPair, startPostgresPair } from '../harness/servers/standby.ts';
import { runHere } from '../harness/service/command-line.ts';
import { examine } from '../harness/service/doctor.ts';
import { prepareDatabase, startOwnService } from '../harness/service/own-service.ts';
import { uniqueName } from '../harness/service/service.ts';
import { readMetrics } from '../harness/watch/metrics.ts';

// With several servers in DATABASE_URL, all that an operator looks at shows each of them.

let pair: PostgresPair;

beforeAll(async () => {
  pair = await startPostgresPair({ prepare: (sql) => prepareDatabase(sql, ['ITEM']), synchronous: false });
});
beforeEach(() => pair.mend());
afterAll(() => pair?.stop());

type Shown = {
  page: WatchedStatusPage;
  pageUrl: string;
  metric(name: string, port: number): Promise<number | undefined>;
  doctor(): ReturnType<typeof examine>;
  status(args?: readonly string[]): ReturnType<typeof runHere>;
};

/** An api and a worker on both servers, and what they show, until the test ends. */
async function serve(): Promise<Shown> {
  const env = {
    // As docs/upgrade-and-failover.md writes it.
    DATABASE_URL: `${pair.url}?target_session_attrs=read-write`,
    REDIS_URL: inject('redisUrl'),
    QUEUE_PREFIX: uniqueName('servers'),
  };
  const service = await startOwnService({ apis: 1, workers: 1, env });
  onTestFinished(service.stop);
  const page = await watchStatusPage(service.internalPorts[0]!);
  onTestFinished(page.close);
  const operator = asPart('operator', env);
  return {
    page,
    pageUrl: `http://127.0.0.1:${service.internalPorts[0]}/operations`,
    metric: async (name, port) =>
      (await readMetrics(service.internalPorts[0]!)).value(
        `inventory_api_postgres_server_${name}{server="127.0.0.1:${port}"}`,
      ),
    doctor: () => examine(operator),
    status: (args = []) => runHere(['status', ...args], operator),
  };
}

const place = ({ port }: { port: number }) => `127.0.0.1:${port}`;
const caught = /is a standby, 0 bytes and 0\.0 s behind$/;

test('primary and standby are shown with role and lag by status, doctor, page and metrics', async () => {
  const { primary, standby } = pair;
  const { page, metric, doctor, status } = await serve();
  const texts = () => page.now()?.servers.map(({ text }) => text);
  await expect
    .poll(texts)
    .toEqual([
      expect.stringMatching(`^${place(primary)} is a primary \\(timeline \\d+\\)$`),
      expect.stringMatching(`^${place(standby)} ${caught.source}`),
    ]);
  for (const [name, values] of [
    ['up', [1, 1]],
    ['primary', [1, 0]],
    ['lag_bytes', [undefined, 0]],
    ['lag_seconds', [undefined, 0]],
  ] as const) {
    const read = () => Promise.all([metric(name, primary.port), metric(name, standby.port)]);
    await expect.poll(read).toEqual(values);
  }
  const { checks } = await doctor();
  expect(checks.servers).toMatchObject({ state: 'ok', remedy: null });
  expect(checks.servers!.found).toMatch(
    new RegExp(`^${place(primary)} is a primary .*; ${place(standby)} is`),
  );
  expect((await status()).stdout).toMatch(
    new RegExp(
      `\\nservers +${place(primary)} is a primary \\(timeline \\d+\\); ${place(standby)} is a standby`,
    ),
  );

  // It keeps what it gets, and applies nothing.
  await standby.sql`select pg_wal_replay_pause()`;
  onTestFinished(async () => {
    await standby.sql`select pg_wal_replay_resume()`;
  });
  await primary.sql`update item set description = 'later'`;
  const { servers } = JSON.parse((await status(['--json'])).stdout);
  expect(servers).toEqual(
    [
      ...[{ server: place(primary), role: 'primary', lagBytes: null, lagSeconds: null }],
      ...[{ server: place(standby), role: 'standby', lagBytes: expect.any(Number) }],
    ].map((each) => expect.objectContaining(each)),
  );
  expect(servers[1].lagBytes).toBeGreaterThan(0);
  expect(servers[1].lagSeconds).toBeGreaterThan(0);
  await expect.poll(() => metric('lag_bytes', standby.port)).toBeGreaterThan(0);
});

test.skipIf(!hasBrowser)('the page lists each server in a browser (skipped without Chromium)', async () => {
  const { pageUrl } = await serve();
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(slowMs);
  await page.goto(pageUrl);
  const parts = () => page.locator('ul.parts li').allInnerTexts();
  await expect
    .poll(parts)
    .toEqual(
      expect.arrayContaining([
        expect.stringMatching(`^✓ ${place(pair.primary)} is a primary`),
        expect.stringMatching(`^✓ ${place(pair.standby)} is a standby, \\d+ bytes`),
      ]),
    );
  await pair.standby.kill();
  await expect.poll(parts).toContainEqual(expect.stringContaining(`✕ ${place(pair.standby)} is away`));
  expect(await page.title()).toContain('A server of Postgres is away');
});

test('a primary that is dead, and a standby that nobody promoted, are named by status, doctor, page and metrics', async () => {
  const { primary, standby } = pair;
  const { page, metric, doctor, status } = await serve();
  await primary.kill();
  await expect
    .poll(() => page.now()?.sentence)
    .toMatch(
      new RegExp(
        `^Postgres is away or does not answer \\(${place(primary)} is away \\(ECONNREFUSED\\); ${place(standby)} is a standby, \\d+ bytes`,
      ),
    );
  expect(page.now()!.causes[0]!.advice).toContain('promote the standby that is least behind');
  await expect.poll(() => metric('up', primary.port)).toBe(0);
  expect(await metric('up', standby.port)).toBe(1);
  const { checks, failed } = await doctor();
  expect(failed).toContain('servers');
  expect(checks.servers!.found).toMatch(
    new RegExp(`^no primary: ${place(primary)} is away \\(ECONNREFUSED\\); ${place(standby)} is a standby`),
  );
  const told = await status();
  expect(told.code).toBe(1);
  expect(told.stdout).toContain(`${place(primary)} is away (ECONNREFUSED); ${place(standby)} is a standby`);
});

test('an old primary that still runs after a promotion is a fault, with cause and remedy, in status, doctor, page and metrics; once stopped it is away', async () => {
  const { primary: old, standby: promoted } = pair;
  const { page, metric, doctor, status } = await serve();
  await promoted.promote();
  const code = () => page.cause();
  await expect.poll(code).toBe('twoPrimaries');
  const { state, sentence, causes } = page.now()!;
  expect(state).toBe('bad');
  const both = `${place(old)} is a primary \\(timeline (\\d+)\\); ${place(promoted)} is a primary \\(timeline (\\d+)\\)`;
  expect(sentence).toMatch(new RegExp(`^Several servers of Postgres take writes \\(${both}\\): `));
  const [, lower, higher] = new RegExp(both).exec(sentence)!;
  expect(Number(lower)).toBeLessThan(Number(higher));
  expect(causes[0]!.advice).toContain('Stop the old primary at once');
  for (const { port } of [old, promoted]) await expect.poll(() => metric('primary', port)).toBe(1);
  const { checks, failed } = await doctor();
  expect(failed).toContain('servers');
  expect(checks.servers).toMatchObject({
    found: expect.stringMatching(new RegExp(`^2 primaries: ${both}$`)),
    remedy: causes[0]!.advice,
  });
  const told = await status();
  expect(told).toMatchObject({ code: 1, stdout: expect.stringMatching(new RegExp(`\nservers +${both}\n`)) });

  await old.kill();
  await expect.poll(code).toBe('serverAway');
  expect(page.now()).toMatchObject({
    state: 'warn',
    sentence: expect.stringContaining(
      `A server of Postgres is away (${place(old)} is away (ECONNREFUSED)): `,
    ),
  });
  expect((await doctor()).checks.servers).toMatchObject({
    state: 'warn',
    remedy: expect.stringContaining('make it a standby of the new one first'),
  });
});
