import {
  emptyLane,
  expectedWaitMs,
  isBusy,
  type Lane,
  maySend,
  noteAnswered,
  noteSent,
} from '@inventory/queue/submit/lane';
import { expect, test } from 'vitest';

const limits = { envelopeMax: 10, inFlightMax: 4 };
const now = 10_000;

/** How many requests of an envelope still lack an answer, and how many ms ago it was sent. */
type UnderWay = [unanswered: number, agoMs: number];
const full: UnderWay = [10, 1];
const four: UnderWay[] = Array(4).fill(full);

/** A lane with this many waiting requests and these envelopes under way. */
function laneOf(waiting: number, underWay: UnderWay[], known: Partial<Lane<string>> = {}): Lane<string> {
  const lane = { ...emptyLane<string>(), roundTripMs: 10, ...known };
  for (let index = 0; index < waiting; index++) lane.waiting.push(`request ${index}`);
  underWay.forEach(([unanswered, agoMs], index) => {
    const jobId = `envelope ${index}`;
    lane.sent.set(jobId, { jobId, requestIds: [], unanswered, sentAt: now - agoMs, isDone: false });
  });
  return lane;
}

test.each<[boolean, string, number, UnderWay[]]>([
  [false, 'nothing waits', 0, []],
  [true, 'nothing is under way', 1, []],
  [true, 'seven are under way', 1, [[7, 1]]],
  [false, 'eight are under way', 1, [[8, 1]]],
  [
    false,
    'fewer wait than are under way in two envelopes',
    8,
    [
      [5, 2],
      [4, 1],
    ],
  ],
  [
    true,
    'as many wait as are under way in two envelopes',
    9,
    [
      [5, 2],
      [4, 1],
    ],
  ],
  [true, 'the waiting requests fill it', 10, [full, full, full]],
  [true, 'the newest is late', 1, [full, [10, 21]]],
  [false, 'only an old one is late', 1, [[10, 90], full]],
  [false, 'four are under way', 10, four],
  [false, 'four are under way and late', 10, Array(4).fill([1, 900])],
])('an envelope leaves: %s, when %s', (leaves, _, waiting, underWay) => {
  expect(maySend(laneOf(waiting, underWay), limits, now)).toBe(leaves);
});

const slow = { roundTripMs: 400 };
test.each<[boolean, string, number, UnderWay[], Partial<Lane<string>>, number?]>([
  [false, 'nothing is under way', 0, [], {}],
  [false, 'it leaves with this turn', 39, [], { roundTripMs: 900 }],
  [true, 'the requests leaving with this turn fill four envelopes', 40, [], slow, 201],
  [false, 'the requests before it leave soon', 40, [], slow, 199],
  [false, 'one envelope waits behind four', 10, four, slow],
  [true, 'three envelopes wait behind four', 30, four, slow],
  [false, 'many wait and leave fast', 250, four, { requestMs: 2 }],
  [true, 'as many wait and leave slowly', 250, four, { requestMs: 3 }],
  [false, 'Redis took 300 ms so far', 0, [], { addsUnderWay: new Set([now - 300]) }],
  [true, 'Redis hangs', 0, [], { addsUnderWay: new Set([now - 301, now]) }],
])('a request is busy: %s, when %s', (busy, _, waiting, underWay, known, agoMs = 0) => {
  expect(isBusy(laneOf(waiting, underWay, known), limits, now - agoMs, now)).toBe(busy);
});

test('the expected wait counts the requests ahead and one more envelope, at the recent pace or that of a round trip', () => {
  expect(expectedWaitMs(laneOf(5, []), limits)).toBe(null);
  expect(expectedWaitMs(laneOf(20, four, { roundTripMs: 80 }), limits)).toBe(30 * 2);
  expect(expectedWaitMs(laneOf(20, four, { roundTripMs: 80, requestMs: 5 }), limits)).toBe(30 * 5);
});

test('the pace is learnt only while requests have to wait, and forgotten when none waits', () => {
  const lane = laneOf(10, []);
  noteSent(lane, 10, now);
  expect(lane.requestMs).toBe(0);
  for (let turn = 1; turn <= 2000; turn++) noteSent(lane, 10, now + 30 * turn);
  expect(lane.requestMs).toBeCloseTo(3);
  lane.waiting.length = 0;
  noteSent(lane, 10, now + 70_000);
  expect({ requestMs: lane.requestMs, lastSentAt: lane.lastSentAt }).toEqual({
    requestMs: 0,
    lastSentAt: null,
  });
});

test('the round trip moves an eighth towards the time of the last envelope, whose place is free again', () => {
  const lane = laneOf(0, [[0, 90]]);
  noteAnswered(lane, lane.sent.get('envelope 0')!, now);
  expect(lane.roundTripMs).toBe(20);
  expect(lane.sent.size).toBe(0);
});
