import { renameWarehouse } from '@inventory/db/operator/rename-warehouse';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasBrowser } from '../harness/pages/browser.ts';
import { fillIn, openConsole, scanItem, signIn, trySignIn } from '../harness/pages/console.ts';
import { wedge } from '../harness/pages/hands.ts';
import { useBrowser } from '../harness/pages/use-browser.ts';
import { useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService();

describe.skipIf(!hasBrowser)('in a browser (skipped without Chromium)', () => {
  const browser = useBrowser();

  async function open(options: { isKept?: boolean; warehouses?: number[] } = {}) {
    const client = await service.client({ warehouses: options.warehouses ?? [1, 2] });
    const context = await browser.newContext();
    const { page } = await openConsole(context, service);
    await signIn(page, client, options);
    return { client, page };
  }

  test('a client that was disabled is told so, and stands before the sign-in', async () => {
    const { client, page } = await open({ isKept: true });
    await service.sql`update client set disabled = true where client_id = ${client.clientId}`;
    await wedge(page, 'ANYTHING');
    await page.getByRole('alert').getByText('This client was disabled').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  test('when the limit is met, the page says for how long, and goes on by itself', async () => {
    const itemID = await service.item();
    const { page } = await open();
    let calls = 0;
    await page.route('**/Scan', (route) => {
      calls += 1;
      const headers = { 'Retry-After': '11', 'Content-Type': 'application/json' };
      return calls === 1
        ? route.fulfill({ status: 429, headers, body: '{"message":"too many"}' })
        : route.continue();
    });
    await wedge(page, itemID);
    await page.getByText('goes on by itself in').waitFor();
    // A screen reader is told the sentence once, without the seconds.
    const told = await page.locator('.note.wait').getByRole('status').allInnerTexts();
    expect(told).toEqual(['This client has made too many calls. The page goes on by itself']);
    // Somebody sets the clock of the device right.
    await page.evaluate('{ const { now } = Date; Date.now = () => now() - 3_600_000; }');
    await page.getByText('Last transactions').waitFor();
    expect(calls).toBe(2);
    await page.getByText('goes on by itself in').waitFor({ state: 'detached' });
  });

  const limited = { status: 429, seconds: 7, json: { message: 'too many' } };
  const error = { statusCode: 503, error: 'internal_error', message: 'Busy: try again in a moment.' };
  const busy = { status: 503, json: error };
  test.each([
    { ...limited, answers: 1, told: 'the item', shown: 'Last transactions' },
    { ...busy, seconds: 1, answers: 1, told: 'the item', shown: 'Last transactions' },
    { ...busy, seconds: 1, answers: 1000, told: 'that the service is busy', shown: 'The service is busy.' },
    { ...busy, seconds: 60, answers: 1000, told: 'that the service is busy', shown: error.message },
  ])(
    '$status with Retry-After $seconds to a scan, $answers times: the page tells $told, and is not offline',
    async ({ status, seconds, json, answers, shown }) => {
      const itemID = await service.item();
      const { page } = await open();
      let calls = 0;
      await page.route('**/Scan', (route) => {
        calls += 1;
        const headers = { 'Retry-After': String(seconds) };
        return calls <= answers ? route.fulfill({ status, headers, json }) : route.continue();
      });
      await wedge(page, itemID);
      const isOffline = page.getByText('Offline').first();
      await page.getByText(shown).first().or(isOffline).first().waitFor();
      expect(await isOffline.count()).toBe(0);
    },
  );

  test('a view has its heading while it loads', async () => {
    const { page } = await open();
    await page.route(/\/(Inventory\/(Lots|Transactions)\/\d+|Scan)$/, () => {});
    const { origin } = new URL(service.baseUrl);
    const headingOf = async (path: string) => {
      await page.goto(`${origin}/console/#/${path}`);
      await page.getByText('Loading').waitFor();
      return page.getByRole('heading', { level: 1 }).allInnerTexts();
    };
    expect([await headingOf('lot/1'), await headingOf('transaction/1')]).toEqual([
      ['Lot 1'],
      ['Transaction 1'],
    ]);
    await wedge(page, 'SLOW-CODE');
    await page.getByRole('heading', { name: 'SLOW-CODE' }).waitFor();
  });

  test('a change that comes before the answer to what was done here makes nothing be read again', async () => {
    const itemID = await service.item();
    const { client, page } = await open();
    const isFeed = (url: string) => url.includes('/Changes');
    await page.getByText('Nothing yet. Scan anything to begin').waitFor();
    await scanItem(page, itemID);
    let told = page.waitForResponse(
      async (answer) => isFeed(answer.url()) && (await answer.text()).includes(itemID),
    );
    await page.route('**/Inventory/Batch', async (route) => {
      const response = await route.fetch();
      await told;
      await page.waitForRequest((request) => isFeed(request.url()));
      await route.fulfill({ response });
    });
    await fillIn(page, 'Receive', { Units: '1', Reason: '1' });
    await page.getByText(`Received 1 of ${itemID}`).first().waitFor();
    let reads = 0;
    page.on('request', (request) => {
      if (!isFeed(request.url())) reads += 1;
    });
    const other = await service.item();
    told = page.waitForResponse(
      async (answer) => isFeed(answer.url()) && (await answer.text()).includes(other),
    );
    await receiveLot(client, other, 1);
    await told;
    await page.waitForRequest((request) => isFeed(request.url()));
    expect(reads).toBe(0);
  });

  test('two aliases of one item are one thing', async () => {
    const itemID = await service.item();
    const { client, page } = await open();
    const { partNo } = (await client.get(`/Item?key=${itemID}&type=id`)).body;
    // As 0.1.0 took them.
    await service.sql.begin(async (tx) => {
      await tx`alter table item_alias disable trigger alias_gtin_added`;
      await tx`
        insert into item_alias (alias, part_no) values (${'4006381333931'}, ${partNo}), (${'04006381333931'}, ${partNo})`;
      await tx`
        insert into alias_gtin (gtin, rank, alias)
        values ('04006381333931', 0, '04006381333931'), ('04006381333931', 13, '4006381333931')`;
      await tx`alter table item_alias enable trigger alias_gtin_added`;
    });
    await scanAs(page, '4006381333931', itemID);
  });

  test('a warehouse that is added, renamed or taken away during a shift: an item shows the figures of each', async () => {
    const itemID = await service.item();
    const everywhere = await service.client();
    await receiveLot(everywhere, itemID, 5);
    await receiveLot(everywhere, itemID, 7, { wid: 2 });
    const { partNo } = (await everywhere.get(`/Item?key=${itemID}&type=id`)).body;
    await everywhere.put(`/Inventory/StockLevels/1/${partNo}`, { minimum: 1 });
    const { client, page } = await open({ warehouses: [1] });
    await scanItem(page, itemID);
    const figures = async () =>
      (await page.locator('.figures > div').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    const main = 'Main 5 EA 5 available, minimum 1';
    await expect.poll(figures).toEqual([main]);
    await service.sql`insert into client_warehouse (client_id, wid) values (${client.clientId}, 2)`;
    await expect.poll(figures).toEqual([main, 'Overflow 7 EA 7 available']);
    onTestFinished(async () => {
      await renameWarehouse(service.sql, { wid: 2, name: 'Overflow' });
    });
    await renameWarehouse(service.sql, { wid: 2, name: 'Annex' });
    await expect.poll(figures).toEqual([main, 'Annex 7 EA 7 available']);
    await service.sql`delete from client_warehouse where client_id = ${client.clientId} and wid = 1`;
    await expect.poll(figures).toEqual(['Annex 7 EA 7 available']);
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('button', { name: 'Menu' }).press('Enter');
    expect(await page.locator('.menu li').allInnerTexts()).toEqual(['Annex']);
  });

  test('warehouses that became others while nothing was told are asked for', async () => {
    const itemID = await service.item();
    await receiveLot(await service.client(), itemID, 7, { wid: 2 });
    const { client, page } = await open({ warehouses: [1] });
    await scanItem(page, itemID);
    await page.getByText('None.').first().waitFor();
    // As after a restore of the database.
    let isOutdated = true;
    const error = { statusCode: 409, error: 'conflict', message: 'Begin anew', reason: 'cursorOutdated' };
    await page.route(/\/Changes\?(?!.*after=now)/, (route) =>
      isOutdated ? route.fulfill({ status: 409, json: error }) : route.continue(),
    );
    await page.route(/\/Changes\?.*after=now/, async (route) => {
      if (isOutdated)
        await service.sql`insert into client_warehouse (client_id, wid) values (${client.clientId}, 2)`;
      isOutdated = false;
      await route.continue();
    });
    // The call that waits is answered.
    await service.item();
    await page.locator('.figures').getByText('Overflow').waitFor();
    await expect.poll(() => page.locator('.figures strong').allTextContents()).toEqual(['0', '7']);
  });

  test('when the browser closes the connection to its storage, work goes on', async () => {
    const itemID = await service.item();
    const { page } = await open();
    const closed = await page.evaluate<string>(`(async () => {
      const opened = [];
      const real = IDBDatabase.prototype.transaction;
      IDBDatabase.prototype.transaction = function (...call) {
        opened.push(this);
        return real.apply(this, call);
      };
      const { keep, recall } = await import('/console/base/device-store.js');
      await keep('reason/receive', '7');
      opened.at(-1).close();
      return recall('reason/receive');
    })()`);
    expect(closed).toBe('7');
    await scanItem(page, itemID);
  });

  test('where the storage of the browser never answers, the page says so, and is not blank', async () => {
    const client = await service.client();
    const context = await browser.newContext();
    await context.addInitScript(`indexedDB.open = () => ({});
      const wait = setTimeout;
      setTimeout = (run, ms, ...given) => wait(run, ms === 8000 ? 200 : ms, ...given);`);
    const { page } = await openConsole(context, service);
    await trySignIn(page, client);
    await page.getByRole('alert').getByText('The storage of this browser does not answer').waitFor();
  });
});

async function scanAs(page: Page, code: string, itemID: string): Promise<void> {
  await wedge(page, code);
  await page.getByRole('heading', { name: itemID }).waitFor();
}
