import { request } from 'node:http';
import { join } from 'node:path';
import { startServer } from '@inventory/api/server';
import { findCauses } from '@inventory/api/status-page/causes';
import { createSnapshots } from '@inventory/api/status-page/snapshot';
import type { SeenServer } from '@inventory/postgres/servers/seen-servers';
import { createLog } from '@inventory/process/log/log';
import type { Running } from '@inventory/process/run';
import { startWorker } from '@inventory/worker/worker';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { hasBrowser } from '../harness/pages/browser.ts';
import { type WatchedStatusPage, watchStatusPage } from '../harness/pages/status-page-stream.ts';
import { useBrowser } from '../harness/pages/use-browser.ts';
import { type ApiClient, createApiClient } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const service = useService({ workers: 0, env: { QUEUE_PREFIX: uniqueName('page-other') } });
const env = {
  REDIS_URL: inject('redisUrl'),
  QUEUE_PREFIX: uniqueName('page'),
  PORT: '0',
  INTERNAL_PORT: '0',
  INTERNAL_NAMES: 'Ops.example.org, .nodes.example.org',
};
let api: Running;
let worker: Running;
let internal: number;
let client: ApiClient;
let itemID: string;

const start = (part: 'api' | 'worker') => {
  const of = asPart(part, { ...env, DATABASE_URL: service.databaseUrl });
  return part === 'api' ? startServer(of, createLog('api')) : startWorker(of, createLog('worker'));
};

beforeAll(async () => {
  worker = await start('worker');
  api = await start('api');
  internal = api.internalPort!;
  const known = await service.client();
  client = createApiClient(`http://127.0.0.1:${api.port}/api/v1`, known.clientId, known.token, {
    isPatient: false,
  });
  itemID = await service.item();
});
afterAll(async () => {
  for (const each of [api, worker]) await each?.stop();
});

const body = (remark?: string) => ({ itemID, units: 2.5, wid: 1, reasonCode: 3, ...(remark && { remark }) });

async function watch(): Promise<WatchedStatusPage> {
  const watched = await watchStatusPage(internal);
  onTestFinished(() => watched.close());
  return watched;
}

/** Sends a `Host` that fetch would not send. */
function statusFor(path: string, headers: Record<string, string>, port = internal): Promise<number> {
  return new Promise((resolve, reject) => {
    request({ port, path, headers }, (answer) => {
      resolve(answer.statusCode!);
      answer.destroy();
    })
      .on('error', reject)
      .end();
  });
}

