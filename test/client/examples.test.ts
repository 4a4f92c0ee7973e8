import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { choosePort } from '@inventory/local/free-port';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { installClient } from '../harness/client-package.ts';
import { useFolder } from '../harness/folders.ts';
import { type Fault, startFaultProxy } from '../harness/network/fault-proxy.ts';
import { useService } from '../harness/service/service.ts';
import { typedClient } from '../harness/service/typed-client.ts';
import { useWebhooks } from '../harness/service/webhooks.ts';

const service = useService();
const { add } = useWebhooks(service);
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
    said: (text: string | RegExp) => expect.poll(() => output).toMatch(text),
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

test('the scanner tells an error of the disk from a missing network', async () => {
  // The disk takes nothing, and then takes nothing back.
  writeFileSync(
    join(folder, 'broken-disk.mjs'),
    `import { open } from 'node:fs/promises';
    const probe = await open(process.execPath);
    const files = Object.getPrototypeOf(probe);
    await probe.close();
    const { truncate } = files;
    let isBroken = false;
    files.appendFile = async () => {
      isBroken = true;
      throw Object.assign(new Error('injected'), { code: 'EIO' });
    };
    files.truncate = function (...given) {
      return isBroken ? files.appendFile() : truncate.apply(this, given);
    };`,
  );
  const scanner = await start('scanner/scanner.mjs', {
    ...(await settings()),
    ...{ QUEUE: 'broken.queue', NODE_OPTIONS: '--import ./broken-disk.mjs' },
  });
  scanner.child.stdin.write('+5 WIDGET\n');
  await scanner.said('broken.queue could be neither written nor put back');
  expect(scanner.output()).not.toContain('no network');
});

test('the webhook receiver takes what the service has signed, and nothing else', async () => {
  const client = await service.client();
  // The address comes before the secret, which the receiver has to know.
  const port = await choosePort('the receiver');
  const url = `http://127.0.0.1:${port}/`;
  const { secret } = await add(client.clientId, url);
  const receiver = await start('webhook-receiver/receiver.mjs', { WEBHOOK_SECRET: secret, PORT: `${port}` });
  await receiver.said(`listening on ${port}`);
  const itemID = await service.item();
  const { body } = await client.post('/Inventory/Receive', { itemID, units: 1, wid: 1, reasonCode: 0 });
  await receiver.said(`receive of ${itemID}, transaction ${body.transactionNo}`);
  const forged = {
    ...{ 'webhook-id': 'msg_1', 'webhook-timestamp': `${Math.floor(Date.now() / 1000)}` },
    'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
  };
  expect((await fetch(url, { method: 'POST', headers: forged, body: '{"data":{"value":[]}}' })).status).toBe(
    400,
  );
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
    await expect.poll(unitsOf).toEqual([3.5]);
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    await inventory.receive({ itemID, units: 7, wid: 2, reasonCode: 0 });
    const second = await start('mirror-sqlite/mirror.mjs', env);
    await second.said('caught up');
    expect(unitsOf()).toEqual([3.5, 7]);
    second.child.kill('SIGTERM');
    expect(await once(second.child, 'exit')).toEqual([0, null]);

    // A copy that has to be made again is cleared whole or not at all.
    const database = new DatabaseSync(join(folder, 'copy.db'));
    database.exec(`
      update position set at = json_set(at, '$.minimumsAt', 'of an earlier version');
      create trigger kept before delete on position begin select raise(abort, 'killed here'); end;
    `);
    database.close();
    const third = await start('mirror-sqlite/mirror.mjs', env);
    expect(await once(third.child, 'exit')).toEqual([1, null]);
    expect(third.output()).toContain('killed here');
    expect(unitsOf()).toEqual([3.5, 7]);
  },
);

test.skipIf(process.getBuiltinModule('node:sqlite') === undefined)(
  'the mirror in SQLite ends quietly when it is stopped before it has caught up',
  async () => {
    const proxy = await startFaultProxy(service.baseUrl, () => 'drop');
    const env = { ...(await settings(proxy.baseUrl)), DATABASE: 'never.db' };
    const mirror = await start('mirror-sqlite/mirror.mjs', env);
    await expect.poll(() => proxy.seen.length).toBeGreaterThan(0);
    mirror.child.kill('SIGTERM');
    expect(await once(mirror.child, 'exit')).toEqual([0, null]);
    expect(mirror.output()).toBe('');
  },
);
