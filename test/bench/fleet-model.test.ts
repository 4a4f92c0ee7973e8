import { expect, test } from 'vitest';
import { type Costs, type Fleet, fitCost, playFleet } from './fleet-model.ts';

const costs: Costs = {
  load: { each: 0, batch: 0 },
  api: { each: 0.1, batch: 0.5 },
  redis: { each: 0, batch: 0.2 },
  worker: { each: 0.05, batch: 0.7 },
  postgres: { each: 0.1, batch: 0.6 },
  waitMs: 0.25,
};
const fleet: Fleet = { apis: 1, workers: 1, cores: 2, isOneMachine: true, turnMs: 0, seconds: 2, costs };

test('a lone caller waits once for each piece of work, and twice for each turn', () => {
  const oneMs = 0.1 + 0.5 + 0.2 + 0.05 + 0.7 + 0.1 + 0.6 + 0.25;
  const alone = playFleet({ ...fleet, callers: 1 });
  expect(alone.batchSize).toBe(1);
  expect(alone.p50Ms).toBeCloseTo(oneMs, 6);
  expect(playFleet({ ...fleet, callers: 1, turnMs: 5 }).p50Ms).toBeCloseTo(oneMs + 10, 6);
});

test('no part does more than it can, and the excess is refused', () => {
  const slow = { ...costs, postgres: { each: 1, batch: 0 } };
  const full = playFleet({ ...fleet, costs: slow, callers: 200, isOneMachine: false, cores: 1 });
  expect(full.rate).toBeLessThanOrEqual(1001);
  expect(full.rate).toBeGreaterThan(800);
  const flooded = playFleet({
    ...fleet,
    costs: slow,
    isOneMachine: false,
    cores: 1,
    arrivals: () => 3000,
    seconds: 6,
  });
  expect(flooded.rate).toBeLessThanOrEqual(1001);
  expect(flooded.refused).toBeGreaterThan(0.4);
  expect(flooded.p99Ms).toBeLessThan(1500);
});

test('batches grow with the callers, and throughput with them', () => {
  const [few, many] = [8, 128].map((callers) => playFleet({ ...fleet, callers }));
  expect(many!.batchSize).toBeGreaterThan(4 * few!.batchSize);
  expect(many!.rate).toBeGreaterThan(1.5 * few!.rate);
});

test('a seed repeats a run, and arrivals come at the given rate', () => {
  const asked = { ...fleet, isOneMachine: false, arrivals: () => 500, seconds: 8 };
  const played = playFleet(asked, 3);
  expect(playFleet(asked, 3)).toEqual(played);
  expect(playFleet(asked, 4)).not.toEqual(played);
  expect(played.rate / 500).toBeGreaterThan(0.9);
  expect(played.rate / 500).toBeLessThan(1.1);
});

test('costs are recovered from the use under two loads', () => {
  const cpu = (size: number) => 0.2 + 1.5 / size;
  const found = fitCost({ cpu: cpu(1), size: 1 }, { cpu: cpu(30), size: 30 });
  expect(found.each).toBeCloseTo(0.2, 9);
  expect(found.batch).toBeCloseTo(1.5, 9);
});
