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

  const pallets = ['106141412345678908', '106141412345678915', '106141412345678922', '106141412345678939'];

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

  test('pallets with different numbers (SSCC) add up, and one that is scanned again is the same one', async () => {
    const gtin = '24006381333935';
    const { page, itemID } = await open({ [gtin]: 12 });
    const labelOf = (pallet: number, lot = 'A') => `(00)${pallets[pallet]}(02)${gtin}(37)4(10)${lot}`;
    const scans: [code: string, told: string, units: string][] = [
      [labelOf(0), 'It is counted already.', '48'],
      [labelOf(1), 'From the label: serial A, 48 more units, 96 in all.', '96'],
      [labelOf(0), 'It is counted already.', '96'],
      [labelOf(2), 'From the label: serial A, 48 more units, 144 in all.', '144'],
      [labelOf(1), 'It is counted already.', '144'],
      // A case may stand on one of the pallets, or beside them.
      [`(01)${gtin}(10)A`, 'It counts 12 units; the 144 that were scanned stay.', '144'],
      [labelOf(3, 'B'), 'From the label: serial B, 48 units in place of 144.', '48'],
      [labelOf(3, 'B'), 'It is counted already.', '48'],
      [labelOf(0), 'From the label: serial A, 48 units in place of 48.', '48'],
      [labelOf(3), 'From the label: serial A, 48 more units, 96 in all.', '96'],
    ];
    // The form counts the label that led to it.
    await wedge(page, labelOf(0));
    await page.getByRole('heading', { name: itemID }).waitFor();
    await openForm(page, 'Receive');
    expect(await unitsIn(page)).toBe('48');
    const seen: typeof scans = [];
    for (const [code, told] of scans) {
      await wedge(page, code);
      await says(page, told);
      seen.push([code, told, await unitsIn(page)]);
    }
    expect(seen).toEqual(scans);
    await typeInto(page, 'Units', '90');
    await wedge(page, labelOf(1));
    await says(page, 'It counts 48 units; the 90 that were typed stay.');
    expect(await unitsIn(page)).toBe('90');
  });

  type Person = { clientId: string; secret: string };
  const ways: [way: string, leave: (page: Page, person: Person) => Promise<unknown>][] = [
    [
      'its form was sent',
      async (page) => {
        await openForm(page, 'Receive');
        await typeInto(page, 'Reason', '1');
        await confirm(page);
        await page.getByText('Received 12 of').waitFor();
      },
    ],
    [
      'its form was left',
      async (page) => {
        await openForm(page, 'Receive');
        expect(await unitsIn(page)).toBe('12');
        await page.getByRole('button', { name: 'Cancel' }).press('Enter');
      },
    ],
    [
      'another view was opened',
      async (page) => {
        await page.getByRole('link', { name: 'Home' }).press('Enter');
        await page.getByRole('heading', { name: 'Done today' }).waitFor();
        await page.goBack();
      },
    ],
    [
      'somebody has signed in again',
      async (page, { clientId, secret }) => {
        await page.getByRole('button', { name: 'Menu' }).press('Enter');
        await page.getByRole('button', { name: 'Sign out' }).press('Enter');
        await expect.poll(() => page.getByLabel('Client ID').inputValue()).toBe(clientId);
        await page.getByLabel('Client secret').focus();
        await page.keyboard.type(secret);
        await page.keyboard.press('Tab');
        await page.keyboard.press('Enter');
      },
    ],
    [
      'an hour has passed',
      (page) => page.evaluate('(({ now }) => void (Date.now = () => now() + 3_600_000))(Date)'),
    ],
  ];

  test.each(ways)('what a label told is forgotten when %s', async (_way, leave) => {
    const code = uniqueName('CASE');
    const { client, page, itemID } = await open({ [code]: 12 });
    await wedge(page, code);
    await page.getByRole('heading', { name: itemID }).waitFor();
    await leave(page, client);
    await page.getByRole('heading', { name: itemID }).waitFor();
    await openForm(page, 'Receive');
    expect(await unitsIn(page)).toBe('');
  });
});
