import type { BrowserContext, Page } from 'playwright-core';
import type { Service } from '../service/service.ts';

// A slow machine is no error.
const slowMs = 60_000;

/** A page of the console with what its browser asked for and complained of. */
export type OpenConsole = { page: Page; hosts: Set<string>; complaints: string[] };

/** Opens the console of the service in a tab of this context. */
export async function openConsole(context: BrowserContext, service: Service): Promise<OpenConsole> {
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

/** Signs in by the keyboard alone. */
export async function signIn(
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
  await page.getByLabel('Scan', { exact: true }).waitFor();
}

/** Scans as a scanner that types does: fast keys that end in Enter, wherever the focus is. */
export async function wedge(page: Page, code: string): Promise<void> {
  await page.keyboard.type(code);
  await page.keyboard.press('Enter');
}

/** Scans the name of an item, and waits until the page shows it. */
export async function scanItem(page: Page, itemID: string): Promise<void> {
  const answered = page.waitForResponse((answer) => answer.url().endsWith('/Scan'));
  await wedge(page, itemID);
  await answered;
  await page.getByRole('heading', { name: itemID }).waitFor();
}

/** Opens the form of an action, fills it in, and confirms. */
export async function fillIn(page: Page, action: string, fields: Record<string, string>): Promise<void> {
  await page.getByRole('button', { name: action }).press('Enter');
  for (const [label, value] of Object.entries(fields))
    await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByRole('button', { name: 'Confirm' }).press('Enter');
}

/** How far the page is wider than the window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
