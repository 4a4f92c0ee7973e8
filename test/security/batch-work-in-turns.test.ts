import { createHash } from 'node:crypto';
import { createAtomicRefusals } from '@inventory/api/batch/atomic-refusals';
import type { Operation } from '@inventory/api/batch/read-operations';
import { besideRefused, type Result } from '@inventory/api/batch/results';
import { createSender, type OperationToSend, type Sender } from '@inventory/api/sender';
import type { Caller } from '@inventory/api/transactions';
import { expect, test } from 'vitest';

const operationCount = 100;
const all = <Value>(value: (index: number) => Value) =>
  Array.from({ length: operationCount }, (_, index) => value(index));

// As long as no operation takes by itself, so that all of them are too much for one turn on any machine.
const workMs = 0.5;
// Others have one after every 5 ms, so nine at the least.
const turnsMin = 5;

function workFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** How many turns of the event loop others had while this was under way. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  return turns;
}

const requestOf = (index: number): OperationToSend['request'] => ({
  kind: 'receive',
  body: { itemID: `I-${index}`, units: 1, wid: 1, reasonCode: 1 },
});

/** One whose requests each take their time. */
function slowSender(): Sender {
  return createSender({
    submitter: { togetherMax: operationCount } as never,
    settle: async () => ({ status: 'abandoned', result: null }),
    now() {
      workFor(workMs);
      return 0;
    },
    tracing: null,
  });
}

const origin = { clientId: 'client', arrivedAt: 0 };

test('an atomic batch is made one request in stretches, with the digest of its whole list', async () => {
  const sender = slowSender();
  const sent = all((index) => ({ request: requestOf(index), key: index % 2 === 0 ? `key ${index}` : null }));
  let body: unknown;
  const turns = await turnsDuring(async () => {
    ({ body } = await sender.atomic(sent, origin));
  });
  expect(turns).toBeGreaterThanOrEqual(turnsMin);
  const list = JSON.stringify(sent.map(({ request, key }) => [request.kind, request.body, key]));
  const digest = createHash('sha256').update(list).digest('base64');
  expect(body).toEqual({ mode: 'atomic', count: operationCount, digest });
  const none = createHash('sha256').update('[]').digest('base64');
  expect((await sender.atomic([], origin)).body.digest).toBe(none);
});

test('the keys of an atomic batch that is refused are looked up in stretches', async () => {
  const refusals = createAtomicRefusals(slowSender(), async () => new Map());
  const operations = all(
    (index): Operation => ({
      ...{ index, key: `key ${index}`, device: null },
      ...{ request: requestOf(index), evidence: undefined },
    }),
  );
  const caller = { client: { clientId: 'client' } } as Caller;
  const refused = new Map<number, Result>([[0, besideRefused]]);
  const turns = await turnsDuring(() => refusals.replyTo(operations, refused, 'Refused.', caller));
  expect(turns).toBeGreaterThanOrEqual(turnsMin);
});
