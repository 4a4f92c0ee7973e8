import { lookEvery } from '@inventory/process/look-every';
import { createFairRoom } from '@inventory/turns/fair-room';
import type { Context } from 'koa';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Standing } from '../connections/caller-standing.ts';

// See docs/decisions/0012. An answer costs 1. The public documents cost 1 more for each 16 KB.
const bytesPerCost = 16 * 1024;
// A burst of two thousand scanners behind one address, all with yesterday's tokens, fits. Sustained: 20/s.
const perName = { points: 2500, duration: 125 };
// All addresses together: a few percent of the CPU. This also bounds the number of names kept in memory.
const ofAll = { points: 5000, duration: 25 };
// With the budgets spent, answers leave at this rate, or faster if one would wait longer than
// `waitMaxSeconds`.
const leavePerSecond = 100;
const waitMaxSeconds = 3;
const tickMs = 50;
// At most one per connection. Beyond this, an answer is sent at once and its connection closed.
const waitingMax = 5000;

/** Keeps unknown callers from taking CPU time away from known ones. */
export type Strangers = {
  /**
   * Charges an answer that is made to a caller without a valid token to its address, `ctx.state.address`, and
   * delays it once that budget is spent. An answer to a right secret is charged to its client instead,
   * `ctx.state.payer`. Callers with `ctx.state.client` are known and pay nothing. Nothing is refused, and no
   * address delays another.
   */
  slow(ctx: Context): Promise<void>;
  /** Notes that a connection brought a valid token, before its request is handled. */
  noteKnown(ctx: Context): void;
  /** Whether the budget of an address, or that of all strangers together, is spent. */
  isSpent(address: string): Promise<boolean>;
  /** The number of answers that wait. */
  waitingCount(): number;
};

const everybody = 'everybody';

/**
 * `isDraining`: whether the process is stopping; then nothing is delayed. `standing` learns which callers
 * wait and which are known.
 */
export function createStrangers(isDraining: () => boolean, standing: Standing): Strangers {
  const budgets = new RateLimiterMemory({ ...perName, keyPrefix: '' });
  const all = new RateLimiterMemory({ ...ofAll, keyPrefix: '' });
  let stopTicking: (() => void) | undefined;
  let allowed = 0;
  let tickedAt = 0;
  const line = createFairRoom({ total: () => Math.floor(allowed) });

  function tick() {
    const now = performance.now();
    const perSecond = Math.max(leavePerSecond, line.waitingCount() / waitMaxSeconds);
    // A process that was frozen catches up by one second at most.
    allowed += Math.min(1, (now - tickedAt) / 1000) * perSecond;
    tickedAt = now;
    if (isDraining()) allowed = line.waitingCount();
    line.serve();
    if (line.waitingCount() > 0) return;
    stopTicking?.();
    stopTicking = undefined;
    allowed = line.used();
  }

  /** Waits for the answer's turn, or until the caller has gone. */
  async function wait(ctx: Context, payer: string): Promise<void> {
    const turn = line.enter(payer, 1, {
      onGone(tell) {
        ctx.res.once('close', tell);
        return () => ctx.res.off('close', tell);
      },
    });
    standing.noteWaiting(ctx.req.socket, true);
    if (stopTicking === undefined) {
      tickedAt = performance.now();
      stopTicking = lookEvery(tickMs, tick);
    }
    if (await turn.admitted) allowed -= 1;
    turn.leave();
    standing.noteWaiting(ctx.req.socket, false);
  }

  /** A right secret is charged to its client only; strangers also pay from the budget of all addresses. */
  async function pays(payer: string, isKnown: boolean, cost: number): Promise<boolean> {
    if (await isSpentBy(payer)) return false;
    return (isKnown || (await spend(all, everybody, cost))) && (await spend(budgets, payer, cost));
  }

  async function isSpentBy(payer: string): Promise<boolean> {
    return ((await budgets.get(payer))?.remainingPoints ?? 1) === 0;
  }

  return {
    async slow(ctx) {
      // Only a right secret sets a payer.
      if (ctx.state.payer !== undefined) standing.noteKnown(ctx.req.socket);
      if (!isStranger(ctx)) return;
      const payer: string = ctx.state.payer ?? ctx.state.address;
      if (isDraining() || (await pays(payer, ctx.state.payer !== undefined, costOf(ctx)))) return;
      if (standing.isWaiting(ctx.req.socket)) {
        // The caller pipelines without reading its answers; they would pile up here.
        ctx.req.socket.destroy();
      } else if (line.waitingCount() >= waitingMax) ctx.set('Connection', 'close');
      else await wait(ctx, payer);
    },
    noteKnown: (ctx) => standing.noteKnown(ctx.req.socket),
    async isSpent(address) {
      return (await isSpentBy(address)) || ((await all.get(everybody))?.remainingPoints ?? 1) === 0;
    },
    waitingCount: line.waitingCount,
  };
}

// `consume` rejects when the budget is spent.
const spend = (budget: RateLimiterMemory, name: string, cost: number) =>
  budget.consume(name, cost).then(
    () => true,
    () => false,
  );

/** Whether an answer is charged to a stranger. Our own failures (5xx) and browser preflights are free. */
function isStranger(ctx: Context): boolean {
  if (ctx.state.client !== undefined || ctx.status >= 500) return false;
  return !(ctx.method === 'OPTIONS' && ctx.status < 300);
}

function costOf(ctx: Context): number {
  return 1 + (Buffer.isBuffer(ctx.body) ? Math.floor(ctx.body.length / bytesPerCost) : 0);
}
