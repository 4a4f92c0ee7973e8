import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { InventoryClient } from '../../packages/client/src/index.ts';
import { startBrowser } from '../harness/pages/browser.ts';
import { fillIn, openConsole, openForm, scanItem, signIn, typeInto } from '../harness/pages/console.ts';
import { wedge } from '../harness/pages/hands.ts';
import { readOptions } from '../harness/read-options.ts';

const { to, url, id } = readOptions(
  'pictures',
  'Takes pictures of every screen of the page, on a phone and at a desk, in the light and in the dark. The service runs with its demo data; CLIENT_SECRET is the secret of the client.',
  {
    to: { about: 'the folder for the pictures', value: 'folder', default: '.local/pictures' },
    url: { about: 'the base URL', value: 'url', default: 'http://127.0.0.1:3000/api/v1' },
    id: { about: 'the client, best with a high limit of requests', value: 'id', default: 'demo' },
  },
);
const { CLIENT_SECRET: secret = '' } = process.env;

const sizes = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 800 } };
const themes = ['light', 'dark'] as const;
// A page that follows the changes never has an idle network.
const settledMs = 1000;

const client = new InventoryClient({ baseUrl: url, clientId: id, clientSecret: secret });
const [lot] = (await client.lots({ inStock: true, sort: 'received', direction: 'DESC' }).page()).value;
const [transaction] = (await client.transactions({}).page()).value;
const itemID = lot!.shortID;

const view = (path: string) => (page: Page) => page.evaluate(`location.hash = '#/${path}'`);
const form = (action: string, field: string, value: string) => async (page: Page) => {
  await scanItem(page, itemID);
  await openForm(page, action);
  await typeInto(page, field, value);
};

/** The way to each screen from Home. */
const screens: Record<string, (page: Page) => Promise<unknown>> = {
  home: view(''),
  item: (page) => scanItem(page, itemID),
  stock: async (page) => {
    await scanItem(page, itemID);
    const stock = page.getByRole('region', { name: 'Stock over 90 days' });
    await stock.scrollIntoViewIfNeeded();
    await stock.locator('canvas').waitFor();
    // The lists above it have grown meanwhile.
    await stock.evaluate((section) => section.scrollIntoView({ block: 'end' }));
  },
  receive: form('Receive', 'Units', '12'),
  move: form('Move', 'Units', '2'),
  issue: form('Issue', 'Units', '3'),
  count: form('Count', 'Counted', '5'),
  refused: async (page) => {
    await scanItem(page, itemID);
    await fillIn(page, 'Issue', { Units: '999999', Reason: '2' });
  },
  unknown: (page) => wedge(page, '5901234123457'),
  items: view('items'),
  lots: view('lots'),
  levels: view('levels'),
  transactions: view('transactions'),
  search: view('lots?search=wid'),
  lot: view(`lot/${lot!.recNo}`),
  transaction: view(`transaction/${transaction!.transactionNo}`),
  menu: (page) => page.getByRole('button', { name: 'Menu' }).click(),
};

async function take(browser: Browser, size: keyof typeof sizes, colorScheme: (typeof themes)[number]) {
  const context = await browser.newContext({ viewport: sizes[size], colorScheme });
  const { page } = await openConsole(context, { baseUrl: url });
  await page.getByLabel('Client ID').waitFor();
  const shoot = async (name: string) => {
    const file = `${name}-${size}-${colorScheme}.png`;
    await page.screenshot({ path: join(to, file) });
    console.log(file);
  };
  await shoot('sign-in');
  await signIn(page, { clientId: id, secret }, { isKept: true });
  for (const [name, go] of Object.entries(screens)) {
    await view('')(page);
    await page.reload();
    await page.getByLabel('Scan', { exact: true }).waitFor();
    await go(page);
    await page.waitForTimeout(settledMs);
    await shoot(name);
  }
  await context.close();
}

mkdirSync(to, { recursive: true });
const browser = await startBrowser();
for (const size of Object.keys(sizes) as (keyof typeof sizes)[])
  for (const theme of themes) await take(browser, size, theme);
await browser.close();
