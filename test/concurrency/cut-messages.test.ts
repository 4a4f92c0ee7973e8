import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net';
import { createBatchPool } from '@inventory/db/batch/batch-pool';
import { connect } from '@inventory/postgres/pool';
import { expect, onTestFinished, test } from 'vitest';
import { through } from '../harness/network/through.ts';
import { useBatches } from '../harness/queue/batches.ts';

const batches = useBatches();

test('a worker that is frozen in the middle of a statement keeps its gates for seconds only', async () => {
  const way = await startDeafWay(batches.url);
  const sql = connect(way.url, { name: 'test-frozen', connectionsMax: 1, idleInTransactionMs: 700 });
  const pool = createBatchPool(sql);
  onTestFinished(() => Promise.all([pool.end({ timeout: 0 }), sql.end({ timeout: 0 })]).then(way.close));
  const worker = batches.worker();
  const itemID = await batches.item();
  const receive = () => batches.request('receive', { itemID, units: 1, wid: 1 });
  await worker.apply([receive()]);
  const lost = pool.transaction(async (tx) => {
    await tx`select from stock_level join item using (part_no) where short_id = ${itemID} for no key update`;
    way.dropAnswers();
    // The driver sends the name of the statement, and its values once Postgres has answered.
    await tx`select ${itemID}::text as never_asked_before`;
    return { result: null, write: null };
  });
  lost.catch(() => {});
  const isInTheMiddle = async () => {
    const [row] = await batches.sql<{ count: number }[]>`
      select count(*)::integer as count
      from pg_stat_activity
      where application_name = 'test-frozen' and state = 'active' and wait_event = 'ClientRead'`;
    return row!.count;
  };
  await expect.poll(isInTheMiddle).toBe(1);
  await expect
    .poll(async () => (await worker.applyOnce([receive()]).catch(() => [null]))[0]?.status)
    .toBe('applied');
  await expect(lost).rejects.toThrow();
});

/** A way to a server that passes on everything until it drops all answers. It keeps connections open. */
async function startDeafWay(url: string) {
  const sockets = new Set<Socket>();
  let drops = false;
  const server = createServer((incoming) => {
    const outgoing = connectTcp(Number(new URL(url).port), '127.0.0.1');
    for (const socket of [incoming, outgoing]) sockets.add(socket.on('error', () => {}));
    incoming.pipe(outgoing);
    outgoing.on('data', (bytes) => drops || incoming.write(bytes));
    outgoing.on('close', () => incoming.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: through(url, server.address() as AddressInfo),
    dropAnswers() {
      drops = true;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
