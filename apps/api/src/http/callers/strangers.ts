import type { Context, Next } from 'koa';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { createFairRoom } from '../../turns/fair-room.ts';
import type { Standing } from '../connections/standing.ts';

// See docs/decisions/0012. An answer costs 1. The public documents cost 1 more for each 16 KB.
const bytesPerCost = 16 * 1024;
// Enough to answer two thousand scanners at once that share an address and wake up with yesterday's tokens.
// In the long run, 20 a second.
const perName = { points: 2500, duration: 125 };
// For all addresses together: some hundredths of each second. It also bounds the number of names in memory.
const ofAll = { points: 5000, duration: 25 };
// Beyond the budgets, this many answers leave each second, or more if an answer would wait longer than this.
const leavePerSecond = 100;
const waitMaxSeconds = 3;
const tickMs = 50;
// One for each waiting connection. Beyond this number, an answer goes out at once and its connection ends.
const waitingMax = 5000;

/** Keeps callers that are not known (yet) from taking the time of known ones. */
export type Strangers = {
  /**
   * A middleware around the ones that make the answer. An answer to a caller without a valid token is paid
   * from the budget of its address, and waits when that is used up. `ctx.state.address` is the address that
   * pays; callers with `ctx.state.client` are known and pay nothing. A right secret is paid from the client's
   * own budget, named by `ctx.state.payer`. Nothing is refused, and no caller waits because of another
   * address.
   */
  slow(ctx: Context, next: Next): Promise<void>;
  /** Notes a valid token, before the request is handled. */
  noteKnown(ctx: Context): void;
  /** Whether an address has used up its budget. Its requests then wait, because they cost others. */
  isSpent(address: string): Promise<boolean>;
  /** The number of answers that wait. */
  waitingCount(): number;
};

const everybody = 'everybody';

/**
 * `isDraining`: whether the process is about to stop; then nothing waits. `standing` is told which callers
 * wait and which are known.
 */
export function createStrangers(isDraining: () => boolean, standing: Standing): Strangers {
  const budgets = new RateLimiterMemory({ ...perName, keyPrefix: '' });
  const all = new RateLimiterMemory({ ...ofAll, keyPrefix: '' });
  let timer: NodeJS.Timeout | undefined;
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
    clearInterval(timer);
    timer = undefined;
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
    if (timer === undefined) {
      tickedAt = performance.now();
      timer = setInterval(tick, tickMs);
    }
    if (await turn.admitted) allowed -= 1;
    turn.leave();
    standing.noteWaiting(ctx.req.socket, false);
  }

  /**
   * The answer to a right secret is paid by its client only. Strangers also share one budget for all
   * addresses.
   */
  async function pays(payer: string, isKnown: boolean, cost: number): Promise<boolean> {
    if (await isSpentBy(payer)) return false;
    return (isKnown || (await spend(all, everybody, cost))) && (await spend(budgets, payer, cost));
  }

  async function isSpentBy(payer: string): Promise<boolean> {
    return ((await budgets.get(payer))?.remainingPoints ?? 1) === 0;
  }

  return {
    async slow(ctx, next) {
      await next();
      // The right secret came.
      if (ctx.state.payer !== undefined) standing.noteKnown(ctx.req.socket);
      if (!isStranger(ctx)) return;
      const payer: string = ctx.state.payer ?? ctx.state.address;
      if (isDraining() || (await pays(payer, ctx.state.payer !== undefined, costOf(ctx)))) return;
      if (standing.isWaiting(ctx.req.socket)) {
        // The caller does not read its answers, and they would pile up here.
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

// The budget throws when it is used up.
const spend = (budget: RateLimiterMemory, name: string, cost: number) =>
  budget.consume(name, cost).then(
    () => true,
    () => false,
  );

/**
 * Whether a caller sent no valid token. Failures of the service cost a caller nothing, nor do preflights of
 * browsers.
 */
function isStranger(ctx: Context): boolean {
  if (ctx.state.client !== undefined || ctx.status >= 500) return false;
  return !(ctx.method === 'OPTIONS' && ctx.status < 300);
}

function costOf(ctx: Context): number {
  return 1 + (Buffer.isBuffer(ctx.body) ? Math.floor(ctx.body.length / bytesPerCost) : 0);
}