describe('the page and its stream', () => {
  const paths = [
    '',
    '/page.js',
    '/chart.js',
    '/draw-chart.js',
    '/page.css',
    '/preact.js',
    '/htm.js',
    '/uplot.js',
    '/uplot.css',
    '/handbook',
  ];

  // The first one: what a page shows when it is opened, and reads again only seconds later.
  test('stock and transactions are shown without anything that a body, an answer or a secret holds', async () => {
    const remark = uniqueName('remark');
    const received = await client.post('/Inventory/Receive', body(remark));
    expect(received.status).toBe(201);
    const refused = await client.post('/Inventory/Issue', { ...body(), units: 1_000_000 });
    expect(refused.status).toBe(409);
    const watched = await watch();
    const named = () => watched.stock()?.transactions.map(({ transactionNo }) => transactionNo) ?? [];
    await expect.poll(named).toContain(received.body.transactionNo);
    await expect.poll(() => watched.stock()?.transactions[0]?.status).toBe('refused');
    const [ofRefused, ofReceived] = watched.stock()!.transactions;
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    const number = expect.any(Number);
    const { clientId } = client;
    const known = { transactionNo: number, at, client: clientId };
    expect(ofReceived).toEqual({ ...known, kind: 'receive', status: 'applied', code: null });
    expect(ofRefused).toEqual({ ...known, kind: 'issue', status: 'refused', code: 'conflict' });
    await expect
      .poll(() => watched.stock()?.warehouses)
      .toEqual([
        { wid: 1, name: 'Main', items: expect.any(Number), lots: 1, units: '2.5', onHold: '0' },
        { wid: 2, name: 'Overflow', items: 0, lots: 0, units: '0', onHold: '0' },
        { wid: 3, name: 'Elsewhere', items: 0, lots: 0, units: '0', onHold: '0' },
      ]);
    for (const secret of [remark, itemID, client.token, service.databaseUrl]) {
      expect(watched.text()).not.toContain(secret);
    }
  });

  test.each(paths)('200: /operations%s, from this process only', async (path) => {
    const answer = await fetch(`http://127.0.0.1:${internal}/operations${path}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(answer.headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin');
    const policy = answer.headers.get('Content-Security-Policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect((await answer.text()).length).toBeGreaterThan(300);
  });

  test('404: any other file, by any path; 405: any method but GET and HEAD', async () => {
    for (const name of ['page', 'package.json', '../package.json', '%2e%2e/reading.ts', 'page/page.js']) {
      expect(await statusFor(`/operations/${name}`, {}), name).toBe(404);
    }
    for (const path of ['/operations', '/operations/events', '/operations/page.js']) {
      const answer = await fetch(`http://127.0.0.1:${internal}${path}`, { method: 'POST' });
      expect(answer.status, path).toBe(405);
    }
  });

  // Anything our ports serve later is requested in the same way.
  const everywhere = ['/operations', '/operations/events', '/operations/page.js', '/', '/metrics', '/readyz'];
  const foreign = [
    'rebound.example.com:9090',
    'localhost.example.com',
    '127.0.0.1.example.com',
    'evil.svc.example.com',
  ];
  const own = [
    ...['127.0.0.1:9090', '10.1.2.3:9090', '[::1]:9090', 'localhost', 'api:9090', 'api.shop.svc:9090'],
    ...[
      'api.shop.svc.cluster.local',
      'ip-10-0-0-1.ec2.internal',
      'ops.example.org',
      'api-1.nodes.example.org:9090',
    ],
  ];

  test.each([...everywhere, '/healthz', '/accepts'])(
    '403: %s of the api under a name that somebody else may own; served under a name of its own network',
    async (path) => {
      for (const host of foreign) expect(await statusFor(path, { Host: host }), host).toBe(403);
      // Whether it is ready is another question.
      for (const host of own) expect(await statusFor(path, { Host: host }), host).not.toBe(403);
    },
  );

  test('403: the worker under a name that somebody else may own; 200 under a name of its own network', async () => {
    const port = worker.internalPort!;
    for (const path of ['/metrics', '/readyz', '/healthz']) {
      for (const host of foreign) expect(await statusFor(path, { Host: host }, port), host).toBe(403);
      for (const host of own) expect(await statusFor(path, { Host: host }, port), host).toBe(200);
    }
  });

  test('403: the stream, to a page of another origin, even on the same site', async () => {
    for (const site of ['cross-site', 'same-site'])
      expect(await statusFor('/operations/events', { 'Sec-Fetch-Site': site }), site).toBe(403);
    for (const site of ['same-origin', 'none'])
      expect(await statusFor('/operations/events', { 'Sec-Fetch-Site': site }), site).toBe(200);
  });

  test('one snapshot a second serves all viewers, and a new viewer gets the history at once', async () => {
    const first = await watch();
    const second = await watch();
    const eventsOf = ({ text }: WatchedStatusPage) =>
      new Map([...text().matchAll(/^data: (\{"at":"([^"]+)".*)$/gm)].map(([, data, at]) => [at!, data!]));
    await expect.poll(() => eventsOf(second).size).toBeGreaterThan(2);
    const ofFirst = eventsOf(first);
    const shared = [...eventsOf(second)].filter(([at]) => ofFirst.has(at));
    expect(shared.length).toBeGreaterThan(1);
    for (const [at, data] of shared) expect(data).toBe(ofFirst.get(at));
    const later = await watch();
    await expect.poll(() => later.history()?.points.length ?? 0).toBeGreaterThanOrEqual(3);
  });

  test('with too many viewers the oldest makes room for the new one, and may come again', async () => {
    const watched: WatchedStatusPage[] = [];
    for (let index = 0; index < 70; index++) watched.push(await watch());
    const hasEnded = () => watched.map(({ isOpen }) => !isOpen());
    await expect.poll(hasEnded).toEqual(watched.map((_, index) => index < 6));
    expect(watched[0]!.text()).toMatch(/\n\nretry: 10000\n\n$/);
    // All the others go on.
    const at = watched.at(-1)!.now()?.at;
    for (const each of watched.slice(6)) await expect.poll(() => each.now()?.at).not.toBe(at);
  });

  test('refusals of a full queue are named until ten seconds have passed without one', () => {
    const reading = {
      ...{
        requests: 0,
        transactions: 0,
        refusals: {},
        failedReads: 0,
        unknown: 0,
        durations: [],
        waiting: 0,
      },
      ...{ oldestWaitSeconds: 0, workers: 1, backlog: 0, isRedisUp: true, isPostgresUp: true },
      ...{
        hangingCommits: 0,
        clockDifferenceSeconds: 0,
        connections: 0,
        refusedAnswers: 0,
        unwritable: null,
        redisRefusal: null,
      },
    };
    const snapshots = createSnapshots();
    const stateAt = (seconds: number, busy: number) =>
      snapshots.take(
        { ...reading, at: seconds * 1000, failures: { busy } },
        { workers: [], servers: [] },
        {
          driftPlaces: () => 0,
          stoppedWebhooks: () => ({ disabled: 0, paused: 0 }),
        },
      );
    expect(stateAt(0, 0)).toMatchObject({ state: 'well', sentence: 'All is well.' });
    for (const seconds of [1, 10]) expect(stateAt(seconds, 3).causes).toMatchObject([{ code: 'busy' }]);
    expect(stateAt(12, 3)).toMatchObject({
      state: 'well',
      past: [{ sentence: expect.stringContaining('3 requests refused') }],
    });
  });

  test('each cause links to a chapter of the handbook, which needs no other host', async () => {
    const text = await (await fetch(`http://127.0.0.1:${internal}/operations/handbook`)).text();
    const anchors = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!));
    const away = {
      ...{
        isPostgresUp: false,
        unwritable: null,
        redisRefusal: null,
        isRedisUp: false,
        hangingCommits: 0,
        workers: 0,
        seen: [],
        servers: [] as SeenServer[],
        waiting: 0,
      },
      ...{ oldestWaitSeconds: 0, backlog: 0, clockDifferenceSeconds: 9, refusedAnswers: 1, driftPlaces: 1 },
      stoppedWebhooks: { disabled: 1, paused: 0 },
      ...{ failures: { internal: 1 }, failedReads: 0, unknown: 1, windowSeconds: 10 },
    };
    const none = { timeline: null, lagBytes: null, lagSeconds: null, why: null };
    const primary: SeenServer = { server: 'pg:5432', role: 'primary', ...none };
    const there = { ...away, isPostgresUp: true, isRedisUp: true };
    const seen = [
      { name: 'lost', unseenMs: 9000, note: null },
      { name: 'odd', unseenMs: 0, note: { busyRatio: 0, clockDifferenceSeconds: 9, isPostgresUp: false } },
    ];
    const causes = [
      ...findCauses(away),
      ...findCauses({ ...there, hangingCommits: 1 }),
      ...findCauses({ ...there, unwritable: 'disk' }),
      ...findCauses({ ...there, redisRefusal: 'replicas' }),
      ...findCauses({ ...there, servers: [primary, primary] }),
      ...findCauses({ ...there, servers: [primary, { ...primary, role: 'away' }] }),
      ...findCauses({ ...there, workers: 1, seen, failures: { busy: 2 } }),
      ...findCauses({ ...there, workers: 1, failures: { busy: 2 }, failedReads: 2 }),
      ...findCauses({ ...there, workers: 1, failures: {}, oldestWaitSeconds: 2 }),
    ];
    expect(new Set(causes.map(({ code }) => code)).size).toBe(20);
    expect(causes.filter(({ chapter }) => !anchors.has(chapter.toLowerCase()))).toEqual([]);
    const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id!);
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((id) => !anchors.has(id))).toEqual([]);
    expect(text).not.toMatch(/(?:href|src)="(?:[a-z]+:)?\/\//);
  });

  test('refusals and durations of answers are counted', async () => {
    const watched = await watch();
    await client.post('/Inventory/Issue', { ...body(), units: 1_000_000 });
    await client.post('/Inventory/Receive', {});
    const counted = () => watched.now()?.refusals ?? [];
    await expect.poll(counted).toContainEqual({ what: 'conflict', count: expect.any(Number) });
    await expect.poll(counted).toContainEqual({ what: 'validation_error', count: expect.any(Number) });
    const p95 = () => {
      const { fields, points } = watched.history()!;
      return watched.now()?.point[fields.indexOf('p95Ms')] ?? points.length * 0;
    };
    await expect.poll(p95).toBeGreaterThan(0);
  });
});

