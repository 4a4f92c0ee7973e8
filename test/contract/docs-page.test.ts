import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hasBrowser, slowMs, startBrowser } from '../harness/pages/browser.ts';
import { faintTexts } from '../harness/pages/faint-texts.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();

const get = (path: string, options: RequestInit = {}) => fetch(`${service.baseUrl}${path}`, options);
const titled = '<title>Inventory Management Service API</title>';

describe('GET /docs', () => {
  test('200: a page that loads everything from this service', async () => {
    const answer = await get('/docs');
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(answer.headers.get('Content-Security-Policy')).toContain("default-src 'none'; script-src 'self';");
    expect(await answer.text()).not.toMatch(/https?:/);
  });

  test('302 from the root of the public port to the page, without a token', async () => {
    const { origin, pathname } = new URL(`${service.baseUrl}/docs`);
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await fetch(`${origin}/`, { method, redirect: 'manual' });
      // Relative: a proxy may serve the service under another path.
      expect([status, headers.get('Location')]).toEqual([302, `.${pathname}`]);
    }
    expect(await (await fetch(`${origin}/`)).text()).toContain(titled);
    expect((await fetch(`${origin}/`, { method: 'POST' })).status).toBe(404);
  });

  test('308 with a trailing slash, to the page', async () => {
    const answer = await get('/docs/');
    expect(answer.url).toBe(`${service.baseUrl}/docs`);
    expect(await answer.text()).toContain(titled);
  });

  test.each(['swagger-ui-bundle.js', 'swagger-ui.css', 'page.js', 'page.css'])(
    '200: its file %s, compressed; 304: unchanged',
    async (name) => {
      const answer = await get(`/docs/${name}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(answer.headers.get('Content-Encoding')).toBe('gzip');
      expect((await answer.text()).length).toBeGreaterThan(50);
      const headers = { 'If-None-Match': answer.headers.get('ETag')!, 'Cache-Control': 'max-age=0' };
      expect((await get(`/docs/${name}`, { headers })).status).toBe(304);
    },
  );

  test.each(['package.json', '%2e%2e/package.json', '..%2fpackage.json', '..%5cpackage.json', 'x/y'])(
    '404: /docs/%s, any other file',
    async (name) => {
      const answer = await get(`/docs/${name}`);
      expect([401, 404]).toContain(answer.status);
      expect(await answer.text()).not.toContain('swagger-ui');
    },
  );
});

describe.skipIf(!hasBrowser)('the page in a browser (skipped without Chromium)', () => {
  let browser: Browser;
  let page: Page;
  const hosts = new Set<string>();
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await startBrowser();
    page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
    await show(page);
  });

  afterAll(async () => {
    await browser?.close();
  });

  async function show(tab: Page) {
    tab.on('request', (request) => {
      if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).host);
    });
    tab.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    tab.on('pageerror', (error) => complaints.push(error.message));
    tab.setDefaultTimeout(slowMs);
    await tab.goto(`${service.baseUrl}/docs`);
    await tab.locator('.opblock').first().waitFor();
  }

  /** Opens the page in its own tab. */
  async function openPage(options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
    const other = await browser.newPage(options);
    onTestFinished(() => other.close());
    await show(other);
    return other;
  }

  /** Opens an operation. */
  async function openOperation(tab: Page, id: string) {
    const block = tab.locator(`#operations-${id}`);
    await block.locator('.opblock-summary-control').click();
    return block;
  }

  /** Opens an operation, fills it in and sends it; returns the answer shown on the page. */
  async function tryOut(id: string, fill: () => Promise<void>) {
    const block = await openOperation(page, `Inventory-${id}`);
    await block.getByRole('button', { name: 'Try it out' }).click();
    await fill();
    await block.getByRole('button', { name: 'Execute', exact: true }).click();
    const live = block.locator('.live-responses-table .response');
    await live.waitFor();
    const status = await live.locator('.response-col_status').textContent();
    const body = await live.locator('.highlight-code').first().textContent();
    return { status: Number.parseInt(status ?? '', 10), body };
  }

  test('shows the title and every operation', async () => {
    expect(await page.title()).toBe('Inventory Management Service API');
    const shown = await page.locator('.opblock-summary-path').allTextContents();
    const document = (await (await get('/openapi.json')).json()) as { paths: Record<string, object> };
    const paths = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(() => path),
    );
    // The page inserts break opportunities into the paths.
    expect(shown.map((path) => path.replaceAll('\u200b', '')).sort()).toEqual(paths.sort());
  });

  test('gets a token with a client id and secret, lists lots and receives stock', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    const dialog = page.locator('.auth-container', { hasText: 'clientCredentials' });
    await dialog.locator('#client_id_clientCredentials').fill(client.clientId);
    await dialog.locator('#client_secret_clientCredentials').fill(client.secret);
    await dialog.getByRole('button', { name: 'Apply given OAuth2 credentials' }).click();
    await dialog.getByRole('button', { name: 'Remove authorization' }).waitFor();
    await page.locator('.btn-done').first().click();

    const body = JSON.stringify({ itemID, units: 12.5, wid: 1, reasonCode: 3 });
    const received = await tryOut('receive', () =>
      page.locator('#operations-Inventory-receive textarea.body-param__text').fill(body),
    );
    expect(received.status).toBe(201);
    expect(received.body).toContain('"status": "received"');

    const listed = await tryOut('listLots', async () => {});
    expect(listed.status).toBe(200);
    expect(listed.body).toContain(itemID);
  });

  test('asks for client id and secret before a token, and starts there', async () => {
    const other = await openPage();
    await other.getByRole('button', { name: 'Authorize' }).first().click();
    const boxes = other.locator('.modal-ux input');
    await boxes.nth(2).waitFor();
    const names = await boxes.evaluateAll((all) => all.map(({ id }) => id));
    expect(names.slice(0, 2)).toEqual(['client_id_clientCredentials', 'client_secret_clientCredentials']);
    const focused = () => other.evaluate('document.activeElement.id');
    await expect.poll(focused).toBe('client_id_clientCredentials');
  });

  test('fills in the numbers and bodies of the examples when an operation is tried out', async () => {
    const other = await openPage();
    const byNumber = await openOperation(other, 'Item-getItem');
    await byNumber.getByRole('button', { name: 'Try it out' }).click();
    expect(await byNumber.locator('tr[data-param-name] input').first().inputValue()).toBe('1');
  });

  test('is dark when the browser asks for it, also later', async () => {
    const other = await openPage({ colorScheme: 'dark' });
    const lightness = (selector: string, property: string) =>
      other.evaluate(
        `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${property}.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3`,
      ) as Promise<number>;
    expect(await lightness('html', 'backgroundColor')).toBeLessThan(60);
    const receive = await openOperation(other, 'Inventory-receive');
    await receive.locator('table.headers').first().waitFor();
    for (const text of ['.swagger-ui .info p', 'table.headers td', '.response-col_status'])
      expect(await lightness(text, 'color'), text).toBeGreaterThan(150);
    await other.emulateMedia({ colorScheme: 'light' });
    await expect.poll(() => lightness('.swagger-ui .info p', 'color')).toBeLessThan(120);
  });

  test('every text has enough contrast in the dark', async () => {
    const other = await openPage({ colorScheme: 'dark' });
    const receive = await openOperation(other, 'Inventory-receive');
    await receive.locator('.examples-select__section-label').first().waitFor();
    await other.locator('.guides summary').first().click();
    await other.locator('.guides h2').first().waitFor();
    expect(await other.evaluate(`(${faintTexts.toString()})()`)).toEqual([]);
  });

  test('fits a phone: answers are stacked, and nothing scrolls sideways', async () => {
    const phone = await openPage({ viewport: { width: 390, height: 844 } });
    const receive = await openOperation(phone, 'Inventory-receive');
    const rows = receive.locator('.responses-table tr.response');
    await rows.first().waitFor();
    expect(await phone.evaluate('document.documentElement.scrollWidth')).toBe(390);
    // The words of an answer use nearly all of the width, and end inside it.
    for (const cells of [
      'tr.response > td.response-col_description',
      'table.headers tbody td:nth-child(2)',
    ]) {
      const found = await receive.locator(cells).evaluateAll((all) =>
        all.map((each) => {
          const { left, right } = each.getBoundingClientRect();
          return { left, right };
        }),
      );
      expect(found.length).toBeGreaterThan(5);
      for (const { left, right } of found) {
        expect(right - left, cells).toBeGreaterThan(300);
        expect(right, cells).toBeLessThanOrEqual(390);
      }
    }
  });

  test('shows samples of an operation, and the guides, also on a phone', async () => {
    const phone = await openPage({ viewport: { width: 390, height: 844 } });
    const samples = (await openOperation(phone, 'Inventory-receive')).locator('.samples');
    expect(await samples.locator('pre').textContent()).toContain(`"${service.baseUrl}/Inventory/Receive"`);
    await samples.getByRole('button', { name: '@inventory/client' }).click();
    expect(await samples.locator('pre').textContent()).toContain('await inventory.receive({');
    const links = phone.locator('a.guide');
    const guides = phone.locator('.guides details');
    expect(await guides.count()).toBe(await links.count());
    expect(await links.count()).toBeGreaterThan(1);
    for (const [at, link] of (await links.all()).entries()) {
      await link.click();
      await guides.nth(at).locator('h2').first().waitFor();
    }
    expect(phone.url().split('#')[0]).toBe(`${service.baseUrl}/docs`);
    expect(await phone.evaluate('document.documentElement.scrollWidth')).toBe(390);
    // Links between the guides lead to guides.
    for (const link of await phone.locator('.guides a[href$=".md"]').all())
      expect((await get(`/${await link.getAttribute('href')}`)).status).toBe(200);
  });

  test('loads nothing from another host and reports no error', () => {
    expect([...hosts]).toEqual([new URL(service.baseUrl).host]);
    expect(complaints).toEqual([]);
  });
});
