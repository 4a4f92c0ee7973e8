import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasBrowser, slowMs, startBrowser } from '../harness/pages/browser.ts';
import { filmOf } from '../harness/pages/film.ts';
import { useBrowser } from '../harness/pages/use-browser.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();
const next = 'f'.repeat(16);
const ofNext = '/* of the next version */';

/**
 * Serves the page of this service and the next version of it behind one address. `versions`: those that
 * answer, in turn. The next one has another name, and each of its scripts says so.
 */
async function startBoth(versions: () => ('this' | 'next')[]): Promise<{ server: Server; origin: string }> {
  const { origin: real } = new URL(service.baseUrl);
  const worker = await (await fetch(`${real}/console/service-worker.js`)).text();
  const { version } = JSON.parse(/^const kept = (.*);$/m.exec(worker)![1]!);
  let turn = 0;
  const answer = async (path: string) => {
    const answering = versions();
    const isNext = answering[turn++ % answering.length] === 'next';
    const asked = /[?&]v=(\w+)/.exec(path)?.[1];
    if (isNext && asked !== undefined && asked !== next) return { status: 404, type: 'text/plain', text: '' };
    const found = await fetch(real + (isNext ? path.replace(next, version) : path));
    const type = found.headers.get('Content-Type') ?? 'text/plain';
    const text = await found.text();
    const isScript = type.startsWith('text/javascript');
    return {
      ...{ status: found.status, type },
      text: isNext ? text.replaceAll(version, next) + (isScript ? ofNext : '') : text,
    };
  };
  const server = createServer((request, response) => {
    answer(request.url!).then(
      ({ status, type, text }) => response.writeHead(status, { 'Content-Type': type }).end(text),
      () => response.writeHead(502).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('404: a file of another version than is asked for', async () => {
  const { origin } = new URL(service.baseUrl);
  const page = await (await fetch(`${origin}/console/`)).text();
  const named = /main\.js\?v=\w+/.exec(page)![0];
  expect((await fetch(`${origin}/console/${named}`)).status).toBe(200);
  expect((await fetch(`${origin}/console/main.js?v=${next}`)).status).toBe(404);
});

describe.skipIf(!hasBrowser)('in a browser (skipped without Chromium)', () => {
  const browser = useBrowser();

  test('while two versions are deployed behind one address, a device keeps the files of one of them alone', async () => {
    let versions: ('this' | 'next')[] = ['this'];
    const { server, origin } = await startBoth(() => versions);
    onTestFinished(() => {
      server.close();
    });
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(slowMs);
    await page.goto(`${origin}/console/`);
    await page.getByLabel('Client secret').waitFor();
    await page.evaluate('navigator.serviceWorker.ready');
    const kept = () =>
      page.evaluate<Record<string, string[]>>(`(async () => {
        const found = {};
        for (const name of await caches.keys()) {
          const cache = await caches.open(name);
          for (const request of await cache.keys()) {
            if (!/[.][jt]s$/.test(request.url)) continue;
            const text = await (await cache.match(request)).text();
            (found[name] ??= []).push(text.endsWith('${ofNext}') ? 'next' : 'this');
          }
        }
        return found;
      })()`);
    const before = Object.entries(await kept());
    expect(before.map(([, files]) => [...new Set(files)])).toEqual([['this']]);
    versions = ['next', 'this', 'this'];
    // A browser asks again and again; which version answers is chance.
    const keptNext = async () => {
      await page.evaluate('navigator.serviceWorker.ready.then((ready) => ready.update()).catch(() => {})');
      return (await kept())[`console-${next}`]?.length;
    };
    await expect.poll(keptNext).toBe(before[0]![1].length);
    for (const [name, files] of Object.entries(await kept()))
      expect([name, [...new Set(files)]]).toEqual([name, [name.endsWith(next) ? 'next' : 'this']]);
    versions = ['next'];
    await page.reload();
    await page.getByLabel('Client secret').waitFor();
  });

  test('a page that stays open while the service is upgraded says that the camera needs a reload', async () => {
    let versions: ('this' | 'next')[] = ['this'];
    const { server, origin } = await startBoth(() => versions);
    const filming = await startBrowser(await filmOf('(10)LOT', 'Code128'));
    onTestFinished(async () => {
      await filming.close();
      server.close();
    });
    const page = await filming.newPage();
    page.setDefaultTimeout(slowMs);
    await page.goto(`${origin}/console/`);
    await page.getByLabel('Client secret').waitFor();
    versions = ['next'];
    await page.getByRole('button', { name: 'Scan a code' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Camera' });
    await dialog.getByText('This page was updated meanwhile. Reload it to use the camera.').waitFor();
  });
});
