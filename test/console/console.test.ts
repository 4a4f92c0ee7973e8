import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hasBrowser, startBrowser } from '../harness/pages/browser.ts';
import { openConsole, overflowOf, signIn, wedge } from '../harness/pages/console.ts';
import { useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService();

describe.skipIf(!hasBrowser)('the page in a browser (skipped without Chromium)', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  async function open(options: Parameters<Browser['newContext']>[0] = {}) {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, ...options });
    onTestFinished(() => context.close());
    return { context, ...(await openConsole(context, service)) };
  }

  test('a person signs in, scans an item, receives some of it, and takes that back', async () => {
    const client = await service.client();
    const itemID = await service.item({ description: 'Copper elbow 22 mm' });
    const { page, hosts, complaints } = await open();
    await signIn(page, client);
    await wedge(page, itemID);
    await page.getByRole('heading', { name: itemID }).waitFor();
    await page.getByRole('button', { name: 'Receive' }).press('Enter');
    await page.getByLabel('Units').waitFor();
    await wedge(page, '5.25');
    await wedge(page, '1');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    const stock = async () => (await client.get(`/Inventory/StockLevels/1?itemID=${itemID}`)).body.value[0]?.inStock;
    expect(await stock()).toBe(5.25);
    await expect.poll(() => page.locator('.figures strong').first().textContent(), { timeout: 30_000 }).toBe('5.25');
    await page.screenshot({ path: '/tmp/shots/received.png' });
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await page.getByText('Undid transaction').waitFor();
    expect(await stock()).toBe(0);
    expect(await overflowOf(page)).toBe(0);
    expect(complaints).toEqual([]);
    expect([...hosts]).toEqual([new URL(service.baseUrl).host]);
  });
});
