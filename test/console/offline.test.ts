import { describe, expect, onTestFailed, onTestFinished, test } from 'vitest';
import { openStretch } from '../harness/network/through.ts';
import { hasBrowser } from '../harness/pages/browser.ts';
import { openConsole, openForm, scanItem, signIn } from '../harness/pages/console.ts';
import { typeByHand, wedge } from '../harness/pages/hands.ts';
import { useBrowser } from '../harness/pages/use-browser.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();

describe.skipIf(!hasBrowser)('in a browser (skipped without Chromium)', () => {
  const browser = useBrowser();

  const cases = [true, false].flatMap((hasAdapter) =>
    [true, false].map((hasLine) => ({
      ...{ hasAdapter, hasLine },
      adapter: hasAdapter ? 'there' : 'gone',
      line: hasLine ? 'there' : 'gone',
      told: hasLine ? 'works on' : 'is offline',
    })),
  );

  test.each(cases)(
    'the page $told while the service is $line, whatever the browser says of its adapter ($adapter)',
    async ({ hasAdapter, hasLine }) => {
      const client = await service.client();
      const itemID = await service.item();
      const line = await openStretch(service.baseUrl);
      onTestFinished(() => line.close());
      const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
      await context.addInitScript(
        `Object.defineProperty(Navigator.prototype, 'onLine', { get: () => ${hasAdapter} })`,
      );
      const { page } = await openConsole(context, { baseUrl: line.url });
      const asked: string[] = [];
      page.on('request', (request) => asked.push(`asked ${request.url()}`));
      page.on('requestfinished', (request) => asked.push(`answered ${request.url()}`));
      page.on('requestfailed', (request) => asked.push(`failed ${request.url()}`));
      onTestFailed(() => console.error(`the page asked for:\n${asked.slice(-30).join('\n')}`));
      await signIn(page, client, { isKept: true });
      await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
      await scanItem(page, itemID);
      const showsBadge = (text: string) =>
        expect.poll(async () => (await page.locator('.badge').textContent())?.trim()).toBe(text);
      const received = async () =>
        (await client.get(`/Inventory/Transactions?itemID=${itemID}`)).body.value.map(
          ({ lines }: { lines: { delta: number }[] }) => lines[0]!.delta,
        );

      if (!hasLine) line.setState('cut');
      if (!hasAdapter) await page.evaluate("window.dispatchEvent(new Event('offline'))");
      if (!hasLine) await showsBadge('Offline');
      await page.reload();
      await page.getByLabel('Scan', { exact: true }).waitFor();
      if (!hasLine) await showsBadge('Offline');
      if (hasLine) await scanItem(page, itemID);
      else await wedge(page, itemID);
      await openForm(page, 'Receive');
      await typeByHand(page, '3', 'Enter', '1', 'Enter', 'Enter');
      await page.getByText('Received 3').waitFor();
      await showsBadge(hasLine ? '' : 'Offline · 1 waiting');
      expect(await received()).toEqual(hasLine ? [3] : []);
      // The browser tells nothing of this.
      line.setState('open');
      await showsBadge('');
      await expect.poll(received).toEqual([3]);
    },
  );
});
