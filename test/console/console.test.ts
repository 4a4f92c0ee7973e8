import type { Browser, Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasBrowser, startBrowser } from '../harness/pages/browser.ts';
import {
  fillIn,
  openConsole,
  openForm,
  overflowOf,
  scanItem,
  signIn,
  typeInto,
} from '../harness/pages/console.ts';
import { filmOf } from '../harness/pages/film.ts';
import { typeByHand, wedge } from '../harness/pages/hands.ts';
import { expectReadable } from '../harness/pages/readable.ts';
import { useBrowser } from '../harness/pages/use-browser.ts';
import { useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService();

describe.skipIf(!hasBrowser)('the page in a browser (skipped without Chromium)', () => {
  const browser = useBrowser();

  async function open(options: Parameters<Browser['newContext']>[0] = {}) {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, ...options });
    return { context, ...(await openConsole(context, service)) };
  }

  test('a person signs in, scans an item, receives some of it, and takes that back', async () => {
    const client = await service.client();
    const itemID = await service.item({ description: 'Copper elbow 22 mm' });
    const { page, hosts, complaints } = await open();
    await signIn(page, client);
    await scanItem(page, itemID);
    await openForm(page, 'Receive');
    await typeByHand(page, '5.25', 'Enter', '1', 'Enter', 'Enter');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    const stock = async () =>
      (await client.get(`/Inventory/StockLevels/1?itemID=${itemID}`)).body.value[0]?.inStock;
    expect(await stock()).toBe(5.25);
    await expect.poll(() => page.locator('.figures strong').first().textContent()).toBe('5.25');
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await page.getByText('Undid transaction').waitFor();
    expect(await stock()).toBe(0);
    expect(await overflowOf(page)).toBe(0);
    expect(complaints).toEqual([]);
    expect([...hosts]).toEqual([new URL(service.baseUrl).host]);
  });

  test('the four forms do what they say, and a refusal is an alert', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const { page } = await open();
    await signIn(page, client);
    const fill = async (action: string, fields: Record<string, string>) => {
      await scanItem(page, itemID);
      await fillIn(page, action, fields);
    };
    const { body: before } = await client.get('/Changes?after=now');
    await fill('Receive', { Units: '10', Spot: 'A-1', Reason: '1', Serial: 'S-9', Expires: '2031-06-30' });
    await page.getByText('Received 10 of').waitFor();
    await fill('Move', { Units: '4', 'From spot': 'A-1', 'To spot': 'B-2' });
    await page.getByText('Moved 4 of').waitFor();
    await fill('Issue', { Units: '1,5', Spot: 'B-2', Reason: '2' });
    await page.getByText('Issued 1.5 of').waitFor();
    await fill('Count', { Counted: '7', Spot: 'A-1', Reason: '3' });
    await page.getByText('Counted 7 of').waitFor();
    const { body } = await client.get(`/Changes?after=${before.nextCursor}`);
    const done = body.value.map(
      ({ kind, lines }: { kind: string; lines: { spot: string; delta: number }[] }) => [
        kind,
        ...lines.map(({ spot, delta }) => `${delta} ${spot}`),
      ],
    );
    expect(done).toEqual([
      ['receive', '10 A-1'],
      ['move', '-4 A-1', '4 B-2'],
      ['issue', '-1.5 B-2'],
      ['count', '1 A-1'],
    ]);
    await fill('Issue', { Units: '100', Reason: '2' });
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Units').inputValue()).toBe('100');
    // It was told, and waits for nobody.
    await page.getByRole('button', { name: 'Cancel' }).press('Enter');
    await page.getByLabel('Scan', { exact: true }).focus();
    await scanItem(page, itemID);
    expect(await page.locator('.badge a').count()).toBe(0);
  });

  test('a receipt made offline outlives a reload and is sent once; a refused one waits for a person', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const { page, context } = await open();
    await signIn(page, client, { isKept: true });
    await page.evaluate('navigator.serviceWorker.ready');
    await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
    await context.setOffline(true);
    await page.getByText('Offline').waitFor();
    const work = async (action: string, units: string) => {
      await wedge(page, itemID);
      await openForm(page, action);
      await typeInto(page, 'Units', units);
      await typeInto(page, 'Reason', '1');
      await page.getByRole('button', { name: 'Confirm' }).press('Enter');
      await page.getByText('waiting to be sent').waitFor();
    };
    await work('Receive', '3');
    await page.getByText('1 waiting', { exact: false }).first().waitFor();
    await page.reload();
    await page.getByText('Offline · 1 waiting').waitFor();
    await work('Issue', '50');
    await page.getByText('Offline · 2 waiting').waitFor();
    await context.setOffline(false);
    await page.getByText('1 refused').waitFor();
    const { value } = (await client.get(`/Inventory/Transactions?itemID=${itemID}`)).body;
    expect(
      value.map(({ kind, lines }: { kind: string; lines: { delta: number }[] }) => [kind, lines[0]!.delta]),
    ).toEqual([['receive', 3]]);
    await page.getByText('1 refused').press('Enter');
    await page.getByRole('alert').getByText('Refused: issue 50').waitFor();
    await page.getByRole('button', { name: 'Discard' }).press('Enter');
    await page.locator('.badge a').waitFor({ state: 'detached' });
    await page.getByText('Nothing waits').waitFor();
    await page.getByRole('button', { name: 'Menu' }).press('Enter');
    await page.getByRole('button', { name: 'Sign out' }).press('Enter');
    await page.getByLabel('Client secret').waitFor();
    await page.reload();
    await page.getByLabel('Client secret').waitFor();
  });

  const showsBadge = (tab: Page, text: string) =>
    expect.poll(async () => (await tab.locator('.badge').textContent())?.trim()).toBe(text);

  test('two tabs of a client show the same waiting work, also when the other one stores or sends it', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const { page, context } = await open();
    await signIn(page, client, { isKept: true });
    const { page: other } = await openConsole(context, service);
    await other.getByLabel('Scan', { exact: true }).waitFor();
    const receiveOffline = async (tab: Page, units: string) => {
      await context.setOffline(true);
      await tab.getByText('Offline').waitFor();
      await wedge(tab, itemID);
      await tab.getByText('could not be looked up').waitFor();
      await fillIn(tab, 'Receive', { Units: units, Reason: '1' });
    };
    await receiveOffline(page, '3');
    await showsBadge(other, 'Offline · 1 waiting');
    await page.close();
    await context.setOffline(false);
    await showsBadge(other, '');
    const { page: third } = await openConsole(context, service);
    await third.getByLabel('Scan', { exact: true }).waitFor();
    await receiveOffline(other, '4');
    await showsBadge(third, 'Offline · 1 waiting');
    await context.setOffline(false);
    for (const tab of [other, third]) await showsBadge(tab, '');
    const { value } = (await client.get(`/Inventory/Transactions?itemID=${itemID}`)).body;
    expect(value.map(({ lines }: { lines: { delta: number }[] }) => lines[0]!.delta)).toEqual([4, 3]);
  });

  test('a GS1 code fills the form in; several matches are listed; a spot goes into an open form', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const { partNo } = (await client.get(`/Item?key=${itemID}&type=id`)).body;
    await service.sql`insert into item_alias (alias, part_no) values ('04006381333931', ${partNo})`;
    await receiveLot(client, itemID, 4, { wid: 2, spot: 'GS-SPOT', serial: 'GS-BOTH' });
    await receiveLot(client, itemID, 5, { wid: 2, spot: 'GS-BOTH' });
    const { page } = await open();
    await signIn(page, client);
    await wedge(page, '(01)04006381333931(10)LOT-77(17)310630(30)12');
    await page.getByRole('heading', { name: itemID }).waitFor();
    await openForm(page, 'Receive');
    const shownIn = (label: string) => page.getByLabel(label, { exact: true }).inputValue();
    expect(await Promise.all(['Units', 'Serial', 'Expires'].map(shownIn))).toEqual([
      '12',
      'LOT-77',
      '2031-06-30',
    ]);
    // The focus is on what is missing.
    await typeByHand(page, '1', 'Enter');
    await wedge(page, 'GS-SPOT');
    await expect.poll(() => shownIn('Spot')).toBe('GS-SPOT');
    await page.getByRole('button', { name: 'Confirm' }).press('Enter');
    await page.getByText('Received 12 of').waitFor();
    const { value } = (await client.get(`/Inventory/1?itemID=${itemID}&view=full`)).body;
    expect(value).toMatchObject([
      { units: 12, spot: 'GS-SPOT', serial: 'LOT-77', expires: '2031-06-30T23:59:59.999Z' },
    ]);
    await wedge(page, 'GS-BOTH');
    await page.getByText('Several matches').waitFor();
    expect(await page.locator('.choice .quiet').allTextContents()).toEqual(['Serial of a lot', 'Spot']);
    await page.keyboard.press('Enter');
    await page.getByText('History').waitFor();
    // Of a lot, only the lot counts; its warehouse is known.
    await fillIn(page, 'Issue', { Units: '1', Reason: '2' });
    await page.getByText('Issued 1 of').waitFor();
    await expect
      .poll(async () => (await client.get('/Inventory/2?serial=GS-BOTH')).body.value[0].units)
      .toBe(3);
  });

  test('installable; the service worker keeps the page alone, and the device no secret unless asked to', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const { page, context } = await open();
    await signIn(page, client);
    await scanItem(page, itemID);
    await page.getByText('Last transactions').waitFor();
    const { manifest, errors } = await (await context.newCDPSession(page)).send('Page.getAppManifest');
    expect([errors, manifest.name, manifest.icons?.length]).toEqual([[], 'Inventory', 3]);
    await page.evaluate('navigator.serviceWorker.ready');
    const cached = await page.evaluate<string[]>(`(async () => {
      const found = [];
      for (const name of await caches.keys())
        for (const { url } of await (await caches.open(name)).keys()) found.push(new URL(url).pathname);
      return found;
    })()`);
    expect(cached.length).toBeGreaterThan(30);
    expect(cached.filter((path) => !path.startsWith('/console/'))).toEqual([]);
    const kept = () =>
      page.evaluate<string>(`(async () => {
        const { recall } = await import('/console/base/device-store.js');
        const stored = await Promise.all(['clientId', 'signIn', 'deviceID'].map(recall));
        return JSON.stringify([stored, { ...localStorage }, { ...sessionStorage }, document.cookie]);
      })()`);
    expect(await kept()).toContain(client.clientId);
    expect(await kept()).not.toContain(client.secret);
    await page.reload();
    await page.getByLabel('Client secret').waitFor();
    await expect.poll(() => page.getByLabel('Client ID').inputValue()).toBe(client.clientId);
  });

  test('a client sees only what it may do, and names with markup or from right to left stay text', async () => {
    const client = await service.client({ permissions: [11, 95] });
    const description = 'שלום <img src=x onerror=alert(1)>';
    await service.item({ shortID: '<b>BOLD</b>', description });
    const { page, complaints } = await open();
    await signIn(page, client);
    await wedge(page, '<b>BOLD</b>');
    await page.getByText(description).waitFor();
    await page.getByRole('button', { name: 'Receive' }).waitFor();
    for (const name of ['Move', 'Issue', 'Count'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    expect(await page.locator('main b, main img').count()).toBe(0);
    await typeInto(page, 'Scan', 'no-such-code');
    await page.keyboard.press('Enter');
    await page.getByText('No match').waitFor();
    expect(complaints).toEqual([]);
  });

  const looks = [390, 1280].flatMap((width) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
  );

  test.each(looks)(
    'every view at $width px, $colorScheme: readable, labelled, and not too wide',
    async (look) => {
      const client = await service.client();
      const wide = await service.item({
        description: 'M'.repeat(200),
        shortID: `WIDE-${'W'.repeat(40)}-${look.width}${look.colorScheme}`,
      });
      const recNo = await receiveLot(client, wide, 5, { spot: 'A-1', serial: 'S'.repeat(50) });
      const { page } = await open({
        viewport: { width: look.width, height: look.width === 390 ? 844 : 800 },
        colorScheme: look.colorScheme,
      });
      const check = (view: string) => expectReadable(page, view);
      await check('sign in');
      await signIn(page, client);
      await check('home');
      await scanItem(page, wide);
      await page.getByText('Last transactions').waitFor();
      await check('item');
      await page.getByRole('button', { name: 'Count' }).press('Enter');
      await page.getByLabel('Counted').waitFor();
      await check('count');
      for (const name of ['Lots', 'Levels', 'Items', 'Transactions']) {
        await page.getByRole('link', { name, exact: true }).click();
        await page.getByText(' found').waitFor();
        await page.getByRole('table', { name }).waitFor();
        await check(name);
      }
      await page.getByLabel('Scan', { exact: true }).focus();
      await wedge(page, String(recNo));
      await page.getByText('History').waitFor();
      await check('lot');
    },
  );

  test('when its place in the changes is lost, a page reads again whatever it shows', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await receiveLot(client, itemID, 1);
    const { page } = await open();
    let lose = () => {};
    const isLost = new Promise<void>((resolve) => {
      lose = resolve;
    });
    const refusal = { statusCode: 409, error: 'conflict', message: 'Restored.', reason: 'cursorOutdated' };
    await page.route(/\/Changes\?(?!.*after=now)/, async (route) => {
      await isLost;
      await route.fulfill({ status: 409, json: refusal });
    });
    await signIn(page, client);
    await scanItem(page, itemID);
    const shown = () => page.locator('.figures strong').first().textContent();
    await expect.poll(shown).toBe('1');
    await receiveLot(client, itemID, 2);
    lose();
    await expect.poll(shown).toBe('3');
  });

  test.for(['Code128', 'DataMatrix'] as const)('%s: a code before the camera is scanned', async (format) => {
    const client = await service.client();
    const itemID = await service.item();
    const serial = `LOT-${format}`;
    await receiveLot(client, itemID, 3, { serial });
    // The codes of GS1 begin with what the label says first, here the lot.
    const filming = await startBrowser(await filmOf(`(10)${serial}`, format));
    onTestFinished(() => filming.close());
    const { page, hosts, complaints } = await openConsole(await filming.newContext(), service);
    await signIn(page, client);
    const reader = page.waitForRequest(/zxing_reader\.wasm/);
    await page.getByRole('button', { name: 'Camera' }).press('Enter');
    // Of the version of the page, whichever the service has.
    expect((await reader).url()).toMatch(/\.wasm\?v=\w{16}$/);
    await page.getByRole('link', { name: itemID }).first().waitFor();
    await page.getByText(serial, { exact: true }).first().waitFor();
    expect(complaints).toEqual([]);
    expect([...hosts]).toEqual([new URL(service.baseUrl).host]);
  });
});

