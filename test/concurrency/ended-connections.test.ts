import { createServer } from 'node:net';
import { connect } from '@inventory/db/postgres/pool';
import { choosePort } from '@inventory/local/free-port';
import { expect, onTestFinished, test } from 'vitest';

test('a pool that ended while it waited to reconnect does not reconnect', async () => {
  const port = await choosePort('Postgres');
  const names: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (start) => {
      names.push(/application_name\0([^\0]+)/.exec(start.toString('latin1'))?.[1] ?? '');
      socket.destroy();
    });
  });
  onTestFinished(() => void server.close());
  const pools = ['ended', 'waiting'].map((name) =>
    connect(`postgres://u:p@127.0.0.1:${port}/stock`, { name, connectionsMax: 1 }),
  );
  for (const sql of pools) {
    await expect(sql`select`).rejects.toThrow();
    // The pools wait a little before they try again, one after the other.
    sql`select`.catch(() => {});
  }
  await pools[0]!.end({ timeout: 0 });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await expect.poll(() => names).toContain('waiting');
  expect(names).not.toContain('ended');
  await pools[1]!.end({ timeout: 0 });
});
