import { enforceReasons, importReasons } from '@inventory/db/operator/manage-reasons';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hasBrowser } from '../harness/pages/browser.ts';
import {
  fillIn,
  openConsole,
  openForm,
  overflowOf,
  scanItem,
  signIn,
  typeInto,
} from '../harness/pages/console.ts';
import { typeByHand, wedge } from '../harness/pages/hands.ts';
import { useBrowser } from '../harness/pages/use-browser.ts';
import { useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService();
const longName = `Broken ${'by the rain '.repeat(7)}`.trim();

describe.skipIf(!hasBrowser)('in a browser (skipped without Chromium)', () => {
  const browser = useBrowser();
  beforeAll(async () => {
    const issues = ['Picked', longName, 'For a kit', '12', 'Twice', 'TWICE', 'Scrapped', 'Lent', 'Stolen'];
    const given = [
      ...issues.map((name, at) => ({ reasonCode: 21 + at, name, operations: ['issue' as const] })),
      { reasonCode: 9, name: 'Goods in', operations: ['receive' as const] },
      { reasonCode: 91, name: 'Size 7 wrong', operations: ['receive' as const] },
      { reasonCode: 4, name: 'Found <i>so</i>', operations: ['receive' as const, 'count' as const] },
    ];
    await importReasons(
      service.sql,
      given.map((each, line) => ({ ...each, line })),
      { take: 'all', byDefault: [] },
    );
  });

  /** A page at an item that has units, in a window as wide as a phone. */
  async function atItem() {
    const client = await service.client();
    const itemID = await service.item();
    await receiveLot(client, itemID, 50, { wid: 1, spot: 'A-1' });
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    const { page, complaints } = await openConsole(context, service);
    await signIn(page, client, { isKept: true });
    await scanItem(page, itemID);
    const done = async () =>
      (await client.get(`/Inventory/Transactions?itemID=${itemID}`)).body.value.map(
        ({ kind, reasonCode }: { kind: string; reasonCode: number }) => [kind, reasonCode],
      );
    return { client, itemID, context, page, complaints, done };
  }
  const offered = (page: Page) => page.locator('form.work .choose button').allTextContents();
  const reasonIn = (page: Page) => page.getByLabel('Reason', { exact: true }).inputValue();
  const close = (page: Page) => page.getByRole('button', { name: 'Cancel' }).press('Enter');

  test('a form offers the reasons of its operation by name, a few at a time; typing narrows them', async () => {
    const { page, itemID, done, complaints } = await atItem();
    await openForm(page, 'Receive');
    expect(await offered(page)).toEqual(['Found <i>so</i>', 'Goods in', 'Size 7 wrong']);
    await close(page);
    await openForm(page, 'Issue');
    // A name of digits, and one that two reasons have, come with their codes.
    expect(await offered(page)).toEqual([
      ...['Picked', longName, 'For a kit', '12 (24)', 'Twice (25)', 'TWICE (26)'],
    ]);
    await page.getByText('3 more: type a part of the name').waitFor();
    expect(await overflowOf(page)).toBe(0);
    await typeInto(page, 'Units', '5');
    await typeInto(page, 'Reason', 'sto');
    expect(await offered(page)).toEqual(['Stolen']);
    // Enter takes the only one that fits.
    await page.keyboard.press('Enter');
    expect(await reasonIn(page)).toBe('Stolen');
    await page.getByRole('button', { name: 'Confirm' }).press('Enter');
    await page.getByText(`Issued 5 of ${itemID} from A-1 – Stolen.`).waitFor();
    // The last one of this operation is there already, and stands first.
    await openForm(page, 'Issue');
    expect(await reasonIn(page)).toBe('Stolen');
    expect((await offered(page))[0]).toBe('Stolen');
    await close(page);
    await openForm(page, 'Receive');
    expect(await reasonIn(page)).toBe('');
    expect(await done()).toEqual([
      ['issue', 29],
      ['receive', 0],
    ]);
    expect(complaints).toEqual([]);
  });

  test('a form begins with the reason that was given last, also in another tab or before a reload', async () => {
    const { page, itemID, context } = await atItem();
    const other = await openConsole(context, service);
    await other.page.getByLabel('Scan', { exact: true }).waitFor();
    await fillIn(page, 'Issue', { Units: '2', Reason: 'Lent' });
    await page.getByText('Issued 2 of').waitFor();
    await scanItem(other.page, itemID);
    await openForm(other.page, 'Issue');
    expect(await reasonIn(other.page)).toBe('Lent');
    await page.reload();
    await openForm(page, 'Issue');
    await expect.poll(() => reasonIn(page)).toBe('Lent');
  });

  test('pressing a reason moves none of them, and leads on to Confirm; what is pressed twice is chosen once', async () => {
    const { page, done } = await atItem();
    await openForm(page, 'Issue');
    await typeInto(page, 'Units', '1');
    const before = await offered(page);
    const third = page.locator('form.work .choose button').nth(2);
    for (let press = 0; press < 2; press++) {
      await third.press('Enter');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Confirm');
      expect(await offered(page)).toEqual(before);
      expect(await third.getAttribute('aria-pressed')).toBe('true');
    }
    await page.keyboard.press('Enter');
    await page.getByText('Issued 1 of').waitFor();
    expect((await done())[0]).toEqual(['issue', 23]);
  });

  test('beside a code without a name, as before there were names, all reasons are offered', async () => {
    const { page } = await atItem();
    await fillIn(page, 'Issue', { Units: '1', Reason: '888' });
    await page.getByText('Issued 1 of').waitFor();
    await openForm(page, 'Issue');
    expect(await reasonIn(page)).toBe('888');
    expect(await offered(page)).toHaveLength(6);
    // A code finds its reason, too.
    await typeInto(page, 'Reason', '29');
    expect(await offered(page)).toEqual(['Stolen']);
  });

  test.each([
    ['a code, although it stands in one name alone', 'Receive', '7', '7', 'Size 7 wrong'],
    ['a code, although another one begins with it', 'Count', '40', '40', 'Found <i>so</i>'],
    ['a text that fits no reason, although there is only one', 'Count', 'xyz', 'xyz', 'Found <i>so</i>'],
    ['nothing, although there is only one', 'Count', '', '', 'Found <i>so</i>'],
    ['a part of the only name', 'Count', 'SO<', 'Found <i>so</i>', 'Found <i>so</i>'],
  ])('Enter on %s keeps what was meant', async (_, action, typed, meant, offers) => {
    const { page } = await atItem();
    await openForm(page, action);
    await typeInto(page, 'Reason', typed === '' ? 'x' : typed);
    if (typed === '') await page.keyboard.press('Backspace');
    expect(await offered(page)).toEqual([offers]);
    await page.keyboard.press('Enter');
    expect(await reasonIn(page)).toBe(meant);
  });

  test.each([
    ['a name in any case', ' picKED', 21],
    ['a code that is listed', '23', 23],
    ['a code that is not listed', '700', 700],
    ['digits are a code, also where a reason has them as its name', '12', 12],
    ['one of two with the same name', 'twice (26)', 26],
  ])('%s is typed', async (_, text, code) => {
    const { page, done } = await atItem();
    await fillIn(page, 'Issue', { Units: '2', Reason: text });
    await page.getByText('Issued 2 of').waitFor();
    expect((await done())[0]).toEqual(['issue', code]);
  });

  test('what is neither a name nor a code is asked about, and nothing is booked', async () => {
    const { page, done } = await atItem();
    for (const text of ['twice', 'Goods in', 'Pick', '-1']) {
      await fillIn(page, 'Issue', { Units: '2', Reason: text });
      const alert = page.getByRole('alert');
      await alert.filter({ hasText: 'Choose a reason, or enter its code.' }).waitFor();
      await close(page);
    }
    expect(await done()).toEqual([['receive', 0]]);
  });

  test('the names stand in the transaction, the lot and the table, and stay without a network', async () => {
    const { page, context, itemID } = await atItem();
    await fillIn(page, 'Receive', { Units: '3', Spot: 'B-1', Reason: 'Found <i>so</i>' });
    await page.getByText(`Received 3 of ${itemID} at B-1 – Found <i>so</i>.`).waitFor();
    const fact = (word: string) =>
      page.locator('dl.facts div', { has: page.getByText(word, { exact: true }) }).locator('dd');
    await page.setViewportSize({ width: 1400, height: 900 });
    await page.goto(`${page.url().split('#')[0]}#/transactions?item=${itemID}`);
    const cell = page.getByRole('cell', { name: 'Found <i>so</i>' });
    await cell.waitFor();
    await page.getByRole('row').filter({ has: cell }).getByRole('link').first().press('Enter');
    await expect.poll(() => fact('Reason').textContent()).toBe('Found <i>so</i> (4)');
    await page.getByRole('table', { name: 'Lines' }).getByRole('link').press('Enter');
    await expect.poll(() => fact('Reason of the receipt').textContent()).toBe('Found <i>so</i> (4)');
    await page
      .getByRole('table', { name: 'History' })
      .getByRole('cell', { name: 'Found <i>so</i>' })
      .waitFor();
    await context.setOffline(true);
    await page.reload();
    await page.getByText('Offline').first().waitFor();
    await page.getByLabel('Scan', { exact: true }).waitFor();
    await wedge(page, itemID);
    await page.getByText('could not be looked up').waitFor();
    await openForm(page, 'Receive');
    expect(await reasonIn(page)).toBe('Found <i>so</i>');
    expect(await offered(page)).toEqual(['Found <i>so</i>', 'Goods in', 'Size 7 wrong']);
  });

  test('where the list is enforced, the preview needs no reason, and a refusal says why', async () => {
    const { page, done } = await atItem();
    await enforceReasons(service.sql, true);
    onTestFinished(async () => {
      await enforceReasons(service.sql, false);
    });
    await openForm(page, 'Issue');
    await typeByHand(page, '4');
    await page.getByText('take 4, 46 left').waitFor();
    await typeInto(page, 'Reason', '700');
    await page.getByRole('button', { name: 'Confirm' }).press('Enter');
    await page.getByRole('alert').filter({ hasText: 'Reason 700 is not listed for issue.' }).waitFor();
    expect(await done()).toEqual([['receive', 0]]);
  });
});
