import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../harness/pages/browser.ts';
import { openConsole, openForm, signIn } from '../harness/pages/console.ts';
import { typeByHand, wedge } from '../harness/pages/hands.ts';
import { expectReadable } from '../harness/pages/readable.ts';
import { useBrowser } from '../harness/pages/use-browser.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService();

describe.skipIf(!hasBrowser)('in a browser (skipped without Chromium)', () => {
  const browser = useBrowser();

  /** Opens the view of a new lot of 5 units, by its serial. */
  async function open(permissions?: number[]) {
    const keeper = await service.client();
    const client = permissions === undefined ? keeper : await service.client({ permissions });
    const itemID = await service.item();
    const serial = uniqueName('SER');
    const recNo = await receiveLot(keeper, itemID, 5, { serial, spot: 'A-01' });
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    const { page, complaints } = await openConsole(context, service);
    await signIn(page, client);
    await wedge(page, serial);
    await page.getByText(`Lot ${recNo} of`).waitFor();
    await page.getByText('History').waitFor();
    const lot = async () => (await keeper.get(`/Inventory/Lots/${recNo}`)).body;
    return { client, context, page, complaints, itemID, recNo, lot };
  }

  const says = (page: Page, text: string) => page.locator('.notices').getByText(text).waitFor();
  const isShown = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).isVisible();

  test('a lot is put on hold with a reason, undone from the notice, and released', async () => {
    const { page, complaints, itemID, recNo, lot } = await open();
    expect(await isShown(page, 'Release')).toBe(false);
    await openForm(page, 'Hold');
    await expectReadable(page, 'hold', ['light', 'dark']);
    // The reason has the focus; without one, nothing is sent.
    await page.getByRole('button', { name: 'Confirm' }).press('Enter');
    await page.getByRole('alert').getByText('Say why it is on hold.').waitFor();
    await typeByHand(page, 'label is wet', 'Enter');
    await page.getByRole('button', { name: 'Confirm' }).press('Enter');
    await says(page, `Put on hold: lot ${recNo} of ${itemID} – label is wet.`);
    expect(await lot()).toMatchObject({ hold: true, holdReason: 'label is wet' });
    await page.getByText('On hold because').waitFor();
    await page.getByRole('button', { name: 'Release', exact: true }).waitFor();
    expect(await isShown(page, 'Hold')).toBe(false);
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await says(page, `Released: lot ${recNo} of ${itemID}.`);
    expect(await lot()).toMatchObject({ hold: false });
    await openForm(page, 'Hold');
    await typeByHand(page, 'cracked', 'Enter');
    await page.getByRole('button', { name: 'Confirm' }).press('Enter');
    await says(page, 'cracked');
    await openForm(page, 'Release');
    // Nothing is asked, so Enter confirms.
    await typeByHand(page, '', 'Enter');
    await says(page, `Released: lot ${recNo} of ${itemID}.`);
    expect(await lot()).toMatchObject({ hold: false });
    // It was on hold for a reason, and is so again.
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await says(page, 'cracked');
    expect(await lot()).toMatchObject({ hold: true, holdReason: 'cracked' });
    const history = page.getByRole('table', { name: 'History' });
    await expect.poll(() => history.getByText(/^put on hold/).count()).toBe(3);
    expect(await history.getByText(/^released/).count()).toBe(2);
    // A phone has no room for reasons.
    expect(await history.locator('td.roomy', { hasText: 'cracked' }).count()).toBe(2);
    // An item has many lots, so it has neither.
    await wedge(page, itemID);
    await page.getByRole('button', { name: 'Receive', exact: true }).waitFor();
    expect([await isShown(page, 'Hold'), await isShown(page, 'Release')]).toEqual([false, false]);
    await page.goto(`${new URL(service.baseUrl).origin}/console/#/transactions?kind=hold`);
    await page
      .getByText(/^Number \d+$/)
      .nth(4)
      .waitFor();
    expect(await page.getByText(`lot ${recNo}`, { exact: true }).count()).toBe(5);
    expect(complaints).toEqual([]);
  });

  test('offline it waits, and is done when the service answers', async () => {
    const { context, page, lot } = await open();
    await context.setOffline(true);
    await page.getByText('Offline').waitFor();
    await openForm(page, 'Hold');
    await typeByHand(page, 'found open', 'Enter');
    await page.getByRole('button', { name: 'Confirm' }).press('Enter');
    await says(page, 'waiting to be sent');
    expect(await lot()).toMatchObject({ hold: false });
    await context.setOffline(false);
    await expect.poll(async () => (await lot()).holdReason).toBe('found open');
  });

  test('without both permissions, neither button is there', async () => {
    const { page } = await open([11, 88]);
    await page.getByRole('button', { name: 'Issue', exact: true }).waitFor();
    expect([await isShown(page, 'Hold'), await isShown(page, 'Release')]).toEqual([false, false]);
  });
});
