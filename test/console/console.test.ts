import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hasBrowser, startBrowser } from '../harness/pages/browser.ts';
import { openConsole, overflowOf, signIn, wedge } from '../harness/pages/console.ts';
import { useService } from '../harness/service/service.ts';


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

  test('the four forms do what they say, and a refusal is an alert', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const { page } = await open();
    await signIn(page, client);
    const fill = async (action: string, fields: Record<string, string>) => {
      await wedge(page, itemID);
      await page.getByRole('button', { name: action }).press('Enter');
      for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value);
      await page.getByRole('button', { name: 'Confirm' }).press('Enter');
    };
    const { body: before } = await client.get('/Changes?after=now');
    await fill('Receive', { Units: '10', Spot: 'A-1', Reason: '1', Serial: 'S-9', Expires: '2031-06-30' });
    await page.getByText('Received 10 of').waitFor();
    await fill('Move', { Units: '4', 'From spot': 'A-1', 'To spot': 'B-2' });
    await page.getByText('Moved 4 of').waitFor();
    await fill('Issue', { Units: '1,5', Spot: 'B-2', Reason: '2' });
    await page.getByText('Issued 1.5 of').waitFor();
    await fill('Count', { Counted: '7', Spot: 'A-1', Reason: '3' });
    await page.getByText('Counted 7 of').waitFor();
    const { body } = await client.get(`/Changes?after=${before.nextCursor}`);
    const done = body.value.map(({ kind, lines }: { kind: string; lines: { spot: string; delta: number }[] }) => [
      kind,
      ...lines.map(({ spot, delta }) => `${delta} ${spot}`),
    ]);
    expect(done).toEqual([
      ['receive', '10 A-1'],
      ['move', '-4 A-1', '4 B-2'],
      ['issue', '-1.5 B-2'],
      ['count', '1 A-1'],
    ]);
    await fill('Issue', { Units: '100', Reason: '2' });
    await page.getByRole('alert').filter({ hasText: 'available' }).or(page.getByRole('alert')).first().waitFor();
    expect(await page.getByLabel('Units').inputValue()).toBe('100');
  });

  test('a receipt made offline outlives a reload and is sent once; a refused one waits for a person', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const { page, context } = await open();
    await signIn(page, client, { isKept: true });
    await page.evaluate('navigator.serviceWorker.ready');
    await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null'), { timeout: 60_000 }).toBe(true);
    await context.setOffline(true);
    await page.getByText('Offline').waitFor();
    const work = async (action: string, units: string) => {
      await wedge(page, itemID);
      await page.getByRole('button', { name: action }).press('Enter');
      await page.getByLabel('Units').waitFor();
      await wedge(page, units);
      await page.getByLabel('Reason').fill('1');
      await page.getByRole('button', { name: 'Confirm' }).press('Enter');
      await page.getByText('waiting to be sent').waitFor();
    };
    await work('Receive', '3');
    await page.getByText('1 waiting', { exact: false }).first().waitFor();
    await page.reload();
    await page.getByText('Offline · 1 waiting').waitFor();
    await work('Issue', '50');
    await page.getByText('Offline · 2 waiting').waitFor();
    await context.setOffline(false);
    await page.getByText('1 refused').waitFor();
    const { value } = (await client.get(`/Inventory/Transactions?itemID=${itemID}`)).body;
    expect(value.map(({ kind, lines }: { kind: string; lines: { delta: number }[] }) => [kind, lines[0]!.delta])).toEqual([
      ['receive', 3],
    ]);
    await page.getByText('1 refused').press('Enter');
    await page.getByRole('alert').getByText('Refused: issue 50').waitFor();
    await page.getByRole('button', { name: 'Discard' }).press('Enter');
    await page.getByText('Nothing waits').waitFor();
    expect(await page.getByText('1 refused').count()).toBe(0);
    await page.getByRole('button', { name: 'Sign out' }).press('Enter');
    await page.getByLabel('Client secret').waitFor();
    await page.reload();
    await page.getByLabel('Client secret').waitFor();
  });

  test('a client sees only what it may do, and names with markup or from right to left stay text', async () => {
    const client = await service.client({ permissions: [11, 95] });
    const description = 'שלום <img src=x onerror=alert(1)>';
    await service.item({ shortID: '<b>BOLD</b>', description });
    const { page, complaints } = await open();
    await signIn(page, client);
    await wedge(page, '<b>BOLD</b>');
    await page.getByText(description).waitFor();
    await page.getByRole('button', { name: 'Receive' }).waitFor();
    for (const name of ['Move', 'Issue', 'Count']) expect(await page.getByRole('button', { name }).count()).toBe(0);
    expect(await page.locator('main b, main img').count()).toBe(0);
    await page.getByLabel('Scan', { exact: true }).fill('no-such-code');
    await page.keyboard.press('Enter');
    await page.getByText('No match').waitFor();
    expect(complaints).toEqual([]);
  });
});