describe('GET /console', () => {
  const { pathname } = new URL('http://x/console/');
  const at = (path: string, options: RequestInit = {}) =>
    fetch(`${new URL(service.baseUrl).origin}${pathname}${path}`, options);

  test('308 without the slash, and 200: the page, which takes everything from here', async () => {
    const { origin } = new URL(service.baseUrl);
    const { status, headers } = await fetch(`${origin}/console`, { redirect: 'manual' });
    expect([status, headers.get('Location')]).toEqual([308, 'console/']);
    const answer = await at('');
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = answer.headers.get('Content-Security-Policy')!;
    expect(policy).toContain("default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'sha256-");
    expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'|https?:|\*/);
    expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(await answer.text()).not.toMatch(/https?:/);
  });

  test('its first view is below 200 kB, compressed; 304: unchanged; 404: any other file; 405: any other method', async () => {
    const worker = await (await at('service-worker.js')).text();
    const { paths } = JSON.parse(/^const kept = (.*);$/m.exec(worker)![1]!);
    expect(paths).toContain('client/client.ts');
    let bytes = 0;
    for (const path of paths) {
      const answer = await at(path);
      expect([path, answer.status]).toEqual([path, 200]);
      bytes += Number(answer.headers.get('Content-Length'));
      const headers = { 'If-None-Match': answer.headers.get('ETag')!, 'Cache-Control': 'max-age=0' };
      expect((await at(path, { headers })).status).toBe(304);
      await answer.arrayBuffer();
    }
    expect(bytes).toBeGreaterThan(20_000);
    expect(bytes).toBeLessThan(200_000);
    for (const path of ['index.html', 'package.json', '%2e%2e/package.json', 'client/api/schema.ts'])
      expect((await at(path)).status, path).toBe(404);
    expect((await at('', { method: 'POST' })).status).toBe(405);
  });
});

describe('with CONSOLE=false', () => {
  const without = useService({ workers: 0, env: { CONSOLE: 'false' } });

  test('404: there is no page', async () => {
    const { origin } = new URL(without.baseUrl);
    for (const path of ['/console', '/console/', '/console/main.js'])
      expect((await fetch(`${origin}${path}`)).status).toBe(404);
  });
});
