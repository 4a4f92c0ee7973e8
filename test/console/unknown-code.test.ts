import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../harness/pages/browser.ts';
import { openConsole, signIn, typeInto } from '../harness/pages/console.ts';
import { typeByHand, wedge } from '../harness/pages/hands.ts';
import { holdAnswers } from '../harness/pages/hold-answers.ts';
import { expectReadable } from '../harness/pages/readable.ts';
import { useBrowser } from '../harness/pages/use-browser.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();

describe.skipIf(!hasBrowser)('in a browser (skipped without Chromium)', () => {
  const browser = useBrowser();

  async function open(width: number, permissions?: number[]) {
    const client = await service.client(permissions && { permissions });
    const context = await browser.newContext({ viewport: { width, height: 844 } });
    const { page, complaints } = await openConsole(context, service);
    await signIn(page, client);
    const press = (name: string) => page.getByRole('button', { name, exact: true }).press('Enter');
    const aliasesOf = async (itemID: string) => {
      const { partNo } = (await client.get(`/Item?key=${encodeURIComponent(itemID)}&type=id`)).body;
      const { value } = (await client.get(`/Item/${partNo}/Aliases`)).body;
      return value.map(({ alias }: { alias: string }) => alias);
    };
    return { client, page, complaints, press, aliasesOf };
  }

  const scanUnknown = async (page: Page, code: string) => {
    await wedge(page, code);
    await page.getByRole('alert').getByText(`No match for “${code}”`).waitFor();
  };
  const widths = [390, 1280];

  test.each(widths)(
    'an unknown code is taught to an item that is found as one types (%i px)',
    async (width) => {
      const itemID = await service.item({ description: `Hose clamp ${width}` });
      const { page, complaints, press, aliasesOf } = await open(width);
      await scanUnknown(page, `BOX-${width}`);
      await expectReadable(page, 'unknown code', ['light', 'dark']);
      await press('Teach to an item');
      await typeByHand(page, `clamp ${width}`);
      await page.getByRole('button', { name: itemID }).waitFor();
      await expectReadable(page, 'teach', ['light', 'dark']);
      await typeByHand(page, '', 'Enter');
      await page.getByRole('button', { name: 'Another' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByText(`“BOX-${width}” is ${itemID} from now on.`).waitFor();
      await page.getByRole('heading', { name: itemID }).waitFor();
      expect(await aliasesOf(itemID)).toEqual([`BOX-${width}`]);
      expect(complaints).toEqual([]);
    },
  );

  test.each(widths)(
    'an unknown code becomes a new item, under its own name or as another name of it (%i px)',
    async (width) => {
      const { client, page, complaints, press, aliasesOf } = await open(width);
      await scanUnknown(page, `NEW-${width}`);
      await press('New item');
      await typeByHand(page, 'Rubber seal');
      await expectReadable(page, 'new item', ['light', 'dark']);
      await page.keyboard.press('Enter');
      await page.getByText(`Made the item NEW-${width}.`).waitFor();
      await page.getByRole('heading', { name: `NEW-${width}` }).waitFor();
      expect((await client.get(`/Item?key=NEW-${width}&type=id`)).body).toMatchObject({
        description: 'Rubber seal',
        uOM: 'EA',
      });
      expect(await aliasesOf(`NEW-${width}`)).toEqual([]);
      const gtin = { 390: '4012345678901', 1280: '5901234123457' }[width]!;
      // Of a label, the number of the item is what it is.
      await scanUnknown(page, `(01)0${gtin}(10)LOT-7`);
      await press('New item');
      expect(await page.getByLabel('Item', { exact: true }).inputValue()).toBe('');
      await typeByHand(page, `SEAL-${width}`);
      await typeInto(page, 'Unit', 'M');
      await page.keyboard.press('Enter');
      await page.getByText(`Made the item SEAL-${width}.`).waitFor();
      await page.getByRole('heading', { name: `SEAL-${width}` }).waitFor();
      expect(await aliasesOf(`SEAL-${width}`)).toEqual([`0${gtin}`]);
      await press('Receive');
      expect(await page.getByLabel('Serial', { exact: true }).inputValue()).toBe('LOT-7');
      expect(complaints).toEqual([]);
    },
  );

  test('the item is also named by its own label; another code closes no form', async () => {
    const [own, other] = [await service.item(), await service.item()];
    const { page, press, aliasesOf } = await open(390);
    await scanUnknown(page, 'CRATE-1');
    await press('New item');
    await typeInto(page, 'Description', 'Half typed');
    await wedge(page, other);
    await page.getByText('Nothing was changed by').waitFor();
    expect(await page.getByLabel('Description').inputValue()).toBe('Half typed');
    await press('Cancel');
    await press('Teach to an item');
    await wedge(page, 'NO-SUCH-CODE');
    await page.getByText('Nothing was changed by').waitFor();
    await wedge(page, own);
    await page.locator('.chosen').getByText(own).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(`“CRATE-1” is ${own} from now on.`).waitFor();
    expect(await aliasesOf(own)).toEqual(['CRATE-1']);
  });

  test('a code that another item took meanwhile, or for which there is no room, is told in words', async () => {
    const [owner, full] = [await service.item(), await service.item()];
    const { client, page, press } = await open(390);
    const partNoOf = async (itemID: string) => (await client.get(`/Item?key=${itemID}&type=id`)).body.partNo;
    await service.sql`
      insert into item_alias (alias, part_no)
      select ${full} || '-' || n, ${await partNoOf(full)} from generate_series(1, 100) as n`;
    await scanUnknown(page, '96385074');
    await press('Teach to an item');
    await wedge(page, full);
    await page.locator('.chosen').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText(`${full} has as many other names as an item may have`).waitFor();
    // The same number in another spelling.
    await client.put(`/Item/${await partNoOf(owner)}/Aliases/00000096385074`, undefined);
    await press('Another');
    await wedge(page, full);
    await page.locator('.chosen').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText(`“96385074” is a name of ${owner} already`).waitFor();
    await press('Cancel');
    await press('New item');
    await typeInto(page, 'Item', owner);
    await page.keyboard.press('Enter');
    await page
      .getByRole('alert')
      .getByText(`There is an item, or another name of one, that is “${owner}”`)
      .waitFor();
    expect(await page.getByLabel('Item', { exact: true }).inputValue()).toBe(owner);
  });

  test('a client that may not change items is offered neither', async () => {
    const { page } = await open(390, [11, 95]);
    await scanUnknown(page, 'BOX-FOREIGN');
    expect(await page.locator('main button').count()).toBe(0);
  });

  test.each([
    { code: 'LATE-1', way: 'Teach to an item', held: /\/Aliases\//, told: 'from now on.' },
    { code: 'LATE-2', way: 'New item', held: /\/Item$/, told: 'Made the item LATE-2.' },
    {
      code: 'LATE-3',
      way: 'New item',
      held: /\/Aliases\//,
      told: 'LATE-3-X was made, but not taught the code.',
    },
  ])('$way ($code): an answer that comes late leaves another form as it is', async (given) => {
    const { code, way, held, told } = given;
    const itemID = await service.item();
    const { page, complaints, press } = await open(390);
    const { letGo, begun } = await holdAnswers(page, held, (route) =>
      code === 'LATE-3'
        ? route.fulfill({ status: 404, json: { message: 'There is no such item.' } })
        : route.continue(),
    );
    await scanUnknown(page, code);
    await press(way);
    if (way === 'New item') {
      if (code === 'LATE-3') await typeInto(page, 'Item', 'LATE-3-X');
      await typeInto(page, 'Description', 'Seal');
    } else {
      await wedge(page, itemID);
      await page.locator('.chosen').getByText(itemID).waitFor();
    }
    await press('Confirm');
    await expect.poll(begun).toBe(1);
    await press('Cancel');
    await scanUnknown(page, `${code}-OTHER`);
    await press('New item');
    await typeInto(page, 'Description', 'Half typed');
    letGo();
    await page.locator('.notices').getByText(told).waitFor();
    expect(await page.getByRole('heading', { name: `New item for “${code}-OTHER”` }).count()).toBe(1);
    expect(await page.getByLabel('Description').inputValue()).toBe('Half typed');
    expect(complaints).toEqual([]);
  });

  test('Enter takes only an item that was found by the text in the field', async () => {
    const [gasket, washer] = [
      await service.item({ description: 'Gasket of felt' }),
      await service.item({ description: 'Washer of felt' }),
    ];
    const { page, press } = await open(390);
    const { letGo } = await holdAnswers(page, /search=washer/, (route) => route.continue());
    await scanUnknown(page, 'BOX-FELT');
    await press('Teach to an item');
    await typeByHand(page, 'gasket of felt');
    await page.getByRole('button', { name: gasket }).waitFor();
    await page.keyboard.press('Control+A');
    await typeByHand(page, 'washer of felt', 'Enter');
    expect(await page.locator('.chosen').count()).toBe(0);
    letGo();
    await page.getByRole('button', { name: washer }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.chosen').getByText(washer).waitFor();
  });
});
