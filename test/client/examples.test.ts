import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { installClient } from '../harness/client-package.ts';
import { useFolder } from '../harness/folders.ts';
import { type Fault, startFaultProxy } from '../harness/network/fault-proxy.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { typedClient } from '../harness/service/typed-client.ts';

const service = useService();
const examples = join(import.meta.dirname, '../../examples');
const folder = useFolder();
beforeAll(() => {
  installClient(folder);
});

const running: ChildProcess[] = [];
afterEach(async () => {
  for (const child of running.splice(0)) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
});

/** Starts an example as its reader would, in a project that has the client. */
async function start(example: string, env: Record<string, string>) {
  const name = example.split('/').at(-1)!;
  copyFileSync(join(examples, example), join(folder, name));
  const child = spawn(process.execPath, ['--no-warnings', name], {
    cwd: folder,
    env: { ...process.env, ...env },
  });
  running.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  return {
    child,
    output: () => output,
    /** Waits until it has said this. */
    said: (text: string | RegExp) => expect.poll(() => output, { timeout: 60_000 }).toMatch(text),
  };
}

async function settings(baseUrl = service.baseUrl) {
  const { clientId, secret } = await service.client();
  return { BASE_URL: baseUrl, CLIENT_ID: clientId, CLIENT_SECRET: secret };
}

test('the scanner works offline, and is killed and started again without harm', async () => {
  const itemID = await service.item();
  let way: Fault = 'drop';
  const proxy = await startFaultProxy(service.baseUrl, () => way);
  const env = { ...(await settings(proxy.baseUrl)), QUEUE: 'shift.queue' };
  const first = await start('scanner/scanner.mjs', env);
  first.child.stdin.write(`+5 ${itemID}\n-2 ${itemID}\n-9 ${itemID}\n!\n${itemID}\n`);
  await first.said('3 waiting\n');
  await first.said('no network');
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');

  way = 'pass';
  const second = await start('scanner/scanner.mjs', env);
  second.child.stdin.end(`=3 ${itemID}\n${itemID}\n!\n`);
  await once(second.child, 'exit');
  expect(second.output()).toMatch(/^item .*/m);
  expect(second.output()).toContain(`0 waiting\nrefused: ${itemID}: Not enough stock: 9 asked, 3 available.`);
  const inventory = await typedClient(service);
  const kinds = [];
  for await (const { kind, deviceSeq } of inventory.transactions({ itemID }))
    kinds.unshift([kind, deviceSeq]);
  expect(kinds).toEqual([
    ['receive', 1],
    ['issue', 2],
    ['count', 4],
  ]);
});

test('the webhook receiver takes what was signed, once', async () => {
  const key = randomBytes(24);
  const receiver = await start('webhook-receiver/receiver.mjs', {
    WEBHOOK_SECRET: `whsec_${key.toString('base64')}`,
    PORT: '0',
  });
  await receiver.said(/listening on \d+/);
  const [, port] = /listening on (\d+)/.exec(receiver.output())!;
  const send = (name: string, by = key) => {
    const change = { type: 'stock', kind: 'receive', itemID: name, transactionNo: 7 };
    const body = JSON.stringify({ type: 'inventory.changes', data: { value: [change], nextCursor: 'c' } });
    const seconds = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', by).update(`${name}.${seconds}.${body}`).digest('base64');
    const headers = {
      'webhook-id': name,
      'webhook-timestamp': `${seconds}`,
      'webhook-signature': `v1,${signature}`,
    };
    return fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body });
  };
  const [once, forged] = [uniqueName('A'), uniqueName('B')];
  expect((await send(once)).status).toBe(204);
  expect((await send(once)).status).toBe(204);
  expect((await send(forged, randomBytes(24))).status).toBe(400);
  await receiver.said(`receive of ${once}, transaction 7`);
  expect(receiver.output().split(once)).toHaveLength(2);
  expect(receiver.output()).not.toContain(forged);
});

// Node 20 has no SQLite of its own.
test.skipIf(process.getBuiltinModule('node:sqlite') === undefined)(
  'the mirror in SQLite has what the lists have, also after it was killed',
  async () => {
    const inventory = await typedClient(service);
    const itemID = await service.item();
    const env = { ...(await settings()), DATABASE: 'copy.db' };
    const { DatabaseSync } = await import('node:sqlite' as string);
    const unitsOf = () => {
      const database = new DatabaseSync(join(folder, 'copy.db'), { readOnly: true });
      const rows = database.prepare('select units from lot where shortID = ? order by recNo').all(itemID);
      database.close();
      return rows.map(({ units }: { units: number }) => units);
    };
    await inventory.receive({ itemID, units: 5, wid: 1, reasonCode: 0 });
    const first = await start('mirror-sqlite/mirror.mjs', env);
    await first.said('caught up');
    expect(unitsOf()).toEqual([5]);
    await inventory.issue({ itemID, units: '1.5', wid: 1, reasonCode: 0 });
    await expect.poll(unitsOf, { timeout: 60_000 }).toEqual([3.5]);
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    await inventory.receive({ itemID, units: 7, wid: 2, reasonCode: 0 });
    const second = await start('mirror-sqlite/mirror.mjs', env);
    await second.said('caught up');
    expect(unitsOf()).toEqual([3.5, 7]);
    second.child.kill('SIGTERM');
    expect(await once(second.child, 'exit')).toEqual([0, null]);
  },
);
