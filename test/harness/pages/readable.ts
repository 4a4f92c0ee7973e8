import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { overflowOf } from './console.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
type Scheme = 'light' | 'dark';

/** Expects that a view is labelled, readable in these schemes, and not wider than the window. */
export async function expectReadable(
  page: Page,
  view: string,
  schemes: readonly Scheme[] = [],
): Promise<void> {
  await page.evaluate(axe);
  for (const colorScheme of schemes.length === 0 ? [undefined] : schemes) {
    if (colorScheme !== undefined) await page.emulateMedia({ colorScheme });
    const violations = await page.evaluate(
      'axe.run().then((found) => found.violations.map(({ id, nodes }) => [id, nodes[0].html]))',
    );
    expect([view, colorScheme, violations, await overflowOf(page)]).toEqual([view, colorScheme, [], 0]);
  }
}