describe.skipIf(!hasBrowser)('in a browser (skipped without Chromium)', () => {
  const browser = useBrowser();
  const hosts = new Set<string>();
  const complaints: string[] = [];

  async function open(
    width: number,
    height: number,
    colorScheme: 'light' | 'dark',
    { canMoveClock } = { canMoveClock: false },
  ): Promise<Page> {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme });
    const page = await context.newPage();
    if (canMoveClock) await page.clock.install();
    page.on('request', (asked) => {
      if (!asked.url().startsWith('data:')) hosts.add(new URL(asked.url()).host);
    });
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`http://127.0.0.1:${internal}/`);
    await page.getByRole('heading', { name: 'Last transactions' }).waitFor();
    return page;
  }

  /** Saved in the folder of `SCREENSHOTS`, to be looked at. */
  async function keepPicture(page: Page, name: string) {
    const folder = process.env.SCREENSHOTS;
    if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  }

  test.each([
    ['phone', 390, 844, 'dark'],
    ['desk', 1280, 900, 'light'],
    ['wall', 2560, 1440, 'dark'],
  ] as const)('the page fits a %s, with its charts', async (name, width, height, scheme) => {
    await client.post('/Inventory/Receive', body());
    const page = await open(width, height, scheme);
    await page.getByRole('status').getByText('All is well.').waitFor();
    expect(await page.title()).toBe('✓ All is well.');
    await expect.poll(() => page.locator('.chart canvas').count()).toBe(5);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    const back = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(back).toBe(scheme === 'dark' ? 'rgb(16, 19, 25)' : 'rgb(244, 245, 247)');
    // A chart that could not be drawn is empty.
    const drawn = `[...document.querySelectorAll('.chart canvas')].map((each) =>
      each.getContext('2d').getImageData(0, 0, each.width, each.height).data.some((byte) => byte > 0))`;
    await expect.poll(() => page.evaluate(drawn)).toEqual([true, true, true, true, true]);
    await keepPicture(page, name);
  });

  /** Opens the page on a phone with these transactions in place of the real ones. */
  async function openWith(
    transactions: Record<string, unknown>[],
    { timezoneId, now }: { timezoneId: string; now: string },
  ): Promise<Page> {
    const watched = await watch();
    await expect.poll(() => watched.stock() !== null && watched.now() !== null).toBe(true);
    const events = { history: watched.history(), now: watched.now(), stock: watched.stock() };
    const sent = { ...events, stock: { ...events.stock, transactions } };
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, timezoneId });
    const page = await context.newPage();
    await page.clock.setFixedTime(now);
    await page.route('**/operations/events', (route) =>
      route.fulfill({
        contentType: 'text/event-stream',
        body: Object.entries(sent)
          .map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
          .join(''),
      }),
    );
    await page.goto(`http://127.0.0.1:${internal}/`);
    await page.getByRole('heading', { name: 'Last transactions' }).waitFor();
    return page;
  }

  const transaction = {
    transactionNo: 4_294_967_295,
    at: '2026-09-23T12:34:56.000Z',
    kind: 'receive',
    client: 'wms-adapter-production-warehouse-17-north',
    status: 'applied',
    code: null,
  };

  test('the latest transactions fit a phone, even with numbers of ten digits and long names', async () => {
    const others = [
      { status: 'refused', code: 'validation_error' },
      { kind: 'reverse', status: 'refused', code: 'conflict' },
      { kind: null, client: null, status: 'abandoned' },
    ].map((each, index) => ({ ...transaction, transactionNo: 4_294_967_294 - index, ...each }));
    const page = await openWith([transaction, ...others], {
      timezoneId: 'UTC',
      now: '2027-01-01T12:34:56Z',
    });
    await keepPicture(page, 'phone-transactions');
    const sizes = await page.evaluate(`(() => {
      const tile = [...document.querySelectorAll('.tile')].find((each) =>
        each.querySelector('h2').textContent === 'Last transactions');
      const { scrollWidth, clientWidth } = tile.querySelector('.scroll');
      return { scrollWidth, clientWidth };
    })()`);
    const { scrollWidth, clientWidth } = sizes as { scrollWidth: number; clientWidth: number };
    expect(scrollWidth).toBe(clientWidth);
  });

  test('a transaction from another day than the viewer’s today shows its date, from another year also the year', async () => {
    const moments = ['2026-11-23T23:10:00Z', '2026-11-23T22:59:59Z', '2025-11-23T23:10:00Z'];
    const page = await openWith(
      moments.map((at, index) => ({ ...transaction, transactionNo: 3 - index, at })),
      // 00:30 of the next day.
      { timezoneId: 'Europe/Berlin', now: '2026-11-23T23:30:00Z' },
    );
    const rows = await page.locator('tr:has(td.outcome) td:nth-child(2)').allTextContents();
    expect(rows.map((cell) => cell.replaceAll('\u00a0', ' '))).toEqual([
      '00:10:00',
      '23 Nov, 23:59:59',
      '24 Nov 2025, 00:10:00',
    ]);
  });

  test('a new transaction appears by itself', async () => {
    const page = await open(1280, 900, 'light');
    const { body: received } = await client.post('/Inventory/Receive', body());
    await page.getByRole('cell', { name: String(received.transactionNo), exact: true }).waitFor();
  });

  test('the first sentence names the cause, what to do, and that it has passed', async () => {
    const page = await open(1280, 900, 'light');
    await worker.stop();
    const sentence = 'No worker takes work: receive, move and issue are refused, lists are served.';
    await page.getByRole('status').getByText(sentence).waitFor();
    expect(await page.locator('header.bad').textContent()).toContain('Start a worker');
    expect(await page.title()).toBe(`✕ ${sentence}`);
    await keepPicture(page, 'no-worker');
    await page.getByRole('banner').getByRole('link', { name: 'Handbook' }).click();
    await page.getByRole('heading', { name: 'InventoryNoWorker' }).waitFor();
    expect(await page.evaluate('document.querySelector(":target").textContent')).toBe('InventoryNoWorker');
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    if (process.env.SCREENSHOTS !== undefined)
      await page.screenshot({ path: join(process.env.SCREENSHOTS, 'handbook.png') });
    await page.goBack();
    worker = await start('worker');
    await page.getByRole('status').getByText('All is well.').waitFor();
    expect(await page.locator('.past').textContent()).toContain(sentence);
  });

  test('the page loads nothing from another host, and the browser reports no error', () => {
    expect([...hosts]).toEqual([`127.0.0.1:${internal}`]);
    expect(complaints).toEqual([]);
  });

  // The last one: it stops the api.
  test('silence is shown: the data are old', async () => {
    const page = await open(1280, 900, 'dark', { canMoveClock: true });
    await api.stop();
    await page.clock.fastForward(6000);
    await expect.poll(() => page.getByRole('status').textContent()).toContain('No news from the api');
    expect(await page.locator('main.old').count()).toBe(1);
    await keepPicture(page, 'silent');
  });
});
