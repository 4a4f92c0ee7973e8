import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Service } from '../service/service.ts';
import { slowMs } from './browser.ts';
import { typeByHand, wedge } from './hands.ts';
import { holdAnswers } from './hold-answers.ts';

/** A page of the console with what its browser asked for and complained of. */
export type OpenConsole = { page: Page; hosts: Set<string>; complaints: string[] };

/** Opens the console of the service in a tab of this context. */
export async function openConsole(
  context: BrowserContext,
  service: Pick<Service, 'baseUrl'>,
): Promise<OpenConsole> {
  const page = await context.newPage();
  page.setDefaultTimeout(slowMs);
  const hosts = new Set<string>();
  const complaints: string[] = [];
  page.on('request', (request) => hosts.add(new URL(request.url()).host));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // The browser names every answer that is no success, and every request that failed offline.
    if (message.type() === 'error' && !message.text().includes('Failed to load resource'))
      complaints.push(message.text());
  });
  await page.goto(`${new URL(service.baseUrl).origin}/console`);
  return { page, hosts, complaints };
}

/**
 * Reloads the page, which then starts until it is let go. `beganAt`: since when it has heard keys, in
 * milliseconds of the clock.
 */
export async function startSlowly(page: Page): Promise<{ letGo: () => void; beganAt: number }> {
  const { letGo } = await holdAnswers(page, '**/main.js*');
  await page.reload({ waitUntil: 'commit' });
  const since = () => page.evaluate('performance.timeOrigin + window.earlyKeys?.since');
  await expect.poll(since).toBeGreaterThan(0);
  return { letGo, beganAt: Number(await since()) };
}

/** Signs in by the keyboard alone. */
export async function signIn(...given: Parameters<typeof trySignIn>): Promise<void> {
  await trySignIn(...given);
  await given[0].getByLabel('Scan', { exact: true }).waitFor();
}

/** The same, but does not wait for the page behind it. */
export async function trySignIn(
  page: Page,
  client: { clientId: string; secret: string },
  options: { isKept?: boolean } = {},
): Promise<void> {
  await page.getByLabel('Client ID').focus();
  await page.keyboard.type(client.clientId);
  await page.keyboard.press('Tab');
  await page.keyboard.type(client.secret);
  await page.keyboard.press('Tab');
  if (options.isKept) await page.keyboard.press('Space');
  await page.keyboard.press('Enter');
}

/** Scans the name of an item, and waits until the page shows it. */
export async function scanItem(page: Page, itemID: string): Promise<void> {
  const answered = page.waitForResponse((answer) => answer.url().endsWith('/Scan'));
  await wedge(page, itemID);
  await answered;
  await page.getByRole('heading', { name: itemID }).waitFor();
}

/** Opens the form of an action, fills it in by hand, and confirms. */
export async function fillIn(page: Page, action: string, fields: Record<string, string>): Promise<void> {
  await openForm(page, action);
  for (const [label, value] of Object.entries(fields)) await typeInto(page, label, value);
  await page.getByRole('button', { name: 'Confirm' }).press('Enter');
}

/** Opens the form of an action, and waits for it. */
export async function openForm(page: Page, action: string): Promise<void> {
  await page.getByRole('button', { name: action }).press('Enter');
  await page.locator('form.work').waitFor();
}

/** Scans a spot into the open form, and takes it for the spot if it never had stock. */
export async function scanInto(page: Page, spot: string, label: string): Promise<void> {
  const field = page.getByLabel(label, { exact: true });
  await field.focus();
  await wedge(page, spot);
  const form = page.locator('form.work');
  await form
    .getByText(new RegExp(`${label} ${spot}|No match for|could not look up`))
    .first()
    .waitFor();
  const use = page.getByRole('button', { name: `Use as ${label.toLowerCase()}`, exact: true });
  if ((await use.count()) > 0) await use.press('Enter');
  await form.getByText(`${label} ${spot}.`).waitFor();
}

/**
 * Goes to a field and types into it by hand, in place of what stands there. A date is typed as its month,
 * day, year.
 */
export async function typeInto(page: Page, label: string, value: string): Promise<void> {
  const field = page.getByLabel(label, { exact: true });
  await field.focus();
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value) ?? [];
  if (year === undefined) await page.keyboard.press('Control+A');
  await typeByHand(page, year === undefined ? value : `${month}${day}${year}`);
}

/** How far the page is wider than the window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
