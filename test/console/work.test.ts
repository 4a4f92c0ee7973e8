import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../harness/pages/browser.ts';
import { fillIn, openConsole, openForm, scanItem, signIn, typeInto } from '../harness/pages/console.ts';
import { typeByHand } from '../harness/pages/hands.ts';
import { holdAnswers } from '../harness/pages/hold-answers.ts';
import { useBrowser } from '../harness/pages/use-browser.ts';
import { useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService();

describe.skipIf(!hasBrowser)('in a browser (skipped without Chromium)', () => {
  const browser = useBrowser();

  async function open() {
    const client = await service.client();
    const itemID = await service.item();
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    const { page } = await openConsole(context, service);
    await signIn(page, client);
    const look = async () => {
      await scanItem(page, itemID);
      await page.getByText('Last transactions').waitFor();
    };
    const stock = async () =>
      (await client.get(`/Inventory/StockLevels/1?itemID=${itemID}`)).body.value[0]?.inStock;
    const issueElsewhere = (units: number) =>
      client.post('/Inventory/Issue', { itemID, units, wid: 1, reasonCode: 2 });
    const confirm = () => page.getByRole('button', { name: 'Confirm' }).press('Enter');
    return { client, itemID, context, page, look, stock, issueElsewhere, confirm };
  }

  test('a count overwrites nothing that happened since: the difference is told and asked about', async () => {
    const { client, itemID, page, look, stock, issueElsewhere, confirm } = await open();
    await receiveLot(client, itemID, 576, { spot: 'A-01' });
    await look();
    await openForm(page, 'Count');
    await typeInto(page, 'Counted', '576');
    await typeInto(page, 'Spot', 'A-01');
    await typeInto(page, 'Reason', '3');
    await page.getByText('Recorded: 576. Difference: +0.').waitFor();
    await issueElsewhere(5);
    await confirm();
    await page.getByRole('alert').getByText('576 was recorded when the count began, 571 is now').waitFor();
    expect(await stock()).toBe(571);
    await page.getByRole('button', { name: 'Keep my count' }).press('Enter');
    await page.getByText('Recorded: 571. Difference: +5.').waitFor();
    await confirm();
    await page.getByText(`Counted 576 of ${itemID} at A-01: 5 more than recorded.`).waitFor();
    expect(await stock()).toBe(576);
  });

  test('a count that is opened while the page is told what was done before is compared with what is there', async () => {
    const { client, itemID, page, look, confirm } = await open();
    const { letGo, begun } = await holdAnswers(page, /\/Changes\?/, (route) => route.continue());
    // Ends the call that is under way.
    await receiveLot(client, itemID, 10, { spot: 'A-01' });
    await expect.poll(begun).toBeGreaterThan(0);
    await look();
    await fillIn(page, 'Move', { Units: '4', 'From spot': 'A-01', 'To spot': 'B-02' });
    await page.getByText('Moved 4 of').waitFor();
    await openForm(page, 'Count');
    const told = page.waitForResponse(/\/Changes\?/);
    letGo();
    await (await told).finished();
    await typeInto(page, 'Counted', '7');
    await typeInto(page, 'Spot', 'A-01');
    await typeInto(page, 'Reason', '3');
    await page.getByText('Recorded: 6. Difference: +1.').waitFor();
    await confirm();
    await page.getByText(`Counted 7 of ${itemID}`).waitFor();
  });

  test('a count made offline is compared with what the page showed, and a person decides', async () => {
    const { client, itemID, context, page, look, stock, issueElsewhere } = await open();
    await receiveLot(client, itemID, 576, { spot: 'A-01' });
    await look();
    await context.setOffline(true);
    await page.getByText('Offline').waitFor();
    await fillIn(page, 'Count', { Counted: '576', Spot: 'A-01', Reason: '3' });
    await page.getByText('1 waiting').first().waitFor();
    await issueElsewhere(5);
    await context.setOffline(false);
    await page.getByText('1 refused').press('Enter');
    await page.getByText('576 was recorded when the count began, 571 is now').waitFor();
    expect(await stock()).toBe(571);
    await page.getByRole('button', { name: 'Keep this count' }).press('Enter');
    await page.locator('.badge a').waitFor({ state: 'detached' });
    await expect.poll(stock).toBe(576);
  });

  test('a picker is told where to go, in the order in which lots are taken; expired ones are marked', async () => {
    const { client, itemID, page, look, confirm } = await open();
    const received = { one: '2031-03-01', two: '2031-01-15' };
    await receiveLot(client, itemID, 300, { spot: 'C-03' });
    await receiveLot(client, itemID, 200, { spot: 'B-02', expires: received.one });
    await receiveLot(client, itemID, 76, { spot: 'A-01', expires: received.two });
    await receiveLot(client, itemID, 9, { spot: 'X-09', expires: '2020-01-01' });
    await look();
    const rows = page.getByRole('table', { name: 'Lots in stock' }).locator('tbody tr');
    const texts = (await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    expect(texts.map((text) => text.match(/[A-Z]-\d\d.*/)?.[0])).toEqual([
      'A-01 Main Expires Jan 15, 2031',
      'B-02 Main Expires Mar 1, 2031',
      'C-03 Main',
      'X-09 Main Expires Jan 1, 2020 Expired',
    ]);
    await openForm(page, 'Issue');
    await typeByHand(page, '250', 'Enter');
    const steps = page.locator('output li');
    await steps.nth(1).waitFor();
    expect((await steps.allInnerTexts()).map((text) => text.replace(/ lot \d+$/, ''))).toEqual([
      'A-01: take 76, 0 left',
      'B-02: take 174, 26 left',
    ]);
    await typeInto(page, 'Reason', '2');
    await confirm();
    await page.getByText(`Issued 250 of ${itemID} from A-01 (76), B-02 (174).`).waitFor();
    await openForm(page, 'Receive');
    await typeInto(page, 'Expires', '2020-01-01');
    await page.getByText('It expired on Jan 1, 2020').waitFor();
  });

  test('an amount with three digits behind its only separator is asked about; no other is', async () => {
    const { page, look } = await open();
    await look();
    await openForm(page, 'Receive');
    await typeInto(page, 'Reason', '1');
    const asked: [string, string[]][] = [
      ['1,000', ['1000', '1']],
      ['1.234', ['1234', '1 and 234/1000']],
      ['12,500', ['12500', '12 and 500/1000']],
      ['999.125', ['999125', '999 and 125/1000']],
    ];
    for (const [written, choices] of asked) {
      await typeInto(page, 'Units', written);
      await page.keyboard.press('Tab');
      await page.getByRole('button', { name: 'Confirm' }).press('Enter');
      await page.getByText(`${written} may mean two amounts`).waitFor();
      expect(await page.locator('.choose button').allInnerTexts()).toEqual(choices);
    }
    await page.locator('.choose button').first().press('Enter');
    expect(await page.getByLabel('Units').inputValue()).toBe('999125');
    for (const [written, units] of [
      ['1,5', '1.5'],
      ['0.125', '0.125'],
      ['1234.567', '1234.567'],
      ['2,0000', '2'],
    ] as const) {
      if ((await page.locator('form.work').count()) === 0) await openForm(page, 'Receive');
      await typeInto(page, 'Units', written);
      await page.getByRole('button', { name: 'Confirm' }).press('Enter');
      await page.getByText(`Received ${units} of`).waitFor();
    }
  });

  test('a date that is not complete, or that no calendar has, is told, and nothing is booked', async () => {
    const { client, itemID, page, look, confirm } = await open();
    const lots = async () => (await client.get(`/Inventory/1?itemID=${itemID}`)).body.value;
    await look();
    await openForm(page, 'Receive');
    await typeByHand(page, '5', 'Enter');
    await typeInto(page, 'Reason', '1');
    const expires = page.getByLabel('Expires', { exact: true });
    for (const typed of ['0215', '02312031']) {
      await expires.focus();
      await typeByHand(page, typed);
      await confirm();
      await page
        .getByRole('alert')
        .getByText('This date is not complete, or there is no such day.')
        .waitFor();
      expect(await page.evaluate('document.activeElement.name')).toBe('expires');
      expect(await lots()).toEqual([]);
    }
    await typeInto(page, 'Expires', '2031-02-28');
    await confirm();
    await page.getByText('Received 5 of').waitFor();
    const [{ recNo }] = await lots();
    expect((await client.get(`/Inventory/Lots/${recNo}`)).body.expires).toMatch(/^2031-02-28/);
  });
});
