import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { addressFor } from '../harness/as-part.ts';
import { readDrawing } from '../harness/codes/read-drawing.ts';
import { hasBrowser } from '../harness/pages/browser.ts';
import {
  fillIn,
  openConsole,
  openForm,
  scanItem,
  signIn,
  startSlowly,
  typeInto,
} from '../harness/pages/console.ts';
import { pace, wedge } from '../harness/pages/hands.ts';
import { expectReadable } from '../harness/pages/readable.ts';
import { useBrowser } from '../harness/pages/use-browser.ts';
import { runHere } from '../harness/service/command-line.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();
const originOf = () => new URL(service.baseUrl).origin;

// biome-ignore lint/suspicious/noExplicitAny: they are of the page, whose types are not known here
declare const indexedDB: any, IDBObjectStore: any;

/** Makes the device take half a second for everything that it forgets. */
function slowStorage(page: Page): Promise<void> {
  return page.evaluate(() => {
    const { delete: forget } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.delete = function (key: string) {
      const until = performance.now() + 500;
      const hold = () => {
        if (performance.now() < until) this.get(key).onsuccess = hold;
      };
      hold();
      return forget.call(this, key);
    };
  });
}

/** The secret that the device keeps. */
function keptSecret(page: Page): Promise<string | undefined> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        const opening = indexedDB.open('inventory-console', 1);
        opening.onsuccess = () => {
          const kept = opening.result.transaction('kept').objectStore('kept').get('signIn');
          kept.onsuccess = () => {
            opening.result.close();
            resolve(kept.result?.clientSecret);
          };
        };
      }),
  );
}

/** Adds a secret by the command line, and reads the code that it draws, as a phone does. */
async function codeOf(
  clientId: string,
  address: string | null = originOf(),
  env: Record<string, string> = {},
) {
  const ended = await runHere(
    ['client', 'secret', '--id', clientId, '--qr', ...(address === null ? [] : [address])],
    {
      DATABASE_URL: addressFor('operator', service.databaseUrl),
      ...env,
    },
  );
  expect([ended.code, ended.stderr]).toEqual([0, '']);
  return { ...ended, text: await readDrawing(ended.stdout) };
}

test('client secret --qr draws the address of the page with id and secret behind #, and does not print the secret', async () => {
  const { clientId } = await service.client();
  const { stdout, text } = await codeOf(clientId, 'https://stock.example.com/api/v1');
  const [, secret] = /^https:\/\/stock\.example\.com\/console\/#id=([^&]+)&secret=(.+)$/.exec(text)!.slice(1);
  expect(secret).toMatch(/^[\w-]{20,}$/);
  expect(stdout).not.toContain(secret);
  expect(stdout).toContain('it opens https://stock.example.com/console/ and signs in');
});

