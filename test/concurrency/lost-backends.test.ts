import { createServer } from 'node:net';
import { choosePort } from '@inventory/local/free-port';
import { connect, isOutage } from '@inventory/postgres/pool';
import { expect, onTestFinished, test } from 'vitest';
import { openStretch } from '../harness/network/through.ts';
import { countStatuses, expectWaiting, holdGates, useBatches } from '../harness/queue/batches.ts';

const batches = useBatches();

/** Ends the workers' connections that wait for a lock. */
const endWaiting = () => batches.sql`
  select pg_terminate_backend(pid, 10000)
  from pg_stat_activity
  where application_name = 'test-worker' and wait_event_type = 'Lock' and datname = current_database()`;

test('an outage, and the next batch is applied: Postgres ends the connection of a batch that waits for a gate', async () => {
  const worker = batches.worker();
  const itemID = await batches.item();
  const receive = () => batches.request('receive', { itemID, units: 1, wid: 1 });
  await worker.apply([receive()]);
  const request = receive();
  for (let round = 0; round < 3; round++) {
    const release = await holdGates(batches.sql, itemID);
    const lost = worker.apply([request]).catch((error: unknown) => error);
    await expectWaiting(batches.sql, 1);
    await endWaiting();
    expect(isOutage(await lost)).toBe(true);
    await release();
  }
  await expect(worker.apply([request])).resolves.toMatchObject([{ status: 'applied' }]);
  expect(await countStatuses(batches.sql, itemID)).toEqual({ applied: 2 });
});

test('an outage: Postgres ends the connection while the batch is decided and more statements follow', async () => {
  const worker = batches.worker();
  const itemID = await batches.item();
  const receive = () => batches.request('receive', { itemID, units: 1, wid: 1 });
  await worker.apply([receive()]);
  let error: unknown;
  await worker.pool
    .transaction(async (tx) => {
      const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
      await batches.sql`select pg_terminate_backend(${row!.pid}, 10000)`;
      // Sent on a lost connection, before and after the driver knows.
      for (let turn = 0; turn < 20; turn++) {
        await Promise.race([
          tx`select ${turn}`.catch(() => {}),
          new Promise((resolve) => setTimeout(resolve, 5)),
        ]);
      }
      return { result: null, write: tx`select 1`.execute() };
    })
    .catch((reason) => {
      error = reason;
    });
  expect(isOutage(error)).toBe(true);
  await expect(worker.apply([receive()])).resolves.toMatchObject([{ status: 'applied' }]);
});

test('rejected, and no process ends: Postgres ends the connection inside any transaction of the driver', async () => {
  const lost = batches.sql.begin(async (tx) => {
    const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const other = batches.worker().pool.sql;
    await other`select pg_terminate_backend(${row!.pid}, 10000)`;
    await tx`select pg_sleep(10)`;
  });
  await expect(lost).rejects.toThrow();
});

test('never reported as applied: a commit that a pooler on the way answers with a rollback', async () => {
  const tagged = (tag: string) => {
    const head = Buffer.from('C\0\0\0\0', 'latin1');
    head.writeInt32BE(4 + tag.length + 1, 1);
    return `${head.toString('latin1')}${tag}\0`;
  };
  const rollBack = (answer: Buffer) => {
    const text = answer.toString('latin1').replaceAll(tagged('COMMIT'), tagged('ROLLBACK'));
    return Buffer.from(text, 'latin1');
  };
  const pooler = await openStretch(batches.url, { createRewrite: () => rollBack });
  onTestFinished(() => pooler.close());
  const worker = batches.worker({}, pooler.url);
  const itemID = await batches.item();
  const receive = worker.apply([batches.request('receive', { itemID, units: 1, wid: 1 })]);
  await expect(receive).rejects.toThrow('a commit was answered ROLLBACK');
  await expect(worker.pool.sql.begin((tx) => tx`select 1`)).rejects.toThrow('The commit was a rollback');
});

test('batches commit at read committed, whatever the database’s default isolation', async () => {
  const [{ name }] = (await batches.sql`select current_database() as name`) as unknown as [{ name: string }];
  await batches.sql.unsafe(`alter database ${name} set default_transaction_isolation = 'serializable'`);
  const worker = batches.worker();
  const level = await worker.pool.transaction(async (tx) => {
    const [row] = await tx`show transaction_isolation`;
    return { result: row!.transaction_isolation as string, write: null };
  });
  await batches.sql.unsafe(`alter database ${name} reset default_transaction_isolation`);
  expect(level).toBe('read committed');
});

test.each([
  ['53300', true],
  ['57P01', true],
  ['57P03', true],
  ['08006', true],
  ['25006', true],
  ['25P04', true],
  ['25P03', false],
  ['57014', false],
  ['55P03', false],
  ['40P01', false],
  ['40001', false],
  ['22P05', false],
  ['54000', false],
  ['XX000', false],
])('an outage is an error of Postgres itself, not of a statement: %s, %s', async (code, expected) => {
  const raised = batches.sql.unsafe(`do $$ begin raise 'on purpose' using errcode = '${code}'; end $$`);
  const error = await raised.catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code });
  expect(isOutage(error)).toBe(expected);
});

test.each([
  ...['ECONNREFUSED', 'CONNECTION_CLOSED', 'TOO_LATE'].map((code) => [code, true]),
  ...['ERR_INVALID_ARG_TYPE', 'ERR_OUT_OF_RANGE', 'UNDEFINED_VALUE', 'UNSAFE_TRANSACTION', undefined].map(
    (code) => [code, false],
  ),
])('an outage is an error of the network, not of the code itself: %s, %s', (code, expected) => {
  expect(isOutage(Object.assign(new Error('on purpose'), { code }))).toBe(expected);
});

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
