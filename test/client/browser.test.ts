import { join } from 'node:path';
import type * as Package from '@inventory/client';
import { build } from 'esbuild';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Fault, startFaultProxy } from '../harness/network/fault-proxy.ts';
import { hasBrowser, slowMs, startBrowser } from '../harness/pages/browser.ts';
import { useService } from '../harness/service/service.ts';
import { credentialsFor, typedClient } from '../harness/service/typed-client.ts';

const service = useService();

/** Runs in the page, where the package is. */
declare const client: typeof Package;
declare const inventory: Package.InventoryClient;
declare const queue: Package.OfflineQueue;

async function openPage(context: BrowserContext, origin: string): Promise<Page> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '../../packages/client/src/index.ts')],
    ...{ bundle: true, write: false, format: 'esm', platform: 'browser', logLevel: 'error' },
  });
  const page = await context.newPage();
  page.setDefaultTimeout(slowMs);
  await page.route('**/page/**', (route) =>
    route.request().url().endsWith('.js')
      ? route.fulfill({ contentType: 'text/javascript', body: outputFiles[0]!.text })
      : route.fulfill({
          contentType: 'text/html',
          body: `<script type="module">import * as client from '/page/client.js'; window.client = client;</script>`,
        }),
  );
  await page.goto(`${origin}/page/index.html`);
  return page;
}

/** Makes the client and the queue of the page, as its script would. */
function begin(page: Page, credentials: { clientId: string; clientSecret: string }): Promise<void> {
  return page.evaluate(({ clientId, clientSecret }) => {
    const { InventoryClient, indexedDbStorage } = client;
    const made = new InventoryClient({ baseUrl: '/api/v1', clientId, clientSecret });
    const storage = indexedDbStorage('scans');
    Object.assign(globalThis, { inventory: made, queue: made.offlineQueue({ storage, deviceID: 'phone' }) });
  }, credentials);
}

test.skipIf(!hasBrowser)(
  'in a browser: a queue in IndexedDB outlives the page, pages share it, and each operation is applied once',
  async () => {
    const itemID = await service.item();
    const credentials = await credentialsFor(service);
    let way: Fault = 'drop';
    const proxy = await startFaultProxy(service.baseUrl, () => way);
    const { origin } = new URL(proxy.baseUrl);
    const browser = await startBrowser();
    try {
      const context = await browser.newContext();
      const first = await openPage(context, origin);
      await begin(first, credentials);
      const push = (page: Page, count: number) =>
        page.evaluate(
          async ([itemID, count]) => {
            for (let index = 0; index < count; index++)
              await queue.push({ op: 'receive', itemID, units: '0.1', wid: 1, reasonCode: 0 });
            return queue.size;
          },
          [itemID, count] as const,
        );
      expect(await push(first, 3)).toBe(3);
      await first.reload();
      await begin(first, credentials);
      const second = await openPage(context, origin);
      await begin(second, credentials);
      expect(await push(second, 2)).toBe(5);
      way = 'pass';
      const drain = (page: Page) => page.evaluate(() => queue.drained());
      await Promise.all([drain(first), drain(second)]);
      const told = await second.evaluate(async () => {
        const { results } = await inventory.scan({ scans: [{ data: 'nothing' }] });
        return [results[0]!.matches.length, queue.refused.length];
      });
      expect(told).toEqual([0, 0]);
    } finally {
      await browser.close();
    }
    const direct = await typedClient(service);
    const seqs = [];
    for await (const { deviceSeq } of direct.transactions({ itemID })) seqs.unshift(deviceSeq);
    expect(seqs).toEqual([1, 2, 3, 4, 5]);
  },
);

test.skipIf(!hasBrowser)(
  'in a browser: whenever the browser closes a connection to IndexedDB, each call ends, and nothing is stored twice',
  async () => {
    const proxy = await startFaultProxy(service.baseUrl, () => 'drop');
    const { origin } = new URL(proxy.baseUrl);
    const browser = await startBrowser();
    try {
      const context = await browser.newContext();
      const page = await openPage(context, origin);
      await begin(page, await credentialsFor(service));
      // As when somebody clears the data of the page: between two operations, and in the midst of many.
      const session = await context.newCDPSession(page);
      const clear = () => session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' });
      const push = (count: number) =>
        page.evaluate(async (count) => {
          const operation = { op: 'receive', itemID: 'A', units: 1, wid: 1, reasonCode: 0 } as const;
          await Promise.all(Array.from({ length: count }, () => queue.push(operation)));
        }, count);
      await push(1);
      const keptKeys = () =>
        page.evaluate(async () => {
          const { waiting } = await client.indexedDbStorage('scans').load();
          return waiting.map(({ operation }) => operation.key);
        });
      for (let round = 0; round < 4; round++) {
        await Promise.all([push(50), clear(), clear()]);
        const kept = await keptKeys();
        expect(new Set(kept).size).toBe(kept.length);
      }
      await clear();
      await push(1);
      expect(await keptKeys()).toHaveLength(1);
    } finally {
      await browser.close();
    }
  },
);