test('without an address, it is that of CERTIFICATE_URL, or this machine, which is told', async () => {
  const { clientId } = await service.client();
  const named = await codeOf(clientId, null, { CERTIFICATE_URL: 'https://stock.example.com:8443' });
  expect(named.text).toMatch(/^https:\/\/stock\.example\.com:8443\/console\/#id=/);
  const own = await codeOf(clientId, null, { PORT: '3999', HOST: '0.0.0.0' });
  expect(own.text).toMatch(/^http:\/\/127\.0\.0\.1:3999\/console\/#id=/);
  expect(own.stdout).toContain('Only this machine reaches that address');
});

describe.skipIf(!hasBrowser)('in a browser (skipped without Chromium)', () => {
  const browser = useBrowser();

  /** Opens a tab and notes whatever leaves it or stands in its log. */
  async function open(width = 390) {
    const context = await browser.newContext({ viewport: { width, height: 844 } });
    const { page, complaints } = await openConsole(context, service);
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('request', (request) => said.push(request.url(), request.postData() ?? ''));
    await page.getByLabel('Client secret').waitFor();
    return { context, page, complaints, said };
  }

  /** Expects that the secret is nowhere but in the request for a token. */
  async function expectUntold(page: Page, context: BrowserContext, text: string, said: readonly string[]) {
    const secret = text.split('secret=')[1]!;
    const history = await (await context.newCDPSession(page)).send('Page.getNavigationHistory');
    const shown = await page.evaluate<string>(
      `document.title + location.href + document.body.innerText + JSON.stringify(history.state)
        + [...document.querySelectorAll('input')].map(({ value }) => value)`,
    );
    // Chromium keeps in memory, beside it, what was typed into its own field.
    expect(JSON.stringify(history.entries.map(({ url, title }) => [url, title])) + shown).not.toContain(
      secret,
    );
    const told = said.filter((each) => each.includes(secret));
    expect(told.filter((each) => !each.startsWith('grant_type='))).toEqual([]);
  }

  test.each([390, 1280])(
    'a code that is opened signs in once, and leaves nothing in the address (%i px)',
    async (width) => {
      const { clientId } = await service.client();
      const { text } = await codeOf(clientId);
      const { context, page, complaints, said } = await open(width);
      await page.goto('about:blank');
      await page.goto(text);
      await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
      await page.getByText(`As ${clientId}, until this page is closed.`).waitFor();
      expect(page.url()).toBe(`${originOf()}/console/`);
      await expectUntold(page, context, text, said);
      await expectReadable(page, 'signed in by a code', ['light', 'dark']);
      // Taken once: whoever reloads has to sign in, unless it was kept.
      await page.reload();
      await page.getByLabel('Client secret').waitFor();
      await page.goto('about:blank');
      await page.goto(text);
      await page.getByRole('button', { name: 'Keep me signed in' }).first().press('Enter');
      await page.getByRole('heading', { name: 'You are signed in' }).waitFor({ state: 'detached' });
      await page.reload();
      await page.getByLabel('Scan', { exact: true }).waitFor();
      expect(complaints).toEqual([]);
    },
  );

  test.each(['Client ID', 'Client secret', 'Keep'])(
    'a scanner that types a code into the sign-in page signs in (%s)',
    async (field) => {
      const { clientId } = await service.client();
      const { text } = await codeOf(clientId);
      const { context, page, said } = await open();
      await page.getByLabel(field, { exact: true }).focus();
      await wedge(page, text);
      await page.getByText(`As ${clientId}, until this page is closed.`).waitFor();
      await expectUntold(page, context, text, said);
    },
  );

  test('a code that is scanned while the page starts signs in; the end of one is shown nowhere', async () => {
    const { clientId } = await service.client();
    const { text } = await codeOf(clientId);
    const { context, page, said } = await open();
    const part = await startSlowly(page);
    await wedge(page, text.split('#i')[1]!, { since: part.beganAt + pace.scanner });
    part.letGo();
    await page.getByRole('alert').getByText('cannot be read. Scan it again.').waitFor();
    await expectUntold(page, context, text, said);
    const whole = await startSlowly(page);
    await wedge(page, text, { since: whole.beganAt + pace.hand });
    whole.letGo();
    await page.getByText(`As ${clientId}, until this page is closed.`).waitFor();
    await expectUntold(page, context, text, said);
  });

  test('a code that is scanned or opened by somebody who is signed in is asked about, and nothing is looked up', async () => {
    const [one, two] = [await service.client(), await service.client()];
    const itemID = await service.item();
    const { text } = await codeOf(two.clientId);
    const { context, page, said } = await open();
    await signIn(page, one);
    await scanItem(page, itemID);
    await openForm(page, 'Receive');
    await typeInto(page, 'Units', '3');
    await wedge(page, text);
    await page.getByRole('heading', { name: `Sign in as ${two.clientId}?` }).waitFor();
    await expectReadable(page, 'another client', ['light', 'dark']);
    await page.getByRole('button', { name: 'Stay' }).press('Enter');
    expect(await page.getByLabel('Units').inputValue()).toBe('3');
    await page.getByRole('button', { name: 'Cancel' }).press('Enter');
    await page.evaluate(`location.href = ${JSON.stringify(text)}`);
    await page.getByRole('button', { name: `Sign in as ${two.clientId}` }).press('Enter');
    await page.getByText(`As ${two.clientId}, until this page is closed.`).waitFor();
    expect(page.url()).toBe(`${originOf()}/console/`);
    // A hand types it, too.
    await typeInto(page, 'Scan', `${originOf()}/console/#id=${one.clientId}&secret=${one.secret}`);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: `Sign in as ${one.clientId}` }).press('Enter');
    await page.getByText(`As ${one.clientId}, until this page is closed.`).waitFor();
    for (const code of [text, `secret=${one.secret}`]) await expectUntold(page, context, code, said);
    expect(said.filter((each) => each.includes('/Scan')).length).toBe(1);
  });

  test('a code that was refused or cannot be read says so; whoever was signed in stays', async () => {
    const [one, two] = [await service.client(), await service.client()];
    const itemID = await service.item();
    const { page } = await open();
    const wrong = `${originOf()}/console/#id=${two.clientId}&secret=no-longer-its-secret`;
    await wedge(page, `${originOf()}/console/#id=&secret=half`);
    await page.getByRole('alert').getByText('cannot be read').waitFor();
    await wedge(page, wrong);
    await page.getByRole('alert').getByText('The client ID or the secret is wrong').waitFor();
    expect(await page.getByLabel('Client secret').inputValue()).toBe('');
    await signIn(page, one);
    await wedge(page, wrong);
    await page.getByRole('button', { name: `Sign in as ${two.clientId}` }).press('Enter');
    await page.getByRole('alert').getByText('The client ID or the secret is wrong').waitFor();
    await page.getByRole('button', { name: 'Stay' }).press('Enter');
    await scanItem(page, itemID);
    await fillIn(page, 'Receive', { Units: '2', Reason: '1' });
    await page.getByText(`Received 2 of ${itemID}`).waitFor();
  });

  test('a new secret of the client that is signed in is taken without a question', async () => {
    const client = await service.client();
    const { text } = await codeOf(client.clientId);
    const { page, said } = await open();
    await signIn(page, client, { isKept: true });
    await slowStorage(page);
    await wedge(page, text);
    const timesSent = () => said.filter((each) => each.includes(text.split('secret=')[1]!)).length;
    await expect.poll(timesSent).toBe(1);
    await service.sql`
      delete from client_secret where client_id = ${client.clientId}
        and created < (select max(created) from client_secret where client_id = ${client.clientId})`;
    await expect.poll(() => page.getByRole('heading', { name: 'Sign in as' }).count()).toBe(0);
    // A page that is left before knows only the secret that is gone.
    await expect.poll(() => keptSecret(page)).toBe(text.split('secret=')[1]);
    await page.getByLabel('Scan', { exact: true }).waitFor();
    expect(timesSent()).toBe(1);
    await page.reload();
    await page.getByLabel('Scan', { exact: true }).waitFor();
  });
});
