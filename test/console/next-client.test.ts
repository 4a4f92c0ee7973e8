import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../harness/pages/browser.ts';
import { fillIn, openConsole, openForm, scanItem, signIn, typeInto } from '../harness/pages/console.ts';
import { wedge } from '../harness/pages/hands.ts';
import { holdAnswers } from '../harness/pages/hold-answers.ts';
import { useBrowser } from '../harness/pages/use-browser.ts';
import { useService } from '../harness/service/service.ts';

// A device goes from hand to hand: what one client has begun is none of the next client's.

const service = useService();

describe.skipIf(!hasBrowser)('in a browser (skipped without Chromium)', () => {
  const browser = useBrowser();

  async function open() {
    const [client, next] = [
      await service.client({ rateLimit: 100_000 }),
      await service.client({ rateLimit: 100_000 }),
    ];
    const [itemID, otherID] = [await service.item(), await service.item()];
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    const { page, complaints } = await openConsole(context, service);
    await signIn(page, client);
    await scanItem(page, itemID);
    const handOver = async () => {
      await page.getByRole('button', { name: 'Menu' }).press('Enter');
      await page.getByRole('button', { name: 'Sign out' }).press('Enter');
      await expect.poll(() => page.getByLabel('Client ID').inputValue()).toBe(client.clientId);
      await page.getByLabel('Client ID').press('Control+A');
      await page.getByLabel('Client ID').press('Backspace');
      await signIn(page, next);
    };
    return { page, complaints, itemID, otherID, handOver };
  }

  /** Keeps the waits of 6 s, and those of minutes, until the function that it returns ends them. */
  async function holdWaits(page: Page) {
    await page.evaluate(`((real) => {
      window.waits = [];
      window.setTimeout = (work, ms, ...given) => {
        if (ms !== 6000 && !(ms > 300_000)) return real(work, ms, ...given);
        window.waits.push(() => work(...given));
      };
    })(setTimeout)`);
    return () => page.evaluate('window.waits.splice(0).forEach((end) => end())');
  }

  test('a form begins with a warehouse of the client, not with the last one of the client before', async () => {
    const { page, handOver } = await open();
    await openForm(page, 'Receive');
    await page.getByLabel('Warehouse').press('ArrowDown');
    expect(await page.getByLabel('Warehouse').inputValue()).toBe('2');
    await typeInto(page, 'Units', '2');
    await typeInto(page, 'Reason', '1');
    await page.getByRole('button', { name: 'Confirm' }).press('Enter');
    await page.getByText('Received 2 of').waitFor();
    await handOver();
    await openForm(page, 'Receive');
    expect(await page.getByLabel('Warehouse').inputValue()).toBe('1');
  });

  test('a code that waits for the limit is not looked up any more, and the next client has its own limit', async () => {
    const { page, complaints, itemID, otherID, handOver } = await open();
    const asked: string[] = [];
    await page.route('**/Scan', (route) => {
      asked.push(route.request().postDataJSON().scans[0].data);
      const headers = { 'Retry-After': '600' };
      return asked.length === 1
        ? route.fulfill({ status: 429, headers, json: { message: 'too many' } })
        : route.continue();
    });
    const endWaits = await holdWaits(page);
    const isLimited = page.getByText('goes on by itself in');
    await wedge(page, otherID);
    await isLimited.waitFor();
    await handOver();
    expect(await isLimited.count()).toBe(0);
    // Held up by nothing that was asked before.
    await wedge(page, 'NOTHING');
    await page.getByText('No match for “NOTHING”').waitFor();
    await endWaits();
    await wedge(page, itemID);
    await page.getByRole('heading', { name: itemID }).waitFor();
    expect(asked).toEqual([otherID, 'NOTHING', itemID]);
    expect(complaints).toEqual([]);
  });

  test('a code whose answer comes late leads the next client nowhere', async () => {
    const { page, itemID, otherID, handOver } = await open();
    const { letGo, begun } = await holdAnswers(page, '**/Scan');
    // The page gives up an answer after 5 s, and a hand-over may take longer here.
    await page.evaluate('AbortSignal.timeout = () => new AbortController().signal');
    await wedge(page, otherID);
    await expect.poll(begun).toBe(1);
    await handOver();
    const answered = page.waitForResponse('**/Scan');
    letGo();
    await (await answered).finished();
    await page.getByText('Last transactions').waitFor();
    await page.getByRole('heading', { name: itemID }).waitFor();
    expect(page.url()).toContain(itemID);
  });

  test.each(['Receive', 'Undo'])('%s: a notice that comes late is not for the next client', async (work) => {
    const { page, complaints, handOver } = await open();
    await fillIn(page, 'Receive', { Units: '2', Reason: '1' });
    await page.getByText('Received 2 of').waitFor();
    const endWaits = await holdWaits(page);
    let begun = 0;
    // No answer comes.
    await page.route('**/Inventory/Batch', () => {
      begun += 1;
    });
    if (work === 'Undo') await page.getByRole('button', { name: 'Undo' }).press('Enter');
    else await fillIn(page, 'Receive', { Units: '3', Reason: '1' });
    await expect.poll(() => begun).toBe(1);
    if (work === 'Receive') await page.getByRole('button', { name: 'Cancel' }).press('Enter');
    await handOver();
    await endWaits();
    await page.getByRole('link', { name: 'Home' }).press('Enter');
    await page.getByText('Nothing yet.').waitFor();
    expect(await page.locator('.notices').allInnerTexts()).toEqual(['']);
    expect(complaints).toEqual([]);
  });
});
