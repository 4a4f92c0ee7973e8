import { once } from 'node:events';
import { writeCursor } from '@inventory/domain/contract/change-cursor';
import { expect, test } from 'vitest';
import { addressFor } from '../harness/as-part.ts';
import { startReceiver, verifies } from '../harness/network/webhook-receiver.ts';
import { runHere, startCommand } from '../harness/service/command-line.ts';
import { useService } from '../harness/service/service.ts';
import { receive } from '../harness/stock/stock.ts';

const service = useService();

const env = () => ({ DATABASE_URL: addressFor('operator', service.databaseUrl) });

/** A listener and its output so far. It must end with 0 when it is stopped. */
function startListening(...args: string[]) {
  const { child, ended } = startCommand(['listen', ...args], env());
  const printed = { lines: [] as string[], said: '' };
  child.stdout!.on('data', (text: string) => {
    printed.lines.push(...text.trimEnd().split('\n'));
  });
  child.stderr!.on('data', (text: string) => {
    printed.said += text;
  });
  return {
    printed,
    async stop() {
      child.kill('SIGINT');
      expect(await ended).toMatchObject({ code: 0 });
    },
  };
}

test('prints the changes that a client may see, as lines and as JSON, and forwards them signed', async () => {
  const watching = await service.client({ warehouses: [1] });
  const client = await service.client({ warehouses: [1, 2] });
  const { body: me } = await client.get('/Me');
  const receiver = await startReceiver((response) => response.writeHead(418).end('a teapot'));
  const seen = ['--client', watching.clientId, '--from', me.cursor];
  const asLines = startListening('--from', me.cursor, '--kinds', 'stock');
  const asJson = startListening(...seen, '--json', '--forward', receiver.url);
  const itemID = await service.item();
  const elsewhere = await receive(client, itemID, 3, { wid: 2 });
  const { recNo } = await receive(client, itemID, 2.5, { wid: 1, spot: 'A-1' });
  await expect.poll(() => asLines.printed.lines).toHaveLength(3);
  await expect.poll(() => receiver.received.flatMap(({ message }) => message.data.value)).toHaveLength(3);
  await expect.poll(() => asJson.printed.said).toContain('418 after');
  await asLines.stop();
  await asJson.stop();

  // The scope of each is another than that of the cursor.
  const [scope, first, second] = asLines.printed.lines;
  expect(scope).toBe('scope  warehouses 1, 2, 3');
  expect(first).toContain(`receive  ${itemID}  by ${client.clientId}  lot ${elsewhere.recNo} in 2: +3 to 3`);
  expect(second).toContain(`receive  ${itemID}  by ${client.clientId}  lot ${recNo} in 1 A-1: +2.5 to 2.5`);
  const told = asJson.printed.lines.map((line) => JSON.parse(line));
  expect(told.map(({ type }) => type)).toEqual(['scope', 'item', 'stock']);
  expect(told[2].lines).toMatchObject([{ recNo, delta: 2.5 }]);
  expect(receiver.received.flatMap(({ message }) => message.data.value)).toEqual(told);
  expect(asJson.printed.said).toContain('a teapot');
  const secret = /^secret: (\S+)$/m.exec(asJson.printed.said)![1]!;
  expect(receiver.received.map((each) => verifies(secret, each))).not.toContain(false);
});

test('0: the reader of its output has gone, as after `listen --json | head -1`', async () => {
  const client = await service.client();
  const { body: me } = await client.get('/Me');
  const { child, ended } = startCommand(['listen', '--from', me.cursor, '--kinds', 'stock', '--json'], env());
  const itemID = await service.item();
  const first = once(child.stdout!, 'data');
  await receive(client, itemID, 1);
  await first;
  child.stdout!.destroy();
  await receive(client, itemID, 2);
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});

test('1: a cursor of another database, and a client that may not read changes', async () => {
  const other = writeCursor({ identity: 'abcdefabcdef', state: '00000000', after: 1 });
  const { clientId } = await service.client({ permissions: [95] });
  const ended = (...args: string[]) => runHere(['listen', ...args], env());
  expect(await ended('--from', other)).toMatchObject({
    code: 1,
    stderr: 'error: this cursor is of another database, or of this one before it was restored\n',
  });
  for (const name of [clientId, 'nobody'])
    expect(await ended('--client', name)).toMatchObject({
      code: 1,
      stderr: `error: client ${name} may not read changes: it needs permission 11 and must be enabled\n`,
    });
});
