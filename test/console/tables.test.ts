import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../harness/pages/browser.ts';
import { openConsole, overflowOf, signIn, typeInto } from '../harness/pages/console.ts';
import { typeByHand } from '../harness/pages/hands.ts';
import { useBrowser } from '../harness/pages/use-browser.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService();
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

describe.skipIf(!hasBrowser)('the tables, in a browser (skipped without Chromium)', () => {
  const browser = useBrowser();

  async function open(address: string, options: Parameters<Browser['newContext']>[0] = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const { page, complaints } = await openConsole(context, service);
    const client = await service.client();
    await page.goto(`${new URL(service.baseUrl).origin}/console/#/${address}`);
    await signIn(page, client);
    return { page, client, complaints };
  }
  const goTo = (page: Page, address: string) =>
    page.goto(`${new URL(service.baseUrl).origin}/console/#/${address}`);
  const hold = (recNo: number) =>
    service.sql`
      with held as (update lot set hold = true where rec_no = ${recNo} returning part_no, wid, units)
      update stock_level set on_hold = on_hold + held.units
      from held
      where stock_level.part_no = held.part_no and stock_level.wid = held.wid`;
  const isShown = (page: Page, words: string) =>
    page.getByText(words, { exact: true }).filter({ visible: true }).first().waitFor();
  const cells = (page: Page, field: string) =>
    page.locator(`tbody .of-${field} bdi:not(.unit)`).allInnerTexts();
  const showsIn = (page: Page, field: string, texts: string[]) =>
    expect.poll(() => cells(page, field)).toEqual(texts);

  test('items are searched as one types, once for a text; an older answer never takes the place of a newer one', async () => {
    const word = uniqueName('Zx').toLowerCase();
    const one = await service.item({ description: `Copper ${word} elbow` });
    await service.item({ description: `Brass ${word}` });
    const { page, complaints } = await open('items');
    const searched: string[] = [];
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let answered = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answered = resolve;
    });
    await page.route(/\/Item\?.*search=/, async (route) => {
      const text = new URL(route.request().url()).searchParams.get('search')!;
      searched.push(text);
      if (text !== word) return route.continue();
      const response = await route.fetch();
      await held;
      // Its reader may have gone.
      await route.fulfill({ response }).catch(() => {});
      return answered();
    });
    await typeInto(page, 'Search', word);
    await expect.poll(() => searched).toEqual([word]);
    await typeByHand(page, ' ELBOW');
    await showsIn(page, 'shortID', [one]);
    letGo();
    await isAnswered;
    // By the time that later answers have come, it would be drawn.
    for (let later = 0; later < 3; later++)
      await page.evaluate("fetch('icon.svg').then((icon) => icon.text())");
    expect(await cells(page, 'shortID')).toEqual([one]);
    expect(searched).toEqual([word, `${word} ELBOW`]);
    expect(new URL(page.url()).hash).toBe(`#/items?${new URLSearchParams({ search: `${word} ELBOW` })}`);
    expect(complaints).toEqual([]);
  });

  test('lots of all items with a part of a word, in any case; a whole spot or serial at once; sorted, filtered, narrowed by keys', async () => {
    const word = uniqueName('Qv');
    const first = await service.item({ shortID: `${word}-A`, description: 'Elbow' });
    const second = await service.item({ shortID: `${word}-B`, description: 'Elbow' });
    const { page, client } = await open('lots');
    const spot = `SPOT-${word}`;
    const serial = `SER-${word}`;
    await receiveLot(client, first, 3, { spot: 'A-1' });
    await receiveLot(client, second, 20, { spot });
    await receiveLot(client, first, 1.5, { wid: 2, serial });
    await typeInto(page, 'Search', word.toLowerCase());
    await isShown(page, '3 found');
    expect(await cells(page, 'shortID')).toEqual([first, second, first]);
    await page.getByRole('button', { name: 'Units', exact: true }).press('Enter');
    await expect
      .poll(() => page.locator('tbody .of-units .amount').allInnerTexts())
      .toEqual(['1.5', '3', '20']);
    await page.getByLabel('Search', { exact: true }).focus();
    for (const key of ['ArrowDown', 'Tab', 'Enter']) await page.keyboard.press(key);
    await isShown(page, '1 found');
    expect(page.url()).toMatch(/#\/lots\?item=.*-B&sort=units$/);
    await page.getByRole('button', { name: `Remove Item ${second}` }).press('Enter');
    // The focus is in the field of the search.
    await typeByHand(page, spot);
    await isShown(page, '1 found');
    expect(await cells(page, 'shortID')).toEqual([second]);
    await typeInto(page, 'Search', serial);
    await showsIn(page, 'shortID', [first]);
    await isShown(page, `Of serial ${serial}`);
    await typeInto(page, 'Warehouse', 'Main');
    await page.getByText(`There are no lots for “${serial}” with these filters.`).waitFor();
    await page.getByRole('button', { name: 'Clear search' }).press('Enter');
    await page.getByRole('button', { name: 'Remove Warehouse Main' }).press('Enter');
    await typeInto(page, 'Search', `no such ${word}`);
    await page.getByText(`There are no lots for “no such ${word}”.`).waitFor();
  });

  test('of a word in many items a person chooses one, by keys; of levels, all are shown', async () => {
    const word = uniqueName('Many');
    const { page, client } = await open('items');
    const numbers = Array.from({ length: 105 }, (_, at) => String(at).padStart(3, '0'));
    for (const number of numbers) await service.item({ shortID: `${word}-${number}` });
    for (const number of ['003', '099', '104']) await receiveLot(client, `${word}-${number}`, 7);
    await goTo(page, `lots?search=${word}`);
    await page.getByText('is in many items').waitFor();
    await page.getByLabel('Search', { exact: true }).focus();
    for (const key of ['ArrowDown', 'Tab', 'Tab', 'Tab', 'Enter']) await page.keyboard.press(key);
    await isShown(page, '1 found');
    await showsIn(page, 'shortID', [`${word}-003`]);
    await goTo(page, `levels?search=${word.toLowerCase()}`);
    await page.getByRole('table', { name: 'Levels' }).waitFor();
    await showsIn(page, 'shortID', [`${word}-003`, `${word}-099`, `${word}-104`]);
    // Of fewer items, only those with stock are asked about.
    await goTo(page, `lots?search=${word}-0`);
    await isShown(page, '2 found');
  });

  test('every filter has an address, which shows the same after the sign-in', async () => {
    const { page, client } = await open('lots?spot=NOWHERE&wid=1');
    await page.getByText('There are no lots with these filters.').waitFor();
    await page.getByRole('button', { name: 'Remove Spot NOWHERE' }).waitFor();
    const itemID = await service.item({ shortID: uniqueName('FILTER') });
    const day = (fromNow: number) => new Date(Date.now() + fromNow * 86_400_000).toISOString().slice(0, 10);
    const lots = {
      plain: await receiveLot(client, itemID, 1, { spot: 'F-1', serial: 'F-SER', rFIDTag: 'F-TAG' }),
      soon: await receiveLot(client, itemID, 2, { wid: 2, expires: day(20) }),
      late: await receiveLot(client, itemID, 3, { expires: day(200) }),
      expired: await receiveLot(client, itemID, 4, { expires: day(-3) }),
      used: await receiveLot(client, itemID, 5, { spot: 'F-5', deviceID: 'F-DEV', reference: 'F-REF' }),
    };
    await client.post('/Inventory/Issue', { itemID, recno: lots.used, units: 5, wid: 1, reasonCode: 2 });
    await hold(lots.plain);
    const names = (found: string[]) =>
      found.map((recNo) => Object.entries(lots).find(([, each]) => String(each) === recNo)![0]);
    const showsLots = async (query: string, expected: string[]) => {
      await goTo(page, `lots?item=${itemID}&sort=recNo&${query}`);
      const shown = async () => [query, ...names(await cells(page, 'recNo'))];
      await expect.poll(shown).toEqual([query, ...expected]);
    };
    await showsLots('', ['plain', 'soon', 'late', 'expired']);
    await showsLots('stock=all', ['plain', 'soon', 'late', 'expired', 'used']);
    await showsLots('stock=used', ['used']);
    await showsLots('wid=2', ['soon']);
    await showsLots('hold=yes', ['plain']);
    await showsLots('hold=no', ['soon', 'late', 'expired']);
    await showsLots('expiry=expired', ['expired']);
    await showsLots('expiry=30', ['soon', 'expired']);
    await showsLots(`by=${day(200)}`, ['soon', 'late', 'expired']);
    await showsLots(`by=${day(199)}`, ['soon', 'expired']);
    await showsLots('spot=F-1', ['plain']);
    await showsLots('serial=F-SER', ['plain']);
    await showsLots('tag=F-TAG', ['plain']);
    await showsLots(`lot=${lots.late}`, ['late']);
    await showsLots(`since=${day(-1)}&wid=2`, ['soon']);
    // The addresses of the version before.
    await showsLots('search=F-1&field=spot&inStock=false', ['plain']);
    const showsKinds = async (query: string, expected: string[]) => {
      await goTo(page, `transactions?item=${itemID}&${query}`);
      const shown = async () => [query, ...(await page.locator('tbody .of-kind').allInnerTexts())];
      await expect.poll(shown).toEqual([query, ...expected]);
    };
    const received = (count: number) => Array.from({ length: count }, () => 'Received');
    await showsKinds('', ['Issued', ...received(5)]);
    await showsKinds('kind=issue', ['Issued']);
    await showsKinds('wid=2', received(1));
    await showsKinds('device=F-DEV', received(1));
    await showsKinds('reference=F-REF', received(1));
    await showsKinds('serial=F-SER', received(1));
    await showsKinds(`client=${client.clientId}&kind=issue`, ['Issued']);
    await showsKinds(`through=${day(-2)}`, []);
    await showsKinds(`from=${day(-2)}&through=${day(2)}&kind=issue`, ['Issued']);
    await service.sql`update item set discontinued = true where short_id = ${itemID}`;
    await goTo(page, `items?search=${itemID}`);
    await page.getByText('There are no items').waitFor();
    await goTo(page, `items?search=${itemID}&discontinued=yes`);
    await isShown(page, 'Discontinued');
  });

  test('a filter is set and removed by keys, and a date once its year is whole', async () => {
    const itemID = await service.item();
    const { page, client } = await open(`lots?item=${itemID}`);
    await receiveLot(client, itemID, 1, { expires: '2031-06-30' });
    await receiveLot(client, itemID, 2);
    await typeInto(page, 'Expires by', '2031-06-30');
    await isShown(page, '1 found');
    expect(page.url()).toContain('by=2031-06-30');
    await typeInto(page, 'Hold', 'Not');
    await page.getByRole('button', { name: 'Remove Hold Not on hold' }).waitFor();
    await typeInto(page, 'Spot', 'X-1');
    await page.keyboard.press('Enter');
    await page.getByText('There are no lots with these filters.').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Tab');
    await isShown(page, '1 found');
    await page.getByRole('button', { name: 'Remove filters' }).press('Enter');
    expect(page.url()).toMatch(/#\/lots$/);
  });

  test('columns sort by keys, both ways and back, where the service can; the address has it', async () => {
    const itemID = await service.item();
    const { page, client } = await open('items');
    for (const [units, spot] of [
      [10, 'B'],
      [9.5, 'C'],
      [100, 'A'],
    ] as const)
      await receiveLot(client, itemID, units, { spot });
    await goTo(page, `lots?item=${itemID}`);
    await showsIn(page, 'spot', ['A', 'C', 'B']);
    const head = page.getByRole('columnheader', { name: 'Units' });
    const press = async (spots: string[], direction: string | null) => {
      await page.keyboard.press('Enter');
      await showsIn(page, 'spot', spots);
      expect(await head.getAttribute('aria-sort')).toBe(direction);
    };
    await head.getByRole('button').focus();
    await press(['C', 'B', 'A'], 'ascending');
    expect(page.url()).toContain('sort=units');
    await press(['A', 'B', 'C'], 'descending');
    expect(page.url()).toContain('sort=-units');
    await press(['A', 'C', 'B'], null);
    const sortable = () => page.locator('thead button').allInnerTexts();
    expect(await sortable()).toEqual([
      ...[
        'Lot',
        'Item',
        'Description',
        'Units',
        'Spot',
        'Warehouse',
        'Serial',
        'Received',
        'Expires',
        'Hold',
      ],
    ]);
    await goTo(page, `levels?item=${itemID}`);
    await expect
      .poll(sortable)
      .toEqual(['Item', 'Description', 'Part no.', 'In stock', 'On hold', 'Committed', 'Available']);
    await goTo(page, `transactions?item=${itemID}&sort=transactionNo`);
    await expect.poll(sortable).toEqual(['Number']);
    await expect
      .poll(() => page.locator('tbody .of-lines .amount').allInnerTexts())
      .toEqual(['+10', '+9.5', '+100']);
  });

  const manyLots = async (client: ApiClient, itemID: string, count: number) => {
    for (let from = 0; from < count; from += 400) {
      const operations = Array.from({ length: Math.min(400, count - from) }, (_, at) => ({
        ...{ op: 'receive', itemID, units: 1, wid: 1, reasonCode: 1, spot: `P-${from + at}` },
      }));
      const { status, text } = await client.post('/Inventory/Batch', { mode: 'atomic', operations });
      expect(status, text).toBe(200);
    }
  };

  test('CSV has what is shown: the same search, filters and order, exact; it tells how far it is, and stops', async () => {
    const word = uniqueName('Csv');
    const one = await service.item({ shortID: `${word};=1`, description: '=1+1, "quoted"', uOM: 'KG' });
    const other = await service.item({ shortID: `${word}-2` });
    const { page, client } = await open('lots');
    await receiveLot(client, one, 123456789.123456, { spot: 'C-1' });
    await receiveLot(client, one, 5, { spot: 'C-2', wid: 2 });
    await receiveLot(client, other, 7);
    await manyLots(client, other, 600);
    await goTo(page, `lots?search=${word.toLowerCase()}&wid=1&sort=-units`);
    await isShown(page, '602 found');
    const button = page.getByRole('button', { name: 'CSV', exact: true });
    const saving = page.waitForEvent('download');
    await button.press('Enter');
    const saved = await saving;
    await page.getByRole('status').getByText('Saved lots.csv.').waitFor();
    const lines = readFileSync(await saved.path(), 'utf8')
      .trim()
      .split('\r\n');
    expect([saved.suggestedFilename(), lines.length, new Set(lines).size]).toEqual(['lots.csv', 603, 603]);
    expect(lines[0]).toContain('Lot,Item,Description,Units,Unit,Spot,Warehouse,Serial,Received,Expires,Hold');
    expect(lines[1]).toContain(`,"${word};'=1","'=1+1, ""quoted""",123456789.123456,KG,C-1,Main,`);
    expect(lines[2]).toContain(`,${other},,7,EA,`);
    let pages = 0;
    const ended = new Promise<void>((resolve) => {
      page.route(/pageSize=250/, (route) => {
        pages += 1;
        if (pages === 1) return route.continue();
        return resolve();
      });
    });
    await goTo(page, `lots?item=${other}`);
    await isShown(page, '601 found');
    await button.press('Enter');
    await isShown(page, '250 of 601');
    await ended;
    // A screen reader is not told of each page.
    expect(await page.locator('.csv').getByRole('status').allInnerTexts()).toEqual(['Reading …']);
    await page.getByRole('button', { name: 'Stop' }).press('Enter');
    await button.waitFor();
    expect(await page.getByText('250 of 601').count()).toBe(0);
  });

  test('1,200 lots page as one scrolls, each once; few are drawn, and the way back leads to the place', async () => {
    const itemID = await service.item();
    const { page, client } = await open('items');
    await manyLots(client, itemID, 1200);
    await goTo(page, `lots?item=${itemID}&sort=recNo`);
    await isShown(page, '1,200 found');
    const seen = new Set<string>();
    let drawnMost = 0;
    await page.getByRole('heading', { name: 'Lots' }).click();
    const look = async () => {
      const spots = await cells(page, 'spot');
      drawnMost = Math.max(drawnMost, spots.length);
      for (const spot of spots) seen.add(spot);
      await page.mouse.wheel(0, 2000);
      return seen.size;
    };
    await expect.poll(look, { timeout: 200_000, interval: 100 }).toBe(1200);
    expect(drawnMost).toBeLessThan(400);
    expect(await page.getByRole('button', { name: 'More' }).count()).toBe(0);
    const last = page.getByText('P-1199', { exact: true });
    await last.scrollIntoViewIfNeeded();
    const before = await page.evaluate<number>('scrollY');
    await page.locator('tr', { has: last }).locator('.of-recNo a').press('Enter');
    await page.getByText('History').waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
    await page.goBack();
    await last.waitFor();
    const off = async () => Math.abs((await page.evaluate<number>('scrollY')) - before);
    await expect.poll(off).toBeLessThan(200);
    const backUp = async () => {
      await page.mouse.wheel(0, -3000);
      return (await cells(page, 'spot')).includes('P-0');
    };
    await expect.poll(backUp, { timeout: 200_000, interval: 100 }).toBe(true);
  });

  test('where a list cannot be read on, its end says so, and it goes on from there', async () => {
    const itemID = await service.item();
    const { page, client, complaints } = await open('items');
    await manyLots(client, itemID, 450);
    let isBroken = false;
    let firsts = 0;
    const json = { statusCode: 400, error: 'invalid_request', message: 'This went wrong.' };
    await page.route(/\/Inventory.*pageSize=50/, (route) => {
      const isFirst = /[?&]page=1(&|$)/.test(route.request().url());
      if (isFirst) firsts += 1;
      return isBroken && !isFirst ? route.fulfill({ status: 400, json }) : route.continue();
    });
    await goTo(page, `lots?item=${itemID}&sort=recNo`);
    await isShown(page, '450 found');
    const alert = page.getByRole('alert');
    const scrollTo = async (spot: string) => {
      await page.mouse.wheel(0, 1500);
      return (await cells(page, 'spot')).includes(spot);
    };
    const scrollToAlert = async () => {
      await page.mouse.wheel(0, 3000);
      return page.evaluate<boolean>(`{
        const { top = -1 } = document.querySelector('[role=alert]')?.getBoundingClientRect() ?? {};
        top > 0 && top < innerHeight;
      }`);
    };
    await page.getByRole('heading', { name: 'Lots' }).click();
    await expect.poll(() => scrollTo('P-99'), { interval: 100 }).toBe(true);
    isBroken = true;
    await expect.poll(scrollToAlert, { interval: 100 }).toBe(true);
    await alert.getByText('This went wrong.').waitFor();
    isBroken = false;
    const scrollY = () => page.evaluate<number>('scrollY');
    const before = await scrollY();
    await alert.getByRole('button', { name: 'Try again' }).press('Enter');
    await alert.waitFor({ state: 'detached' });
    expect(await scrollY()).toBeGreaterThan(before - 200);
    await expect.poll(() => scrollTo('P-249'), { interval: 100 }).toBe(true);
    await page.context().setOffline(true);
    await expect.poll(scrollToAlert, { interval: 100 }).toBe(true);
    await alert.getByText('Offline: this list cannot be read.').waitFor();
    await page.context().setOffline(false);
    await alert.waitFor({ state: 'detached' });
    await expect.poll(() => scrollTo('P-449'), { interval: 100 }).toBe(true);
    expect(firsts).toBe(1);
    // On the way back, its pages are read where one stands.
    await page.locator('.of-recNo a').last().press('Enter');
    await page.getByText('History').waitFor();
    isBroken = true;
    await page.goBack();
    await alert.getByText('This went wrong.').waitFor();
    isBroken = false;
    await alert.getByRole('button', { name: 'Try again' }).press('Enter');
    await page.getByText('P-449', { exact: true }).waitFor();
    expect([await alert.count(), firsts, complaints]).toEqual([0, 2, []]);
  });

  test('the next rows come by a key, too', async () => {
    const itemID = await service.item();
    const { page, client } = await open('items');
    await manyLots(client, itemID, 400);
    await goTo(page, `lots?item=${itemID}&sort=recNo`);
    await isShown(page, '400 found');
    const more = page.getByRole('button', { name: 'More' });
    await more.waitFor();
    const pages = () => page.locator('.long > tbody').count();
    while ((await pages()) < 8) {
      const count = await pages();
      // It goes away with the last rows.
      if ((await more.count()) > 0) await more.press('Enter').catch(() => {});
      await expect.poll(pages).toBeGreaterThan(count);
    }
    await more.waitFor({ state: 'detached' });
    await page.keyboard.press('End');
    await page.getByText('P-399', { exact: true }).waitFor();
  });

  test('when the limit is met, a search goes on by itself', async () => {
    const itemID = await service.item();
    const { page } = await open('items');
    // A slow machine may search for a part of the name, too.
    const asked: string[] = [];
    await page.route(/\/Item\?.*search=/, (route) => {
      const headers = { 'Retry-After': '11', 'Content-Type': 'application/json' };
      asked.push(new URL(route.request().url()).searchParams.get('search')!);
      return asked.length === 1
        ? route.fulfill({ status: 429, headers, body: '{"message":"too many"}' })
        : route.continue();
    });
    await typeInto(page, 'Search', itemID);
    await page.getByText('goes on by itself in').waitFor();
    await showsIn(page, 'shortID', [itemID]);
    const afterwards = asked.slice(1);
    expect(afterwards).toContain(itemID);
    expect(new Set(afterwards).size, `asked ${asked}`).toBe(afterwards.length);
  });

  test('offline a table says so, and reads again when the service answers', async () => {
    const itemID = await service.item();
    const { page } = await open(`items?search=${itemID}`);
    await showsIn(page, 'shortID', [itemID]);
    await page.context().setOffline(true);
    await typeInto(page, 'Search', `${itemID}-`);
    await page.getByText('Offline: this list cannot be read.').waitFor();
    await page.context().setOffline(false);
    await page.getByText(`There are no items for “${itemID}-”.`).waitFor();
  });

  const looks = [390, 1280].flatMap((width) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
  );

  test.each(looks)(
    'every table at $width px, $colorScheme: labelled, readable, marked, never too wide',
    async (look) => {
      const { width, colorScheme } = look;
      const word = uniqueName('Look');
      const itemID = await service.item({
        shortID: `${word}-${'W'.repeat(40)}`,
        description: 'M'.repeat(300),
      });
      const other = await service.item({ shortID: `${word}-六角`, description: '六角ボルト', uOM: 'KG' });
      const viewport = { width, height: width === 390 ? 844 : 800 };
      const { page, client } = await open('lots', { viewport, colorScheme });
      const held = await receiveLot(client, itemID, 1234567.125, {
        spot: 'S'.repeat(60),
        serial: 'T'.repeat(60),
      });
      await receiveLot(client, other, 5, { expires: '2024-01-31' });
      await hold(held);
      const check = async (address: string, ...words: string[]) => {
        await goTo(page, address);
        for (const each of words) await isShown(page, each);
        const filters = page.getByRole('button', { name: /^Filters/ });
        if (width === 390 && (await filters.getAttribute('aria-expanded')) === 'false')
          await filters.press('Enter');
        await page.getByLabel('Search', { exact: true }).press('ArrowDown');
        await page.evaluate(axe);
        const violations = await page.evaluate(
          'axe.run().then((found) => found.violations.map(({ id, nodes }) => [id, nodes[0].html]))',
        );
        expect([address, violations, await overflowOf(page)]).toEqual([address, [], 0]);
      };
      await check(`lots?search=${word}&sort=-units`, '2 found', 'On hold', 'Expired');
      await check(`lots?search=${word}&spot=NOWHERE&hold=yes`, '0 found');
      const commit = (beyond: number) =>
        service.sql`update stock_level set committed = ${beyond} where part_no = (select part_no from item where short_id = ${other})`;
      await commit(9);
      await check(`levels?search=${word}`, '2 found', '−4');
      await commit(0);
      await check(`items?search=${word}&discontinued=yes`, '2 found');
      await check(`transactions?search=${word}`, '2 found');
      if (width === 390) return;
      // A name that has room stands in one line.
      const short = await service.item({ shortID: uniqueName('WIDGET') });
      await receiveLot(client, short, 1);
      await goTo(page, `lots?item=${short}`);
      const name = page.getByRole('link', { name: short });
      const { height } = (await name.boundingBox())!;
      expect(height).toBeLessThan(50);
    },
  );
});
