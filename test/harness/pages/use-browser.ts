import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { beforeAll, onTestFinished } from 'vitest';
import { slowMs, startBrowser } from './browser.ts';

// All files of a process share one. It ends with the process.
let starting: Promise<Browser> | null = null;

async function sharedBrowser(): Promise<Browser> {
  const browser = await starting?.catch(() => null);
  if (!browser?.isConnected()) starting = startBrowser();
  return starting!;
}

/**
 * A browser for the tests of a suite. `newContext` opens one that is closed with its test. `finished`: of a
 * test that runs beside others.
 */
export function useBrowser() {
  let browser: Browser;
  beforeAll(async () => {
    browser = await sharedBrowser();
  });
  return {
    async newContext(options?: BrowserContextOptions, finished = onTestFinished): Promise<BrowserContext> {
      const context = await browser.newContext(options);
      finished(async ({ task }) => {
        if (task.result?.state === 'fail') await tellPages(context);
        await context.close();
      });
      return context;
    },
  };
}

/** Prints what the pages show, for the log of a failure. */
async function tellPages(context: BrowserContext): Promise<void> {
  for (const page of context.pages()) {
    const shown = await page
      .locator('body')
      .ariaSnapshot({ timeout: slowMs })
      .catch((error: Error) => error.message);
    process.stdout.write(`${page.url()} shows:\n${shown}\n`);
  }
}
