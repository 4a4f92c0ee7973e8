import { holdLot } from '@inventory/db/operator/holds';
import { expect, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { startReceiver, verifies } from '../harness/network/webhook-receiver.ts';
import { runHere, startCommand } from '../harness/service/command-line.ts';
import { useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService();
const patience = { timeout: 60_000, interval: 50 };

/** Starts the command as the operator; its output so far. */
function startListening(...args: string[]) {
  const { DATABASE_URL } = asPart('operator', service.env);
  const { child, ended } = startCommand(['listen', ...args], { DATABASE_URL: DATABASE_URL! });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]!.on('data', (text: string) => {
      written[name] += text;
    });
  return { child, ended, lines: () => written.stdout.split('\n').slice(0, -1), said: () => written.stderr };
}

test('shows the changes in the scope of a client as they come, and forwards them as signed webhooks', async () => {
  const client = await service.client({ warehouses: [1] });
  const other = await service.client({ warehouses: [3] });
  const itemID = await service.item({ description: 'A widget' });
  const receiver = await startReceiver((response) => response.writeHead(418).end('short and stout'));
  const { cursor } = (await client.get('/Me')).body;
  const listening = startListening(
    ...['--client', client.clientId, '--from', cursor, '--json', '--forward', receiver.url],
  );
  await receiveLot(other, itemID, 7, { wid: 3 });
  const recNo = await receiveLot(client, itemID, 5);
  await expect.poll(listening.lines, patience).toHaveLength(1);
  await holdLot(service.sql, { recNo, reason: 'inspection' });
  await expect.poll(listening.lines, patience).toHaveLength(2);
  const shown = listening.lines().map((line) => JSON.parse(line));
  expect(shown).toMatchObject([
    { type: 'stock', kind: 'receive', itemID, lines: [{ recNo, delta: 5 }] },
    { type: 'hold', recNo, holdReason: 'inspection' },
  ]);
  await expect.poll(listening.said, patience).toContain('418 after');
  const secret = /^secret of this run: (whsec_\S+)$/m.exec(listening.said())![1]!;
  for (const each of receiver.received) expect(verifies(secret, each)).toBe(true);
  expect(receiver.received.flatMap(({ message }) => message.data.value)).toEqual(shown);
  await expect.poll(listening.said, patience).toMatch(/^msg_\w+: 418 after \d+ ms: short and stout$/m);
  listening.child.kill('SIGINT');
  expect((await listening.ended).code).toBe(0);
});

test('shows every change of all warehouses as a line for people', async () => {
  const client = await service.client();
  const itemID = await service.item({ description: 'A widget' });
  const { cursor } = (await client.get('/Me')).body;
  const listening = startListening('--from', cursor);
  const recNo = await receiveLot(client, itemID, 5);
  await holdLot(service.sql, { recNo, reason: 'inspection' });
  await client.put('/Item', { shortID: itemID, description: 'A better widget' });
  await expect.poll(listening.lines, patience).toHaveLength(3);
  expect(listening.lines()).toEqual([
    expect.stringMatching(
      new RegExp(`^stock receive ${itemID} \\(transaction \\d+\\): lot ${recNo} in 1: \\+5 = 5$`),
    ),
    `hold ${itemID}, lot ${recNo} in 1: on hold, inspection`,
    `item ${itemID}: A better widget`,
  ]);
});

test('refused: a client that may not read changes', async () => {
  const { clientId } = await service.client({ permissions: [95] });
  const ended = await runHere(['listen', '--client', clientId], { DATABASE_URL: service.databaseUrl });
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('that may read changes') });
});
