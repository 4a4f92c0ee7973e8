import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { addClient } from '@inventory/db/access/clients';
import { applyBatch } from '@inventory/db/batch/apply-batch';
import { refuseKeys } from '@inventory/db/requests/idempotency-keys';
import { settle } from '@inventory/db/requests/settle';
import { Permission } from '@inventory/domain/permission';
import type { QueuedRequest } from '@inventory/domain/request';
import type { Outcome } from '@inventory/domain/stock/outcome';
import { describe, expect, test } from 'vitest';
import { batcherOf } from '../harness/queue/batcher.ts';
import { atomicOf, countStatuses, holdGates, useBatches } from '../harness/queue/batches.ts';

const batches = useBatches();

const keyOf = (askedAt = Date.now()) => {
  const digest = Buffer.from(randomUUID()).toString('base64');
  return { digest, fingerprint: digest, askedAt };
};

/** The requests of a list at one gate, as the api sends them. */
function listOf(...requests: QueuedRequest[]): QueuedRequest[] {
  return requests.map((request, index) => {
    const before = requests[index - 1];
    if (before === undefined) return request;
    const { requestId, key } = before;
    return { ...request, after: { requestId, ...(key && { key }) } };
  });
}

const statusesOf = (outcomes: readonly Outcome[]) => outcomes.map(({ status }) => status);

type Fields = Partial<QueuedRequest>;
const receive = (itemID: string, fields: Fields = {}, wid = 1) =>
  batches.request('receive', { itemID, units: 1, wid }, fields);

async function refusedKey() {
  const key = keyOf();
  // Refused for as long as the test runs.
  const refused = { ...key, askedAt: key.askedAt + 9_500 };
  await refuseKeys(batches.sql, [{ requestId: randomUUID(), clientId: batches.clientId, key: refused }]);
  return key;
}

async function abandoned() {
  const requestId = randomUUID();
  await settle(batches.sql, [{ requestId, clientId: batches.clientId }]);
  return requestId;
}

const notApplied: [string, () => Fields | Promise<Fields>][] = [
  ['is late', () => ({ deadline: Date.now() - 1000 })],
  ['is late and has a key', () => ({ deadline: Date.now() - 1000, key: keyOf() })],
  ['has a refused key', async () => ({ key: await refusedKey() })],
  ['has its verdict', async () => ({ requestId: await abandoned() })],
];

test.each(notApplied)(
  'abandoned: the requests of a list behind one that %s, in one batch or each in its own, and no others',
  async (_, fieldsOf) => {
    const worker = batches.worker();
    const itemID = await batches.item();
    const other = () => receive(itemID);
    const list = async () => {
      const refused = receive(itemID, await fieldsOf());
      return listOf(refused, receive(itemID), receive(itemID, { key: keyOf() }), receive(itemID));
    };
    const [first, second, third, fourth] = await list();
    const outcomes = await worker.apply([first!, other(), second!, other(), third!, fourth!]);
    expect(statusesOf(outcomes)).toEqual([
      'abandoned',
      'applied',
      'abandoned',
      'applied',
      'abandoned',
      'abandoned',
    ]);
    // For good: the next batch with these requests finds them abandoned.
    expect(statusesOf(await worker.apply([third!, second!]))).toEqual(['abandoned', 'abandoned']);
    for (const each of await list()) expect(statusesOf(await worker.apply([each]))).toEqual(['abandoned']);
    expect(statusesOf(await worker.apply([other()]))).toEqual(['applied']);
  },
);

test('abandoned: the requests of a list behind an undecided one', async () => {
  const worker = batches.worker();
  const itemID = await batches.item();
  const [, second] = listOf(receive(itemID), receive(itemID));
  expect(statusesOf(await worker.apply([second!]))).toEqual(['abandoned']);
});

test('abandoned: the requests of a list behind a repeat of an undecided one', async () => {
  const worker = batches.worker();
  const itemID = await batches.item();
  const key = keyOf();
  const late = receive(itemID, { key, deadline: Date.now() - 1000 });
  const list = listOf(receive(itemID, { key }), receive(itemID));
  expect(statusesOf(await worker.apply([late, ...list]))).toEqual(['abandoned', 'abandoned', 'abandoned']);
});

