import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../harness/pages/browser.ts';
import { fillIn, openConsole, scanItem, signIn } from '../harness/pages/console.ts';
import { wedge } from '../harness/pages/hands.ts';
import { expectReadable } from '../harness/pages/readable.ts';
import { useBrowser } from '../harness/pages/use-browser.ts';
import { useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService();
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

describe.skipIf(!hasBrowser)('in a browser (skipped without Chromium)', () => {
  const browser = useBrowser();

  async function open(width: number) {
    const context = await browser.newContext({ viewport: { width, height: 844 } });
    const opened = await openConsole(context, service);
    const { page } = opened;
    const calls: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/api/v1/')) calls.push(pathname.replace('/api/v1', ''));
    });
    const section = (name: string) => page.getByRole('region', { name, exact: true });
    const entries = async (name: string) =>
      (await section(name).locator('.entries li').allInnerTexts()).map((text) =>
        text.replace(/\s+/g, ' ').replace(/\d\d:\d\d( [AP]M)?/, '00:00'),
      );
    return { ...opened, context, calls, section, entries };
  }

  test.each([390, 1280])(
    'home at %i px: what was done today, with Undo; what expires; the last spots',
    async (width) => {
      const [client, other] = [await service.client(), await service.client()];
      const [itemID, glue] = [await service.item(), await service.item({ shortID: `GLUE-${width}` })];
      for (const [days, spot] of [
        [12, 'E-2'],
        [-3, 'E-1'],
        [90, 'E-9'],
      ] as const)
        await receiveLot(other, glue, 3, { spot, expires: inDays(days) });
      await receiveLot(client, itemID, 10, { spot: 'A-1' });
      const { page, section, entries, complaints } = await open(width);
      await signIn(page, client);
      await section('Done today').getByText('Received 10').waitFor();
      await scanItem(page, itemID);
      await fillIn(page, 'Move', { Units: '4', 'From spot': 'A-1', 'To spot': 'B-2' });
      await page.getByText('Moved 4 of').waitFor();
      await fillIn(page, 'Count', { Counted: '7', Spot: 'A-1', Reason: '3' });
      await page.getByText('Counted 7 of').waitFor();
      await page.getByRole('link', { name: 'Home' }).press('Enter');
      const what = `of ${itemID}`;
      await expect
        .poll(() => entries('Done today'))
        .toEqual([
          `Counted ${itemID}: 1 more than recorded 00:00 · at A-1 Undo`,
          `Moved 4 ${what} 00:00 · from A-1 to B-2 Undo`,
          `Received 10 ${what} 00:00 · at A-1 Undo`,
        ]);
      const expiring = (await entries('Expires within 30 days')).filter((text) => text.startsWith(glue));
      expect(expiring).toEqual([
        `${glue} 3 units at E-1 · Main Expired`,
        `${glue} 3 units at E-2 · Main in 12 days`,
      ]);
      // The device's own memory, which the page reads by itself.
      await expect
        .poll(() => section('Last spots').getByRole('button').allInnerTexts())
        .toEqual(['A-1', 'B-2']);
      await expectReadable(page, 'home', ['light', 'dark']);
      await page.getByRole('button', { name: `Undo: Moved 4 ${what}` }).press('Enter');
      await page.getByText('Undid transaction').first().waitFor();
      await expect.poll(() => section('Done today').getByText('Undone').count()).toBe(1);
      expect((await entries('Done today'))[2]).toBe(`Moved 4 ${what} 00:00 · from A-1 to B-2 Undone`);
      const { value } = (await client.get(`/Inventory/1?itemID=${itemID}&inStock=true&sort=spot`)).body;
      expect(value.map(({ spot, units }: { spot: string; units: number }) => [spot, units])).toEqual([
        ['A-1', 10],
        ['A-1', 1],
      ]);
      await section('Last spots').getByRole('button', { name: 'A-1' }).press('Enter');
      await page.getByRole('table', { name: 'Lots' }).waitFor();
      expect(complaints).toEqual([]);
    },
  );

  test('what waits stands on home, which a client without lists has, too', async () => {
    const client = await service.client({ permissions: [95] });
    const { page, context, section } = await open(390);
    await signIn(page, client);
    await page.getByText('This client may not look things up').waitFor();
    expect(await section('Done today').count()).toBe(0);
    await context.setOffline(true);
    await wedge(page, 'ANY-ITEM');
    await fillIn(page, 'Receive', { Units: '2', Reason: '1' });
    await section('On this device').getByText('Not sent yet: 1').waitFor();
    await expectReadable(page, 'home', ['light', 'dark']);
  });

  test('3 calls: home, and none when a person comes back; 4: a scanned item, and 1 when it is scanned again', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await receiveLot(client, itemID, 5, { spot: 'A-1' });
    const { page, calls, section } = await open(390);
    await signIn(page, client);
    await section('Done today').getByText('Received 5').waitFor();
    await section('Expires within 30 days')
      .getByText(/Nothing|units/)
      .first()
      .waitFor();
    const isWork = (path: string) => path !== '/Changes';
    expect(calls.splice(0).filter(isWork).sort()).toEqual([
      '/Inventory',
      '/Inventory/StockLevels',
      '/Inventory/Transactions',
      '/Me',
      // The names, once in five minutes.
      '/Reasons',
      '/Token',
    ]);
    await scanItem(page, itemID);
    await page.locator('.figures').waitFor();
    const transactions = page.getByRole('table', { name: 'Last transactions' });
    const picture = page.getByRole('img', { name: `Stock of ${itemID}` });
    await page.getByText('Full history').scrollIntoViewIfNeeded();
    await transactions.waitFor();
    await section('Stock over 90 days').scrollIntoViewIfNeeded();
    await picture.waitFor();
    // Once they are in sight, also its last transactions and its days.
    expect(calls.splice(0).filter(isWork).sort()).toEqual([
      ...['/Inventory', '/Inventory/StockDays', '/Inventory/StockLevels', '/Inventory/Transactions'],
      ...['/Item', '/Scan'],
    ]);
    await page.getByRole('link', { name: 'Home' }).press('Enter');
    await section('Done today').getByText('Received 5').waitFor();
    await scanItem(page, itemID);
    await page.locator('.figures').waitFor();
    await page.getByText('Full history').scrollIntoViewIfNeeded();
    await transactions.waitFor();
    await section('Stock over 90 days').scrollIntoViewIfNeeded();
    await picture.waitFor();
    expect(calls.splice(0).filter(isWork)).toEqual(['/Scan']);
  });

  test('the figures of an item follow what others do, also of one that is not shown; a negative one is marked', async () => {
    const [client, other] = [await service.client(), await service.client()];
    const itemID = await service.item({ uOM: 'KG' });
    await receiveLot(other, itemID, 5.5, { spot: 'A-1' });
    await receiveLot(other, itemID, 2, { spot: 'C-1', wid: 2 });
    const { page, calls, section } = await open(1280);
    await signIn(page, client);
    const figures = async () =>
      (await page.locator('.figures > div').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    await scanItem(page, itemID);
    await expect.poll(figures).toEqual(['Main 5.5 KG 5.5 available', 'Overflow 2 KG 2 available']);
    await page.getByText('Full history').scrollIntoViewIfNeeded();
    await page.getByRole('table', { name: 'Last transactions' }).waitFor();
    await section('Stock over 90 days').scrollIntoViewIfNeeded();
    await page.getByRole('img', { name: `Stock of ${itemID} over 90 days: 7.5 KG now` }).waitFor();
    const before = calls.length;
    await receiveLot(other, itemID, 0.25, { spot: 'A-2' });
    await expect.poll(figures).toEqual(['Main 5.75 KG 5.75 available', 'Overflow 2 KG 2 available']);
    await page.getByRole('img', { name: `Stock of ${itemID} over 90 days: 7.75 KG now` }).waitFor();
    expect(calls.slice(before).filter((path) => path !== '/Changes')).toEqual(['/Inventory/StockDays']);
    await page.getByRole('link', { name: 'Home' }).press('Enter');
    await other.post('/Inventory/Issue', { itemID, units: 1, wid: 2, reasonCode: 2 });
    // Of another item, so that the page has heard of both.
    const later = await service.item();
    await receiveLot(client, later, 1);
    await page.getByText(`Received 1 of ${later}`).waitFor();
    await scanItem(page, itemID);
    await expect.poll(figures).toEqual(['Main 5.75 KG 5.75 available', 'Overflow 1 KG 1 available']);
    await service.sql`
      update stock_level set committed = 9.75
      where wid = 1 and part_no = (select part_no from item where short_id = ${itemID})`;
    await expect.poll(figures).toEqual(['Main 5.75 KG −4 available', 'Overflow 1 KG 1 available']);
    expect(await page.locator('.figures .mark').allInnerTexts()).toEqual(['−4 available']);
  });

  test('Undo that is pressed twice is one; after a refusal it can be pressed again', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await receiveLot(client, itemID, 10);
    const { page, context, section } = await open(390);
    const kinds = async () =>
      (await client.get(`/Inventory/Transactions?itemID=${itemID}`)).body.value.map(
        ({ kind }: { kind: string }) => kind,
      );
    const undo = (units: number) =>
      page.getByRole('button', { name: `Undo: Received ${units} of ${itemID}` });
    const badge = page.locator('.badge');
    await signIn(page, client);
    await undo(10).waitFor();
    await context.setOffline(true);
    await badge.getByText('Offline').waitFor();
    await undo(10).press('Enter');
    await badge.getByText('1 waiting').waitFor();
    await undo(10).press('Enter');
    expect(await undo(10).getAttribute('aria-disabled')).toBe('true');
    await context.setOffline(false);
    await section('Done today').getByText('Undone').waitFor();
    await badge.locator('a').waitFor({ state: 'detached' });
    expect(await kinds()).toEqual(['reverse', 'receive']);

    // In the view of the transaction: as a thumb on a slow phone does.
    await receiveLot(client, itemID, 5);
    await section('Done today')
      .getByRole('link', { name: `Received 5 of ${itemID}` })
      .press('Enter');
    await page.getByText('Transaction ').first().waitFor();
    const press = page.getByRole('button', { name: 'Undo', exact: true });
    const { transactionNo } = (
      await client.post('/Inventory/Issue', { itemID, units: 5, wid: 1, reasonCode: 2 })
    ).body;
    await press.press('Enter');
    await page.locator('.notices').getByRole('button', { name: 'Close' }).press('Enter');
    await client.post('/Inventory/Reverse', { transactionNo });
    await press.evaluate((button: { click(): void }) => [button.click(), button.click()]);
    await page.locator('.notices').getByText('Undid transaction').waitFor();
    await page.getByText('Undone by').waitFor();
    expect(await page.locator('.notice.bad').count()).toBe(0);
    expect(await kinds()).toEqual(['reverse', 'reverse', 'issue', 'receive', 'reverse', 'receive']);
  });
});
