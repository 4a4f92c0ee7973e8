import type { Wait } from '@inventory/postgres/statement-pool';
import { addCount } from './add-count.ts';
import { createFairLine } from './fair-line.ts';

export type FairRoomOptions = {
  /** The size of the room in units. The visit that fills it may exceed this. */
  total: () => number;
  /** Whether a name with this many units in the room may have more. */
  may?: (name: string, units: number) => boolean;
  waitMs?: number;
  /** Whether names with nothing in the room go first. */
  freshFirst?: boolean;
  /** Called instead of `serve` when room becomes free, for rooms that share a limit. */
  onRoom?: () => void;
};

export type FairRoom = {
  /** Asks for room for this many units under a name. */
  enter(name: string, units: number, wait?: Partial<Wait>): Visit;
  /** Takes room at once, also where there is none: for what exists already. */
  take(name: string, units: number): Visit;
  /** Admits visits again after `total` has grown. */
  serve(): void;
  /** Units in the room, of all names or of one. */
  used(): number;
  usedOf(name: string): number;
  /** Waiting visits, of all names or of one. */
  waitingCount(): number;
  waitingOf(name: string): number;
};

export type Visit = {
  /** Resolves to true once the visit has room. False: it left, waited too long, or its caller has gone. */
  admitted: Promise<boolean>;
  /** Changes the number of units of a visit that was admitted. */
  resize(units: number): void;
  /** Ends the visit, or its wait. Must be called however the visit ends; further calls do nothing. */
  leave(): void;
};

/**
 * A room of limited size. Visits that do not fit wait. Names take turns, and the visits of a name keep their
 * order.
 */
export function createFairRoom(options: FairRoomOptions): FairRoom {
  const { total, may = () => true, waitMs = Number.POSITIVE_INFINITY, freshFirst = false } = options;
  const { onRoom = serve } = options;
  const line = createFairLine<{ begin: () => void; leave: () => void; hasGone: () => boolean }>();
  const usedBy = new Map<string, number>();
  let used = 0;

  const usedOf = (name: string) => usedBy.get(name) ?? 0;
  const mayEnter = (name: string) => may(name, usedOf(name));
  const isFresh = (name: string) => usedOf(name) === 0 && mayEnter(name);

  function change(name: string, more: number) {
    used += more;
    addCount(usedBy, name, more);
    if (more < 0) onRoom();
  }

  function serve() {
    while (line.size() > 0 && used < total()) {
      const next = (freshFirst ? line.next(isFresh) : undefined) ?? line.next(mayEnter);
      if (next === undefined) return;
      if (next.hasGone()) next.leave();
      else next.begin();
    }
  }

  function enter(name: string, units: number, wait: Partial<Wait> = {}): Visit {
    const { until = Number.POSITIVE_INFINITY, hasGone = () => false, onGone } = wait;
    let state: 'waits' | 'in' | 'over' = 'waits';
    let size = 0;
    let timer: NodeJS.Timeout | undefined;
    let forget: (() => void) | undefined;
    let settle = (_isAdmitted: boolean) => {};
    const admitted = new Promise<boolean>((resolve) => {
      settle = resolve;
    });
    const endWait = () => {
      clearTimeout(timer);
      forget?.();
      leaveLine();
      settle(state === 'in');
    };
    const resize = (to: number) => {
      if (state !== 'in') return;
      const more = to - size;
      size = to;
      change(name, more);
    };
    const begin = () => {
      state = 'in';
      endWait();
      resize(units);
    };
    const leave = () => {
      if (state === 'waits') endWait();
      resize(0);
      state = 'over';
    };
    const leaveLine = line.join(name, { begin, leave, hasGone });
    const timeMs = Math.min(waitMs, until - performance.now());
    if (timeMs <= 0 || hasGone()) leave();
    else if (mayEnter(name)) serve();
    if (state === 'waits') {
      if (timeMs < Number.POSITIVE_INFINITY) timer = setTimeout(leave, timeMs);
      forget = onGone?.(leave);
    }
    return { admitted, resize, leave };
  }

  function take(name: string, units: number): Visit {
    let size = 0;
    const resize = (to: number) => {
      const more = to - size;
      size = to;
      change(name, more);
    };
    resize(units);
    return { admitted: Promise.resolve(true), resize, leave: () => resize(0) };
  }

  return { enter, take, serve, used: () => used, usedOf, waitingCount: line.size, waitingOf: line.sizeOf };
}
