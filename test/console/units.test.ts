import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../harness/pages/browser.ts';
import { openConsole, openForm, signIn, typeInto } from '../harness/pages/console.ts';
import { typeByHand, wedge } from '../harness/pages/hands.ts';
import { expectReadable } from '../harness/pages/readable.ts';
import { useBrowser } from '../harness/pages/use-browser.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const service = useService();

describe.skipIf(!hasBrowser)('in a browser (skipped without Chromium)', () => {
  const browser = useBrowser();

  async function open(aliases: Record<string, number> = {}) {
    const client = await service.client({ rateLimit: 100_000 });
    const itemID = await service.item();
    const { partNo } = (await client.get(`/Item?key=${itemID}&type=id`)).body;
    for (const [alias, units] of Object.entries(aliases))
      expect((await client.put(`/Item/${partNo}/Aliases/${alias}`, { units })).status).toBe(200);
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    const { page, complaints } = await openConsole(context, service);
    await signIn(page, client);
    const aliasesNow = async () => (await client.get(`/Item/${partNo}/Aliases`)).body.value;
    const stock = async () =>
      (await client.get(`/Inventory/StockLevels/1?itemID=${itemID}`)).body.value[0].inStock as number;
    return { client, page, complaints, itemID, aliasesNow, stock };
  }

  const unitsIn = (page: Page) => page.getByLabel('Units', { exact: true }).inputValue();
  const says = (page: Page, text: string) => page.locator('form.work').getByText(text).waitFor();
  const confirm = (page: Page) => page.getByRole('button', { name: 'Confirm' }).press('Enter');

  test('an unknown code of a case is taught with its units; an amount with two meanings is asked about', async () => {
    const { page, complaints, itemID, aliasesNow } = await open();
    const code = uniqueName('CASE');
    await wedge(page, code);
    await page.getByText(`No match for “${code}”`).waitFor();
    await page.getByRole('button', { name: 'Teach to an item' }).press('Enter');
    await wedge(page, itemID);
    await page.locator('.chosen').getByText(itemID).waitFor();
    await typeInto(page, 'Units of one scan', '1.200');
    await expectReadable(page, 'teach with units', ['light', 'dark']);
    await typeByHand(page, '', 'Enter');
    await page.getByRole('alert').getByText('1.200 may mean two amounts. Which?').waitFor();
    await page.getByRole('button', { name: '1200', exact: true }).press('Enter');
    await typeInto(page, 'Units of one scan', '0');
    await typeByHand(page, '', 'Enter');
    await page.getByRole('alert').getByText('Units must be a number above 0.').waitFor();
    await typeInto(page, 'Units of one scan', '12,5');
    await typeByHand(page, '', 'Enter');
    await page.getByText(`“${code}” is ${itemID} from now on.`).waitFor();
    await page.getByRole('heading', { name: itemID }).waitFor();
    expect(await aliasesNow()).toEqual([{ alias: code, units: 12.5 }]);
    // It was looked up again, so its units are known.
    await openForm(page, 'Receive');
    expect(await unitsIn(page)).toBe('12.5');
    expect(complaints).toEqual([]);
  });

  test('scanning a case twice receives 24; a typed amount stays', async () => {
    const code = uniqueName('CASE');
    const { page, itemID, stock } = await open({ [code]: 12 });
    await wedge(page, code);
    await page.getByRole('heading', { name: itemID }).waitFor();
    await openForm(page, 'Receive');
    expect(await unitsIn(page)).toBe('12');
    await wedge(page, code);
    await says(page, 'From the label: 12 more units, 24 in all.');
    expect(await unitsIn(page)).toBe('24');
    await typeInto(page, 'Reason', '1');
    await confirm(page);
    await page.getByText('Received 24 of').waitFor();
    expect(await stock()).toBe(24);
    // What a person has typed is not added to.
    await openForm(page, 'Issue');
    await typeInto(page, 'Units', '5');
    await wedge(page, code);
    await says(page, 'It counts 12 units; the 5 that were typed stay.');
    expect(await unitsIn(page)).toBe('5');
    await typeInto(page, 'Units', '12');
    await wedge(page, code);
    await says(page, 'From the label: 12 units.');
    expect(await unitsIn(page)).toBe('12');
  });

  test('cases add up where they are the same, and never across batches or for one serial number', async () => {
    const gtin = '14006381333938';
    const { page, itemID } = await open({ [gtin]: 12 });
    await wedge(page, itemID);
    await page.getByRole('heading', { name: itemID }).waitFor();
    await openForm(page, 'Receive');
    await wedge(page, `(01)${gtin}(10)A`);
    await says(page, 'From the label: serial A, 12 units.');
    await wedge(page, `(01)${gtin}(10)A(30)2`);
    await says(page, 'From the label: serial A, 24 more units, 36 in all.');
    await wedge(page, `(01)${gtin}(10)B`);
    await says(page, 'From the label: serial B, 12 units in place of 36.');
    expect(await unitsIn(page)).toBe('12');
    // The plain code may be that of the same case, or of another one.
    await wedge(page, `(01)${gtin}(10)B`);
    await says(page, 'From the label: serial B, 12 more units, 24 in all.');
    await wedge(page, gtin);
    await says(page, 'It counts 12 units; the 24 that were scanned stay.');
    expect(await unitsIn(page)).toBe('24');
    await page.getByRole('button', { name: 'Cancel' }).press('Enter');
    await openForm(page, 'Receive');
    // Each weighs something else, and the lot weighs both.
    await wedge(page, `(01)${gtin}(10)W(3103)005020`);
    await says(page, 'net weight 5.02, 12 units.');
    await wedge(page, `(01)${gtin}(10)W(3103)004980`);
    await says(page, 'net weight 10, 12 more units, 24 in all.');
    await page.getByRole('button', { name: 'Cancel' }).press('Enter');
    await openForm(page, 'Receive');
    const own = `(01)${gtin}(21)S-1`;
    await wedge(page, own);
    await says(page, 'From the label:');
    await wedge(page, own);
    await says(page, 'From the label:');
    expect(await unitsIn(page)).toBe('12');
  });
});
