import { createFairRoom, type Visit } from '@inventory/turns/fair-room';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const perName = 3;
const waitMs = 50;
const names = ['a', 'b', 'c'];

const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        does: fc.constant('enter' as const),
        name: fc.constantFrom(...names),
        units: fc.integer({ min: 1, max: 3 }),
        patienceMs: fc.constantFrom(-1, 20, ...Array(4).fill(Number.POSITIVE_INFINITY)),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        does: fc.constantFrom('leave' as const, 'goes' as const),
        which: fc.nat(60),
      }),
    },
    fc.record({
      does: fc.constant('resize' as const),
      which: fc.nat(60),
      units: fc.integer({ min: 1, max: 4 }),
    }),
    fc.record({ does: fc.constant('pass' as const), timeMs: fc.constantFrom(1, 20, waitMs) }),
    fc.record({ does: fc.constant('grow' as const), total: fc.integer({ min: 1, max: 8 }) }),
  ),
  { minLength: 10, maxLength: 60 },
);
type Step = typeof steps extends fc.Arbitrary<(infer One)[]> ? One : never;

/** A request for room, as the test has seen it. */
type Seen = Visit & {
  name: string;
  units: number;
  until: number;
  state: 'waits' | 'in' | 'over';
  goes: () => void;
};

/** A room, and the test's own record of it; every admission is judged at once. */
function watched(freshFirst: boolean) {
  let total = 4;
  const room = createFairRoom({
    total: () => total,
    may: (_, units) => units < perName,
    waitMs,
    freshFirst,
  });
  const seen: Seen[] = [];
  let listeners = 0;
  const wrong: string[] = [];
  /** The names admitted ahead of a waiting one since its own name was last admitted. */
  const passedBy = new Map<string, string[]>(names.map((name) => [name, []]));
  const those = (state: Seen['state'], name?: string) =>
    seen.filter((visit) => visit.state === state && (name ?? visit.name) === visit.name);
  const unitsOf = (name?: string) => those('in', name).reduce((sum, { units }) => sum + units, 0);
  const hasRoom = (name: string) => unitsOf() < total && unitsOf(name) < perName;

  function judge(admitted: Seen) {
    const { name } = admitted;
    if (!hasRoom(name)) wrong.push(`${name} without room`);
    if (performance.now() >= admitted.until) wrong.push(`${name} too late`);
    if (those('waits', name)[0] !== admitted) wrong.push(`${name} before its own`);
    for (const other of names) {
      if (other === name || those('waits', other).length === 0 || !hasRoom(other)) continue;
      const isFresh = { name: unitsOf(name) === 0, other: unitsOf(other) === 0 };
      if (freshFirst && isFresh.name && !isFresh.other) continue;
      if (passedBy.get(other)!.includes(name)) wrong.push(`${name} twice before ${other}`);
      if (freshFirst && isFresh.other && !isFresh.name) wrong.push(`${name} before ${other}`);
      passedBy.get(other)!.push(name);
    }
    passedBy.set(name, []);
    admitted.state = 'in';
  }

  function enter(name: string, units: number, patienceMs: number) {
    let goes = () => {};
    const onGone = (tell: () => void) => {
      listeners += 1;
      goes = tell;
      return () => {
        listeners -= 1;
      };
    };
    const until = performance.now() + Math.min(patienceMs, waitMs);
    if (those('waits', name).length === 0) passedBy.set(name, []);
    const visit: Seen = {
      ...room.enter(name, units, { until: performance.now() + patienceMs, onGone }),
      ...{ name, units, until, state: 'waits', goes: () => goes() },
    };
    seen.push(visit);
    void visit.admitted.then((isAdmitted) => {
      if (isAdmitted) judge(visit);
      else visit.state = 'over';
    });
  }

  function end(visit: Seen, tell: () => void) {
    if (visit.state === 'in') visit.state = 'over';
    tell();
  }

  return {
    room,
    take(step: Step) {
      if (step.does === 'enter') enter(step.name, step.units, step.patienceMs);
      else if (step.does === 'pass') vi.advanceTimersByTime(step.timeMs);
      else if (step.does === 'grow') {
        total = step.total;
        room.serve();
      } else {
        const there = seen.filter(({ state }) => state !== 'over');
        const visit = there[step.which % there.length];
        if (visit === undefined) return;
        if (step.does === 'goes' && visit.state === 'waits') visit.goes();
        if (step.does === 'leave') end(visit, visit.leave);
        if (step.does === 'resize' && visit.state === 'in') {
          visit.units = step.units;
          visit.resize(step.units);
        }
      }
    },
    /** The room's counts are right, and nobody waits too long or without need. */
    expectExact() {
      expect(wrong).toEqual([]);
      for (const name of [undefined, ...names]) {
        expect(name === undefined ? room.used() : room.usedOf(name)).toBe(unitsOf(name));
        const waiting = name === undefined ? room.waitingCount() : room.waitingOf(name);
        expect(waiting).toBe(those('waits', name).length);
      }
      expect(listeners).toBe(room.waitingCount());
      // Other test files may have left timers in this process, too.
      expect(vi.getTimerCount()).toBeGreaterThanOrEqual(room.waitingCount());
      const now = performance.now();
      expect(those('waits').filter(({ name, until }) => hasRoom(name) || until <= now)).toEqual([]);
    },
    async leaveAll() {
      for (const visit of seen) {
        end(visit, visit.leave);
        await settled();
      }
    },
  };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test.each([false, true])(
  'a room holds no more than its limit, admits each name after one turn of another, and is empty when all have left; names with nothing inside first: %s',
  async (freshFirst) => {
    await fc.assert(
      fc.asyncProperty(steps, async (some) => {
        const { room, take, expectExact, leaveAll } = watched(freshFirst);
        for (const step of some) {
          take(step);
          await settled();
          expectExact();
        }
        await leaveAll();
        expectExact();
        expect({ used: room.used(), waiting: room.waitingCount() }).toEqual({ used: 0, waiting: 0 });
      }),
      { numRuns: 300 },
    );
  },
);
