import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../harness/pages/browser.ts';
import { openConsole, scanItem, signIn } from '../harness/pages/console.ts';
import { expectReadable } from '../harness/pages/readable.ts';
import { useBrowser } from '../harness/pages/use-browser.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService();
const dayMs = 86_400_000;
const schemes = ['light', 'dark'] as const;

/** The names of the colours of the style sheet that are painted, from those of the series. */
const paintedOn = (id: string) => `(() => {
  const canvas = document.querySelector('[aria-labelledby=${id}] canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const seen = new Set();
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] === 255) seen.add(data.slice(at, at + 3).join());
  const style = getComputedStyle(document.documentElement);
  const names = [1, 2, 3, 4, 5].map((place) => '--series-' + place);
  const rgbOf = (name) => {
    const probe = document.createElement('canvas').getContext('2d');
    probe.fillStyle = style.getPropertyValue(name).trim();
    return probe.fillStyle.match(/[0-9a-f]{2}/g).map((part) => Number.parseInt(part, 16)).join();
  };
  return names.filter((name) => seen.has(rgbOf(name)));
})()`;

describe.skipIf(!hasBrowser)('in a browser (skipped without Chromium)', () => {
  const browser = useBrowser();

  async function open(client: Awaited<ReturnType<typeof service.client>>, width: number) {
    const context = await browser.newContext({ viewport: { width, height: 844 } });
    const calls: string[] = [];
    context.on('request', (request) => calls.push(new URL(request.url()).pathname));
    const opened = await openConsole(context, service);
    const { page } = opened;
    await signIn(page, client);
    await page.getByRole('region', { name: 'Done today' }).waitFor();
    return { ...opened, calls };
  }

  const painted = (page: Page, id: string) => page.evaluate<string[]>(paintedOn(id));

  /** The rows of the table behind a picture, once it is opened. */
  async function figuresOf(region: Locator) {
    const summary = region.getByText('Figures', { exact: true });
    await summary.focus();
    await summary.press('Enter');
    const texts = (cells: Locator) => cells.allInnerTexts();
    const rows = await region.getByRole('row').all();
    return Promise.all(rows.map((row) => texts(row.locator('th, td'))));
  }

  const issue = (client: ApiClient, itemID: string, units: number) =>
    client.post('/Inventory/Issue', { itemID, units, wid: 1, reasonCode: 0 });

  test('at a desk, home shows who does how much by the hour, all beyond four as one; a phone reads nothing of it', async () => {
    const clients = await Promise.all(Array.from({ length: 7 }, () => service.client()));
    const itemID = await service.item();
    // The first does most, the last two as much as nobody else.
    for (const [place, client] of clients.entries())
      for (let times = Math.max(1, 6 - place); times > 0; times--) await receiveLot(client, itemID, 1);
    const { page, calls, complaints } = await open(clients[0]!, 1280);
    const region = page.getByRole('region', { name: 'Transactions in the last 24 hours', exact: true });
    const picture = region.getByRole('img');
    await picture.waitFor();
    await expect.poll(() => region.locator('canvas').count()).toBe(1);
    const ids = clients.map(({ clientId }) => clientId);
    const about = (await picture.getAttribute('aria-label'))!;
    expect(about).toContain(`by hour and person: 22, most at`);
    expect(about).toContain(`${ids[0]} 6, ${ids[1]} 5, ${ids[2]} 4, ${ids[3]} 3, 3 others 4.`);
    expect(await region.locator('.legend li').allInnerTexts()).toEqual([...ids.slice(0, 4), '3 others']);
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      await expect.poll(() => painted(page, 'activity')).toHaveLength(5);
    }
    const [heads, ...rows] = await figuresOf(region);
    expect(heads).toEqual(['Hour', ...ids.slice(0, 4), '3 others']);
    expect(rows).toHaveLength(24);
    const sums = [1, 2, 3, 4, 5].map((column) => rows.reduce((sum, row) => sum + Number(row[column]), 0));
    expect(sums).toEqual([6, 5, 4, 3, 4]);
    await expectReadable(page, 'home with pictures', schemes);
    expect(complaints).toEqual([]);
    expect(calls.filter((path) => path.endsWith('/Activity'))).toHaveLength(1);
    const phone = await open(clients[0]!, 390);
    await phone.page.getByText('Nothing in stock expires soon.').waitFor();
    expect(await phone.page.getByRole('img').count()).toBe(0);
    expect(phone.calls.filter((path) => path.endsWith('/Activity'))).toEqual([]);
  });

  test.each([3, 400])('expiry by week, of few lots and of more than are read (%i)', async (count) => {
    const client = await service.client();
    const itemID = await service.item();
    const dayIn = (days: number) => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10);
    const expiries = Array.from({ length: count }, (_, place) => [-2, 10, 37, 70][place % 4]!);
    const operations = expiries.map((days) => ({
      ...{ op: 'receive', itemID, units: 1, wid: 1, reasonCode: 0 },
      expires: dayIn(days),
    }));
    expect((await client.post('/Inventory/Batch', { mode: 'each', operations })).status).toBe(200);
    const { page, calls, complaints } = await open(client, 1280);
    const region = page.getByRole('region', { name: 'Lots by week of expiry' });
    await expect.poll(() => region.locator('canvas').count()).toBe(1);
    // Those of the list of what expires soon are read in any case.
    const lists = calls.filter((path) => path.endsWith('/Inventory')).length;
    expect(lists > 10).toBe(count > 250);
    const totalOf = async (days: string) =>
      (await client.get(`/Inventory?inStock=true&expiresBefore=${days}&pageSize=1`)).body.totalCount;
    const [, ...rows] = await figuresOf(region);
    expect(rows.map(([week]) => week).slice(0, 2)).toEqual(['Expired', 'This week']);
    expect(rows).toHaveLength(9);
    const shown = rows.map(([, lots]) => Number(lots));
    const monday = Date.now() - ((new Date().getUTCDay() + 6) % 7) * dayMs;
    const end = new Date(monday + 56 * dayMs).toISOString().slice(0, 10);
    expect(shown.reduce((sum, each) => sum + each)).toBe(await totalOf(end));
    expect(shown[0]).toBe(await totalOf(new Date().toISOString()));
    expect(await region.getByRole('img').getAttribute('aria-label')).toContain(
      `Expired ${shown[0]}, This week`,
    );
    await expectReadable(page, 'home with expiry', schemes);
    expect(complaints).toEqual([]);
  });

  test('what cannot be read is asked for again by itself, and not with each change', async () => {
    const client = await service.client();
    const context = await browser.newContext({ viewport: { width: 1280, height: 844 } });
    let asked = 0;
    let isBroken = true;
    await context.route(/\/Activity\?/, (route) => {
      asked += 1;
      const json = { statusCode: 500, error: 'internal_error', message: 'It is broken.' };
      return isBroken ? route.fulfill({ status: 500, json }) : route.continue();
    });
    const { page } = await openConsole(context, service);
    await signIn(page, client);
    await page.getByText('It is broken.').waitFor();
    const done = page.getByRole('region', { name: 'Done today' });
    const changes = 8;
    for (let change = 1; change <= changes; change++) {
      const itemID = await service.item();
      await receiveLot(client, itemID, 1);
      await done.getByText(itemID).waitFor();
    }
    expect(asked).toBeLessThan(changes);
    // Nothing changes any more.
    isBroken = false;
    await page.getByRole('img', { name: `${client.clientId} ${changes}` }).waitFor();
  });

  test.each([390, 1280])('at %i px, an item shows its stock over 90 days, as it happens', async (width) => {
    const client = await service.client();
    const itemID = await service.item({ uOM: 'KG' });
    await receiveLot(client, itemID, 12.5);
    await issue(client, itemID, 2.000001);
    const { page, complaints } = await open(client, width);
    await scanItem(page, itemID);
    const region = page.getByRole('region', { name: 'Stock over 90 days' });
    await region.scrollIntoViewIfNeeded();
    await region.getByRole('img', { name: `Stock of ${itemID} over 90 days: 10.499999 KG now` }).waitFor();
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      await expect.poll(() => painted(page, 'stock')).toEqual(['--series-1']);
    }
    await issue(client, itemID, 0.5);
    await region.getByRole('img', { name: '9.999999 KG now; least 0 on' }).waitFor();
    const [heads, today, ...before] = await figuresOf(region);
    expect(heads).toEqual(['Day', 'Received', 'Issued', 'Moved in', 'Moved out', 'Counted', 'In stock']);
    expect(today!.slice(1)).toEqual(['12.5', '2.500001', '0', '0', '0', '9.999999']);
    expect(before).toHaveLength(89);
    expect(new Set(before.map((row) => row.slice(1).join()))).toEqual(new Set(['0,0,0,0,0,0']));
    await expectReadable(page, 'item with its days', schemes);
    expect(complaints).toEqual([]);
  });
});
