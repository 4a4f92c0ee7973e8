import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { startBrowser } from './browser.ts';

/** A browser for the tests of a suite. `newContext` opens one that is closed with its test. */
export function useBrowser() {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());
  return {
    async newContext(options?: BrowserContextOptions): Promise<BrowserContext> {
      const context = await browser.newContext(options);
      onTestFinished(() => context.close());
      return context;
    },
  };
}