test('applied: the requests of a list behind applied, refused and forbidden ones, in one batch or in several', async () => {
  const worker = batches.worker();
  const clientId = 'receives-only';
  await addClient(batches.sql, {
    ...{
      clientId,
      permissions: [Permission.PositiveAdjustment],
      wids: [1],
      readOnly: false,
      rateLimit: null,
    },
    secretDigest: Buffer.alloc(32),
  });
  const itemID = await batches.item();
  const list = () => {
    const key = keyOf();
    const of = (kind: 'receive' | 'issue', units: number, fields: Fields = {}) =>
      batches.request(kind, { itemID, units, wid: 1 }, { clientId, ...fields });
    return listOf(
      of('receive', 1, { key }),
      // Gets the first answer again.
      of('receive', 1, { key }),
      of('receive', 1, { key: { ...key, fingerprint: '' } }),
      of('issue', 1),
      of('receive', 1),
    );
  };
  const expected = ['applied', 'applied', 'refused', 'abandoned', 'applied'];
  expect(statusesOf(await worker.apply(list()))).toEqual(expected);
  const statuses: string[] = [];
  for (const each of list()) statuses.push(...statusesOf(await worker.apply([each])));
  expect(statuses).toEqual(expected);
  expect(await countStatuses(batches.sql, itemID)).toEqual({ applied: 4, abandoned: 2 });
});

// Postgres cannot store this character in a text; the api lets none through.
const poison = { remark: 'a\u0000b' };

test.each([1, 2, 3])(
  'not applied: the requests of a list behind one that cannot be applied, at attempt %d, in any pieces',
  async (attempt) => {
    const apply = batcherOf(batches.worker());
    const itemID = await batches.item();
    const bad = batches.request('receive', { itemID, units: 1, wid: 1, ...poison });
    const list = listOf(receive(itemID), bad, receive(itemID, { key: keyOf() }), receive(itemID));
    const outcomes = await apply(
      [...list.slice(0, 3), receive(itemID), ...list.slice(3), receive(itemID)],
      attempt,
    );
    expect(statusesOf(outcomes)).toEqual([
      'applied',
      'failed',
      'abandoned',
      'applied',
      'abandoned',
      'applied',
    ]);
  },
);

test('never applied behind one that cannot be applied: a request of its list that waits for a held gate', async () => {
  const worker = batches.worker({ lockTimeoutMs: 300 });
  const itemID = await batches.item();
  await worker.apply([receive(itemID)]);
  const apply = batcherOf(worker);
  const release = await holdGates(batches.sql, itemID, 1);
  const bad = batches.request('receive', { itemID, units: 1, wid: 1, ...poison });
  const list = listOf(receive(itemID), bad, receive(itemID), receive(itemID));
  const outcomes = await apply([...list, receive(itemID)], 1);
  expect(statusesOf(outcomes)).toEqual(Array(5).fill('pending'));
  await release();
  // The request at fault has no row.
  await expect.poll(() => countStatuses(batches.sql, itemID)).toEqual({ applied: 3, abandoned: 2 });
});

async function itemWithAlias() {
  const itemID = await batches.item();
  const alias = `${itemID}-alias`;
  await batches.sql`
    insert into item_alias (alias, part_no) select ${alias}, part_no from item where short_id = ${itemID}`;
  return { itemID, alias };
}

describe.each(['itemID', 'alias'] as const)(
  'applied: a list whose first request names its item by %s',
  (first) => {
    const second = first === 'alias' ? 'itemID' : 'alias';

    test('and the next one by another name, beside an atomic batch of the item', async () => {
      const worker = batches.worker({ lockTimeoutMs: 300 });
      const names = await itemWithAlias();
      let go!: () => void;
      const going = new Promise<void>((resolve) => {
        go = resolve;
      });
      const apply = batcherOf(worker, {
        async apply(requests) {
          if (requests[0]!.kind === 'batch') await going;
          return applyBatch(worker.pool, requests, worker.parts);
        },
      });
      const atomic = apply(
        [atomicOf([batches.request('receive', { itemID: names.itemID, units: 1, wid: 1 })])],
        1,
      );
      const list = apply(listOf(receive(names[first]), receive(names[second])), 1);
      // The list would be taken up by now.
      await setTimeout(100);
      go();
      expect(statusesOf(await atomic)).toEqual(['applied']);
      expect(statusesOf(await list)).toEqual(['applied', 'applied']);
    });

    test('and the next one by another name, while its gate is held', async () => {
      const worker = batches.worker({ lockTimeoutMs: 300 });
      const names = await itemWithAlias();
      await worker.apply([receive(names.itemID), receive(names.alias)]);
      const apply = batcherOf(worker);
      const release = await holdGates(batches.sql, names.itemID, 1);
      expect(statusesOf(await apply([receive(names.itemID)], 1))).toEqual(['pending']);
      const list = listOf(receive(names[first]), receive(names[second]));
      expect(statusesOf(await apply(list, 1))).toEqual(['pending', 'pending']);
      await release();
      await expect.poll(() => countStatuses(batches.sql, names.itemID)).toEqual({ applied: 5 });
    });
  },
);
