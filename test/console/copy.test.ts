import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { hasBrowser, slowMs } from '../harness/pages/browser.ts';
import { scanItem, signIn } from '../harness/pages/console.ts';
import { useBrowser } from '../harness/pages/use-browser.ts';
import { useService } from '../harness/service/service.ts';

// A host with a copy of the page, which names the service.
const host = createServer((request, response) => {
  serveCopy(request.url!).then(
    ({ type, content }) => response.writeHead(200, { 'Content-Type': type }).end(content),
    () => response.writeHead(502).end(),
  );
});
await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
const service = useService({ env: { CORS_ORIGINS: origin } });

async function serveCopy(path: string) {
  const answer = await fetch(new URL(path, service.baseUrl));
  const content = Buffer.from(await answer.arrayBuffer());
  const type = answer.headers.get('Content-Type')!;
  if (!type.startsWith('text/html')) return { type, content };
  return { type, content: content.toString().replace('content="../api/v1"', `content="${service.baseUrl}"`) };
}

describe.skipIf(!hasBrowser)('in a browser (skipped without Chromium)', () => {
  const browser = useBrowser();
  afterAll(() => void host.close());

  test('a copy of the page under an origin of its own works with the service that it names', async () => {
    const client = await service.client();
    const itemID = await service.item({ description: 'Seen from elsewhere' });
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(slowMs);
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).origin));
    await page.goto(`${origin}/console/`);
    await signIn(page, client);
    await scanItem(page, itemID);
    await page.getByText('Seen from elsewhere').waitFor();
    expect([...hosts].sort()).toEqual([origin, new URL(service.baseUrl).origin].sort());
  });
});
