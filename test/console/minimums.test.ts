import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../harness/pages/browser.ts';
import { openConsole, scanItem, signIn } from '../harness/pages/console.ts';
import { expectReadable } from '../harness/pages/readable.ts';
import { useBrowser } from '../harness/pages/use-browser.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService();

describe.skipIf(!hasBrowser)('in a browser (skipped without Chromium)', () => {
  const browser = useBrowser();

  async function open(client: Awaited<ReturnType<typeof service.client>>, width: number) {
    const context = await browser.newContext({ viewport: { width, height: 844 } });
    const opened = await openConsole(context, service);
    const { page } = opened;
    await signIn(page, client);
    await page.getByRole('region', { name: 'Done today' }).waitFor();
    const low = page.getByRole('region', { name: 'Below minimum', exact: true });
    const entries = async () =>
      (await low.locator('.entries li').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    return { ...opened, low, entries };
  }

  async function setMinimum(client: ApiClient, itemID: string, minimum: number | null, wid = 1) {
    const { partNo } = (await client.get(`/Item?key=${itemID}&type=id`)).body;
    const answer = await client.put(`/Inventory/StockLevels/${wid}/${partNo}`, { minimum });
    expect(answer.status, answer.text).toBe(200);
  }

  const issue = (client: ApiClient, itemID: string, units: number) =>
    client.post('/Inventory/Issue', { itemID, units, wid: 1, reasonCode: 0 });

  test.each([390, 1280])(
    'at %i px, home, an item and the table of levels show what is low, as it happens',
    async (width) => {
      const client = await service.client();
      const itemID = await service.item({ description: 'Washer' });
      await receiveLot(client, itemID, 10.5, { spot: 'A-1' });
      await receiveLot(client, itemID, 3, { spot: 'B-1', wid: 2 });
      const { page, complaints, low, entries } = await open(client, width);
      expect(await low.count()).toBe(0);
      await setMinimum(client, itemID, 8);
      await setMinimum(client, itemID, 3, 2);
      await issue(client, itemID, 2.5);
      await issue(client, itemID, 0.000001);
      await expect.poll(entries).toEqual([`${itemID} Washer · Main 7.999999 of 8`]);
      await expectReadable(page, 'home with minimums', ['light', 'dark']);
      // Its figures follow, too, while it stays low.
      await issue(client, itemID, 2);
      await expect.poll(entries).toEqual([`${itemID} Washer · Main 5.999999 of 8`]);
      await low.getByRole('link', { name: itemID }).press('Enter');
      const figures = page.locator('.figures > div');
      await expect
        .poll(async () => (await figures.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')))
        .toEqual(['Main 5.999999 EA 5.999999 available, minimum 8', 'Overflow 3 EA 3 available, minimum 3']);
      expect(await figures.locator('.mark').allInnerTexts()).toEqual(['5.999999 available']);
      await expectReadable(page, 'item with minimums', ['light', 'dark']);
      await issue(client, itemID, 5);
      await page.getByText('0.999999 available').waitFor();
      await page.goto(`${new URL(service.baseUrl).origin}/console/#/levels?low=yes&wid=1`);
      const table = page.getByRole('table', { name: 'Levels' });
      await table.getByText(itemID).waitFor();
      await expectReadable(page, 'levels with minimums', ['light', 'dark']);
      await page.getByRole('link', { name: 'Home' }).press('Enter');
      await expect.poll(entries).toEqual([`${itemID} Washer · Main 0.999999 of 8`]);
      await receiveLot(client, itemID, 20);
      await expect.poll(() => low.count()).toBe(0);
      await setMinimum(client, itemID, null);
      await setMinimum(client, itemID, null, 2);
      await scanItem(page, itemID);
      await page.getByText('20.999999 available').waitFor();
      expect(await page.getByText('minimum').count()).toBe(0);
      expect(complaints).toEqual([]);
    },
  );
});
