import type { QueuedRequest } from '@inventory/domain/request';
import type { Outcome } from '@inventory/domain/stock/outcome';
import type { SentEnvelope } from '@inventory/queue/submit/lane';
import { type SubmitResult, Waiters } from '@inventory/queue/submit/waiters';
import { expect, test } from 'vitest';

const sent: SentEnvelope = { jobId: 'job', requestIds: ['request'], unanswered: 1, sentAt: 0, isDone: false };

/** The life of one request that arrived at 0, sent or not; `decided` is what Postgres says of it. */
function wait(envelope: SentEnvelope | null, decided: Outcome | null = null) {
  const life: string[] = [];
  let now = 0;
  const told = async (what: string) => {
    life.push(`${now} ${what}`);
    return new Map(decided === null ? [] : [['request', decided]]);
  };
  const waiters = new Waiters(
    {
      readOutcomes: () => told('look'),
      settle: () => told('verdict'),
      onAnswered: () => {},
      report: () => {},
    },
    0,
  );
  const waiter = waiters.add({ requestId: 'request' } as QueuedRequest, 0, {
    ...{ line: 0, version: 1, together: null },
  });
  waiter.envelope = envelope;
  void waiter.promise.then((answer: SubmitResult) => life.push(`${now} ${answer.status}`));
  /** Sweeps at these times, and lets the questions that were asked be answered. */
  const sweep = async (...times: number[]) => {
    for (const time of times) {
      now = time;
      waiters.sweep(now);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  /** Sweeps every 25 ms up to this time. */
  const pass = async (until: number) => {
    while (now < until) await sweep(now + 25);
  };
  return { life, waiters, sweep, pass };
}

test('busy after 1000 ms, without a question: a request that was never sent', async () => {
  const { life, pass } = wait(null);
  await pass(4000);
  expect(life).toEqual(['1000 busy']);
});

test('looks from 250 ms on, verdict from 2500, unknown at 3100: a request of which nothing is heard', async () => {
  const { life, pass } = wait(sent);
  await pass(4000);
  expect(life.filter((event) => event.endsWith('look'))).toEqual(
    [250, 500, 750, 1000, 1250, 1500, 1750, 2000, 2250].map((time) => `${time} look`),
  );
  expect(life.filter((event) => event.endsWith('verdict')).slice(0, 2)).toEqual([
    '2500 verdict',
    '2525 verdict',
  ]);
  expect(life.at(-1)).toBe('3100 unknown');
});

test('abandoned, not unknown: a request whose process stood still for its whole time', async () => {
  const { life, sweep } = wait(sent, { status: 'abandoned', result: null });
  await sweep(25, 50, 9000);
  expect(life).toEqual(['9000 verdict', '9000 abandoned']);
});

test('unknown 600 ms after a process stood still, when Postgres cannot be asked', async () => {
  const { life, sweep, pass } = wait(sent);
  await sweep(25, 9000);
  await pass(9575);
  expect(life.some((event) => event.endsWith('unknown'))).toBe(false);
  await pass(9600);
  expect(life.at(-1)).toBe('9600 unknown');
});

test('the result an envelope carries, or else the one in Postgres, both at once', async () => {
  const carried = wait(sent);
  carried.waiters.complete(sent, [['refused', '{}']]);
  const stored = wait(sent, { status: 'applied', result: '{}' });
  stored.waiters.complete(sent, [['stored', null]]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(carried.life).toEqual(['0 refused']);
  expect(stored.life).toEqual(['0 look', '0 applied']);
});
