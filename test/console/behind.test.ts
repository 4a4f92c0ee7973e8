import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../harness/pages/browser.ts';
import { openConsole, scanItem, signIn } from '../harness/pages/console.ts';
import { useBrowser } from '../harness/pages/use-browser.ts';
import { useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService();

describe.skipIf(!hasBrowser)('in a browser (skipped without Chromium)', () => {
  const browser = useBrowser();

  // `answers`: so many calls are told that more is behind them; the next one waits for its answer.
  test.each([
    { answers: 1, isScanned: true, told: 'a view that is opened while more changes wait is read again' },
    { answers: Infinity, isScanned: false, told: 'a page that cannot keep up reads again what it shows' },
  ])('$told, and follows them again later', async ({ answers, isScanned }) => {
    const client = await service.client({ rateLimit: 100_000 });
    const itemID = await service.item();
    await receiveLot(client, itemID, 5);
    const { page } = await openConsole(await browser.newContext(), service);
    const [begins, ends] = [gate(), gate()];
    let calls = 0;
    let isOver = false;
    await page.route(/\/Changes\?(?!.*after=now)/, async (route) => {
      await begins.opened;
      if (isOver) return route.continue();
      calls += 1;
      const nextCursor = new URL(route.request().url()).searchParams.get('after');
      if (calls <= answers) return route.fulfill({ json: { value: [], nextCursor, hasMore: true } });
      await ends.opened;
      return route.continue();
    });
    await signIn(page, client);
    const shown = () => page.locator('.figures strong').first().textContent();
    await scanItem(page, itemID);
    await expect.poll(shown).toBe('5');
    await receiveLot(client, itemID, 2);
    begins.open();
    await expect.poll(() => calls).toBeGreaterThan(1);
    if (isScanned) await scanItem(page, itemID);
    await expect.poll(shown).toBe('7');
    isOver = true;
    ends.open();
    await receiveLot(client, itemID, 1);
    await expect.poll(shown).toBe('8');
  });
});

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
