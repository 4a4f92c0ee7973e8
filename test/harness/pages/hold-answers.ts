import type { Page, Route } from 'playwright-core';

/**
 * Holds the answers to a call until they are let go. `answer`: the way to answer then; by default, the
 * service gets the call at once.
 */
export async function holdAnswers(
  page: Page,
  path: string | RegExp,
  answer?: (route: Route) => Promise<void>,
): Promise<{ letGo: () => void; begun: () => number }> {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let begun = 0;
  await page.route(path, async (route) => {
    const response = answer === undefined ? await route.fetch() : null;
    begun += 1;
    await held;
    if (response === null) await answer!(route);
    // Its reader may have gone.
    else await route.fulfill({ response }).catch(() => {});
  });
  return { letGo: () => letGo(), begun: () => begun };
}
