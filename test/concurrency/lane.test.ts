import {
  emptyLane,
  expectedWaitMs,
  isBusy,
  type Lane,
  maySend,
  noteAnswered,
  notePace,
} from '@inventory/queue/submit/lane';
import { describe, expect, test } from 'vitest';

const limits = { envelopeMax: 10, inFlightMax: 4 };
const now = 10_000;

/**
 * A lane with this many waiting requests and these envelopes under way: how many requests of each still lack
 * an answer, and how long ago it was sent.
 */
function laneOf(
  waiting: number,
  underWay: { unanswered: number; agoMs: number }[],
  known: Partial<Lane<string>> = {},
): Lane<string> {
  const lane = { ...emptyLane<string>(), roundTripMs: 10, ...known };
  for (let index = 0; index < waiting; index++) lane.waiting.push(`request ${index}`);
  underWay.forEach(({ unanswered, agoMs }, index) => {
    const jobId = `envelope ${index}`;
    lane.sent.set(jobId, { jobId, requestIds: [], unanswered, sentAt: now - agoMs, isDone: false });
  });
  return lane;
}

const full = { unanswered: 10, agoMs: 1 };

describe('an envelope', () => {
  test.each([
    { leaves: false, why: 'nothing waits', lane: laneOf(0, []) },
    { leaves: true, why: 'nothing is under way', lane: laneOf(1, []) },
    { leaves: true, why: 'seven are under way', lane: laneOf(1, [{ unanswered: 7, agoMs: 1 }]) },
    { leaves: false, why: 'eight are under way', lane: laneOf(1, [{ unanswered: 8, agoMs: 1 }]) },
    {
      leaves: false,
      why: 'fewer wait than are under way in two envelopes',
      lane: laneOf(8, [
        { unanswered: 5, agoMs: 2 },
        { unanswered: 4, agoMs: 1 },
      ]),
    },
    {
      leaves: true,
      why: 'as many wait as are under way in two envelopes',
      lane: laneOf(9, [
        { unanswered: 5, agoMs: 2 },
        { unanswered: 4, agoMs: 1 },
      ]),
    },
    { leaves: true, why: 'the waiting requests fill it', lane: laneOf(10, [full, full, full]) },
    { leaves: true, why: 'the newest is late', lane: laneOf(1, [full, { unanswered: 10, agoMs: 21 }]) },
    { leaves: false, why: 'only an old one is late', lane: laneOf(1, [{ unanswered: 10, agoMs: 90 }, full]) },
    { leaves: false, why: 'four are under way', lane: laneOf(10, [full, full, full, full]) },
    {
      leaves: false,
      why: 'four are under way and late',
      lane: laneOf(10, Array(4).fill({ unanswered: 1, agoMs: 900 })),
    },
  ])('leaves: $leaves, when $why', ({ leaves, lane }) => {
    expect(maySend(lane, limits, now)).toBe(leaves);
  });
});

describe('a request', () => {
  const slow = { roundTripMs: 400 };
  test.each([
    { busy: false, why: 'nothing is under way', lane: laneOf(0, []) },
    { busy: false, why: 'it leaves with this turn', lane: laneOf(39, [], { roundTripMs: 900 }) },
    {
      busy: true,
      why: 'the requests leaving with this turn fill four envelopes',
      lane: laneOf(40, [], slow),
      agoMs: 201,
    },
    { busy: false, why: 'the requests before it leave soon', lane: laneOf(40, [], slow), agoMs: 199 },
    { busy: false, why: 'one envelope waits behind four', lane: laneOf(10, Array(4).fill(full), slow) },
    { busy: true, why: 'three envelopes wait behind four', lane: laneOf(30, Array(4).fill(full), slow) },
    { busy: false, why: 'many wait and leave fast', lane: laneOf(250, Array(4).fill(full), { paceMs: 2 }) },
    {
      busy: true,
      why: 'as many wait and leave slowly',
      lane: laneOf(250, Array(4).fill(full), { paceMs: 3 }),
    },
    {
      busy: false,
      why: 'Redis took 300 ms so far',
      lane: laneOf(0, [], { addsUnderWay: new Set([now - 300]) }),
    },
    { busy: true, why: 'Redis hangs', lane: laneOf(0, [], { addsUnderWay: new Set([now - 301, now]) }) },
  ])('is busy: $busy, when $why', ({ busy, lane, agoMs }) => {
    expect(isBusy(lane, limits, now - (agoMs ?? 0), now)).toBe(busy);
  });
});

test('the expected wait counts the requests ahead and one more envelope, at the recent pace or that of a round trip', () => {
  expect(expectedWaitMs(laneOf(5, []), limits)).toBe(null);
  expect(expectedWaitMs(laneOf(20, Array(4).fill(full), { roundTripMs: 80 }), limits)).toBe(30 * 2);
  expect(expectedWaitMs(laneOf(20, Array(4).fill(full), { roundTripMs: 80, paceMs: 5 }), limits)).toBe(
    30 * 5,
  );
});

test('the pace is learnt only while requests have to wait, and forgotten when none waits', () => {
  const lane = laneOf(10, []);
  notePace(lane, 10, now);
  expect(lane.paceMs).toBe(0);
  for (let turn = 1; turn <= 2000; turn++) notePace(lane, 10, now + 30 * turn);
  expect(lane.paceMs).toBeCloseTo(3);
  lane.waiting.length = 0;
  notePace(lane, 10, now + 70_000);
  expect({ paceMs: lane.paceMs, lastSentAt: lane.lastSentAt }).toEqual({ paceMs: 0, lastSentAt: null });
});

test('the round trip moves an eighth towards the time of the last envelope, whose place is free again', () => {
  const lane = laneOf(0, [{ unanswered: 0, agoMs: 90 }]);
  noteAnswered(lane, lane.sent.get('envelope 0')!, now);
  expect(lane.roundTripMs).toBe(20);
  expect(lane.sent.size).toBe(0);
});
