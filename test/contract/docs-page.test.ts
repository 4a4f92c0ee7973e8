import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, startBrowser } from '../harness/browser.ts';
import { useService } from '../harness/service.ts';

const service = useService();

describe('GET /docs', () => {
  test('200: a page that is read from this service only', async () => {
    const answer = await fetch(`${service.baseUrl}/docs`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(answer.headers.get('Content-Security-Policy')).toContain("default-src 'none'; script-src 'self';");
    expect(await answer.text()).not.toMatch(/https?:/);
  });

  test('308: with a slash, to the page', async () => {
    const answer = await fetch(`${service.baseUrl}/docs/`);
    expect(answer.url).toBe(`${service.baseUrl}/docs`);
    expect(await answer.text()).toContain('<title>Inventory Management Service API</title>');
  });

  test('200: the files of the page, kept by the browser', async () => {
    for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css', 'page.js', 'page.css']) {
      const answer = await fetch(`${service.baseUrl}/docs/${name}`);
      expect(answer.status, name).toBe(200);
      expect(answer.headers.get('X-Content-Type-Options'), name).toBe('nosniff');
      expect(answer.headers.get('Content-Encoding'), name).toBe('gzip');
      expect((await answer.text()).length, name).toBeGreaterThan(50);
      const again = await fetch(`${service.baseUrl}/docs/${name}`, {
        headers: { 'If-None-Match': answer.headers.get('ETag')!, 'Cache-Control': 'max-age=0' },
      });
      expect(again.status, name).toBe(304);
    }
  });

  test('404: any other file, whatever way leads to it', async () => {
    for (const name of [
      'package.json',
      '%2e%2e/package.json',
      '..%2fpackage.json',
      '..%5cpackage.json',
      'x/y',
    ]) {
      const answer = await fetch(`${service.baseUrl}/docs/${name}`);
      expect([401, 404], name).toContain(answer.status);
      expect(await answer.text(), name).not.toContain('swagger-ui');
    }
  });
});

describe.skipIf(!hasBrowser)('the page in a browser (skipped without Chromium)', () => {
  let browser: Browser;
  let page: Page;
  const hosts = new Set<string>();
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await startBrowser();
    page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).host);
    });
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${service.baseUrl}/docs`);
    await page.locator('.opblock').first().waitFor();
  });

  afterAll(async () => {
    await browser?.close();
  });

  /** Opens an operation, fills it in, sends it; the answer that the page shows. */
  async function tryOut(id: string, fill: () => Promise<void>) {
    const block = page.locator(`#operations-Inventory-${id}`);
    await block.locator('.opblock-summary-control').click();
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
    const document = (await (await fetch(`${service.baseUrl}/openapi.json`)).json()) as {
      paths: Record<string, object>;
    };
    const paths = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(() => path),
    );
    // The page puts places to break a line into the paths.
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

    const received = await tryOut('postInventoryReceive', () =>
      page
        .locator('#operations-Inventory-postInventoryReceive textarea.body-param__text')
        .fill(JSON.stringify({ itemID, units: 12.5, wid: 1, reasonCode: 3 })),
    );
    expect(received.status).toBe(201);
    expect(received.body).toContain('"status": "received"');

    const listed = await tryOut('getInventory', async () => {});
    expect(listed.status).toBe(200);
    expect(listed.body).toContain(itemID);
  });

  test('asks no other host for anything and finds no fault', () => {
    expect([...hosts]).toEqual([new URL(service.baseUrl).host]);
    expect(complaints).toEqual([]);
  });
});
