import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../harness/pages/browser.ts';
import { fillIn, openConsole, openForm, scanItem, signIn, typeInto } from '../harness/pages/console.ts';
import { pressAtOnce, typeByHand, wedge } from '../harness/pages/hands.ts';
import { holdAnswers } from '../harness/pages/hold-answers.ts';
import { useBrowser } from '../harness/pages/use-browser.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

// What a person does while the page waits for an answer, as on slow radio.

const service = useService();

describe.skipIf(!hasBrowser)('in a browser (skipped without Chromium)', () => {
  const browser = useBrowser();

  async function open(options: { isKept?: boolean } = {}) {
    const client = await service.client({ rateLimit: 100_000 });
    const itemID = await service.item();
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    const { page } = await openConsole(context, service);
    await signIn(page, client, options);
    const stock = async () =>
      (await client.get(`/Inventory/StockLevels/1?itemID=${itemID}`)).body.value[0].inStock as number;
    return { client, itemID, context, page, stock };
  }

  test('a form that is left before its answer: a refusal waits for a person, and no other form is closed', async () => {
    const { client, itemID, page, stock } = await open();
    await receiveLot(client, itemID, 5);
    await scanItem(page, itemID);
    const sent = await holdAnswers(page, '**/Inventory/Batch');
    await fillIn(page, 'Issue', { Units: '50', Reason: '2' });
    await expect.poll(sent.begun).toBe(1);
    await page.getByRole('button', { name: 'Cancel' }).press('Enter');
    await openForm(page, 'Issue');
    await typeInto(page, 'Units', '3');
    sent.letGo();
    await page.getByText('1 refused').waitFor();
    expect(await page.getByLabel('Units', { exact: true }).inputValue()).toBe('3');
    await page.getByRole('button', { name: 'Cancel' }).press('Enter');
    await page.unroute('**/Inventory/Batch');

    const applied = await holdAnswers(page, '**/Inventory/Batch');
    await fillIn(page, 'Receive', { Units: '100', Reason: '1' });
    await expect.poll(applied.begun).toBe(1);
    await page.getByRole('button', { name: 'Cancel' }).press('Enter');
    await openForm(page, 'Issue');
    await typeInto(page, 'Units', '7');
    applied.letGo();
    await page.getByText(`Received 100 of ${itemID}`).waitFor();
    expect(await page.getByLabel('Units', { exact: true }).inputValue()).toBe('7');
    await page.getByRole('button', { name: 'Cancel' }).press('Enter');
    await page.unroute('**/Inventory/Batch');

    // Pressed twice, as a thumb on a slow phone does: sent again once.
    await page.getByText('1 refused').press('Enter');
    await page.getByText('Refused: issue 50').waitFor();
    await page
      .getByRole('button', { name: 'Send again' })
      .evaluate((button: { click(): void }) => [button.click(), button.click()]);
    await page.locator('.badge a').waitFor({ state: 'detached' });
    expect(await stock()).toBe(55);
  });

  test.each([
    { isLeft: false, told: 'the form tells it' },
    { isLeft: true, told: 'it waits for a person, because the form was left' },
  ])('a refusal that another tab hears first: $told at once', async ({ isLeft }) => {
    const { itemID, context, page } = await open({ isKept: true });
    const { page: other } = await openConsole(context, service);
    await other.getByLabel('Scan', { exact: true }).waitFor();
    await scanItem(page, itemID);
    const json = { statusCode: 503, error: 'internal_error', message: 'Busy.' };
    const headers = { 'Retry-After': '600' };
    await page.route('**/Inventory/Batch', (route) => route.fulfill({ status: 503, headers, json }));
    // The form gives up an answer after 6 s, and the other tab may be slower here.
    await page.evaluate(`((real) => {
      window.setTimeout = (work, ms, ...given) => real(work, ms === 6000 ? 600_000 : ms, ...given);
    })(setTimeout)`);
    await fillIn(page, 'Issue', { Units: '50', Reason: '2' });
    await other.getByText('1 waiting').first().waitFor();
    const cancel = page.getByRole('button', { name: 'Cancel' });
    if (isLeft) await cancel.press('Enter');
    await other.evaluate("window.dispatchEvent(new Event('online'))");
    const refusal = page.locator('form.work').getByRole('alert');
    await (isLeft ? page.getByText('1 refused') : refusal).waitFor();
    if (isLeft) return;
    // It was told, and waits for nobody.
    await cancel.press('Enter');
    for (const tab of [page, other]) await tab.locator('.badge a').waitFor({ state: 'detached' });
  });

  test('confirmed while a code is looked up, the form waits for it, and stays if it is not of it', async () => {
    const { client, itemID, page } = await open();
    const spot = uniqueName('SPOT');
    await receiveLot(client, itemID, 5, { spot });
    await scanItem(page, itemID);
    await openForm(page, 'Receive');
    await typeByHand(page, '2', 'Enter');
    await typeInto(page, 'Reason', '1');
    const known = await holdAnswers(page, '**/Scan');
    await wedge(page, spot);
    await expect.poll(known.begun).toBe(1);
    await page.getByRole('button', { name: 'Confirm' }).press('Enter');
    known.letGo();
    await page.getByText(`Received 2 of ${itemID} at ${spot}`).waitFor();
    await page.unroute('**/Scan');

    await openForm(page, 'Issue');
    await typeByHand(page, '1', 'Enter');
    await typeInto(page, 'Reason', '2');
    const unknown = await holdAnswers(page, '**/Scan');
    await wedge(page, 'NOTHING-AT-ALL');
    await expect.poll(unknown.begun).toBe(1);
    await page.getByRole('button', { name: 'Confirm' }).press('Enter');
    unknown.letGo();
    await page.locator('form.work').getByText('No match for').waitFor();
    await page.getByRole('button', { name: 'Confirm' }).press('Enter');
    await page.getByText(`Issued 1 of ${itemID}`).waitFor();
  });

  test('in the form of a lot, the label of another lot is not of this form', async () => {
    const { client, itemID, page } = await open();
    const [one, other] = [uniqueName('LOT'), uniqueName('LOT')];
    await receiveLot(client, itemID, 5, { serial: one });
    await receiveLot(client, itemID, 5, { serial: other });
    await wedge(page, one);
    await page.getByRole('heading', { level: 1 }).getByText('5').waitFor();
    await openForm(page, 'Issue');
    await typeByHand(page, '2');
    await wedge(page, one);
    await page.locator('form.work').getByText('This form is about').waitFor();
    await wedge(page, other);
    await page.locator('form.work').getByText('Not of this form').waitFor();
  });

  test('the label of another batch takes away what the one before told and it does not', async () => {
    const { client, itemID, page } = await open();
    const { partNo } = (await client.get(`/Item?key=${itemID}&type=id`)).body;
    const gtin = '14006381333938';
    expect((await client.put(`/Item/${partNo}/Aliases/${gtin}`, { units: 12 })).status).toBe(200);
    await scanItem(page, itemID);
    await openForm(page, 'Receive');
    const says = (text: string) => page.locator('form.work').getByText(text).waitFor();
    await wedge(page, `(01)${gtin}(17)310630(10)A(3103)005020`);
    await says('serial A');
    expect(await page.getByLabel('Expires', { exact: true }).inputValue()).toBe('2031-06-30');
    await wedge(page, `(01)${gtin}(10)B`);
    await says('no expiry');
    expect(await page.getByLabel('Expires', { exact: true }).inputValue()).toBe('');
    await typeInto(page, 'Reason', '1');
    await page.getByRole('button', { name: 'Confirm' }).press('Enter');
    await page.getByText(`Received 12 of ${itemID}`).waitFor();
    const { value } = (await client.get(`/Inventory?itemID=${itemID}&view=full`)).body;
    expect(value).toMatchObject([{ serial: 'B', expires: null, netWeight: null }]);
  });

  test('an api of 0.1, which does not tell what the client may call, leaves a page that works', async () => {
    const client = await service.client();
    const context = await browser.newContext();
    const { page, complaints } = await openConsole(context, service);
    await signIn(page, client, { isKept: true });
    await context.route('**/api/v1/Me', async (route) => {
      const response = await route.fetch();
      const { operations, ...json } = (await response.json()) as Record<string, unknown>;
      await route.fulfill({ response, json });
    });
    await page.reload();
    const itemID = await service.item();
    await scanItem(page, itemID);
    await page.getByRole('button', { name: 'Receive' }).waitFor();
    const second = await openConsole(await browser.newContext(), service);
    await second.page.route('**/api/v1/Me', async (route) => {
      const response = await route.fetch();
      const { operations, ...json } = (await response.json()) as Record<string, unknown>;
      await route.fulfill({ response, json });
    });
    await signIn(second.page, client);
    expect([...complaints, ...second.complaints]).toEqual([]);
  });

  test('what is typed while an answer comes stays in its field: the answer moves no focus', async () => {
    const { client, itemID, page } = await open();
    const both = uniqueName('BOTH');
    await receiveLot(client, itemID, 4, { spot: uniqueName('SPOT'), serial: both });
    await receiveLot(client, itemID, 5, { spot: both });
    const unknown = uniqueName('NEW');
    const cases: [field: string, call: string, begin: () => Promise<void>, told: RegExp][] = [
      ['Scan', '**/Scan', () => wedge(page, both), /Several matches/],
      [
        'Description',
        '**/Item',
        async () => {
          await wedge(page, unknown);
          await page.getByRole('button', { name: 'New item' }).press('Enter');
          await typeInto(page, 'Item', itemID);
          await typeByHand(page, '', 'Enter');
        },
        /already/,
      ],
      [
        'Spot',
        '**/Scan',
        async () => {
          await openForm(page, 'Receive');
          await wedge(page, itemID);
          await page.getByRole('button', { name: 'Confirm' }).press('Enter');
        },
        /Units must be/,
      ],
    ];
    for (const [field, call, begin, told] of cases) {
      if (field === 'Spot') await scanItem(page, itemID);
      const answers = await holdAnswers(page, call);
      await begin();
      await expect.poll(answers.begun).toBe(1);
      await typeInto(page, field, 'A 0');
      answers.letGo();
      await page.locator('main').getByText(told).first().waitFor();
      await typeByHand(page, ' 1');
      expect([field, await page.getByLabel(field, { exact: true }).inputValue()]).toEqual([field, 'A 0 1']);
      await page.unroute(call);
      await page.keyboard.press('Escape');
    }
  });

  test('what is typed right behind the press of an action goes into its form', async () => {
    const { itemID, page } = await open();
    await scanItem(page, itemID);
    await page.getByRole('button', { name: 'Receive' }).focus();
    await pressAtOnce(page, 'Enter', ...'4821');
    await page.locator('form.work').waitFor();
    await expect.poll(() => page.getByLabel('Units', { exact: true }).inputValue()).toBe('4821');
    expect(await page.getByLabel('Scan', { exact: true }).inputValue()).toBe('');
  });

  test('while a form is sent, Confirm keeps the focus; after a refusal, the amount has it', async () => {
    const { client, itemID, page, stock } = await open();
    await receiveLot(client, itemID, 5, { spot: 'A-01' });
    await scanItem(page, itemID);
    const focused = () => page.evaluate('document.activeElement.name || document.activeElement.type');
    const confirm = page.getByRole('button', { name: 'Confirm' });
    const sent = await holdAnswers(page, '**/Inventory/Batch');
    await fillIn(page, 'Issue', { Units: '50', Reason: '2' });
    await expect.poll(sent.begun).toBe(1);
    expect(await focused()).toBe('submit');
    expect(await confirm.getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Enter');
    sent.letGo();
    await page.locator('form.work').getByRole('alert').waitFor();
    await expect.poll(focused).toBe('units');
    await page.keyboard.press('Control+A');
    await typeByHand(page, '3');
    expect(await page.getByLabel('Units', { exact: true }).inputValue()).toBe('3');
    expect(await page.getByLabel('Scan', { exact: true }).inputValue()).toBe('');
    expect(sent.begun()).toBe(1);
    await confirm.press('Enter');
    await page.getByText(`Issued 3 of ${itemID}`).waitFor();

    await openForm(page, 'Count');
    await typeInto(page, 'Counted', '7');
    await typeInto(page, 'Spot', 'A-01');
    await typeInto(page, 'Reason', '3');
    await page.getByText('Recorded: 2. Difference: +5.').waitFor();
    await client.post('/Inventory/Issue', { itemID, units: 1, wid: 1, reasonCode: 2 });
    await confirm.press('Enter');
    await page.getByRole('button', { name: 'Keep my count' }).press('Enter');
    await expect.poll(focused).toBe('submit');
    await page.keyboard.press('Enter');
    await page.getByText(`Counted 7 of ${itemID}`).waitFor();
    expect(await stock()).toBe(7);
  });
});
