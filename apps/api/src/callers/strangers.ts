import type { Context, Next } from 'koa';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Standing } from '../connections/standing.ts';
import { createFairRoom } from '../fair-room.ts';

// See docs/decisions/0012. An answer costs 1, and 1 for each 16 KB of the documents that everybody may read.
const bytesPerCost = 16 * 1024;
// Two thousand scanners behind one address that wake up with yesterday's tokens are answered at once. 20 a
// second in the long run.
const perName = { points: 2500, duration: 125 };
// From all addresses: some hundredths of a second in each. It bounds how many names are remembered, too.
const ofAll = { points: 5000, duration: 25 };
// Past that, so many answers leave in a second, and more when somebody would wait longer than this.
const leavePerSecond = 100;
const waitMaxSeconds = 3;
const tickMs = 50;
// One for each connection. Beyond so many an answer goes at once, and its connection ends.
const waitingMax = 5000;

/** How callers that are not known, or not yet, are kept from taking the time of those that are. */
export type Strangers = {
  /**
   * A middleware around those that make the answer. An answer to a caller without a right token is paid from
   * the budget of its address, and waits its turn when that is used up. `ctx.state.address` says who pays,
   * `ctx.state.client` who is known and pays nothing; a right secret is paid from a budget of its client's
   * own, which `ctx.state.payer` names. Nothing is refused, and nobody waits for others' debts.
   */
  slow(ctx: Context, next: Next): Promise<void>;
  /** A right token came, before anything is done for it. */
  noteKnown(ctx: Context): void;
  /** Whether an address has used up its budget: its requests cost others, and wait. */
  isSpent(address: string): Promise<boolean>;
  /** How many answers wait for their turn. */
  waitingCount(): number;
};

const everybody = 'everybody';

/**
 * `isDraining`: whether the process is about to stop; nobody waits then. `standing` is told who waits, and
 * who is known.
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
    // A process that stood still makes up for a second at most.
    allowed += Math.min(1, (now - tickedAt) / 1000) * perSecond;
    tickedAt = now;
    if (isDraining()) allowed = line.waitingCount();
    line.serve();
    if (line.waitingCount() > 0) return;
    clearInterval(timer);
    timer = undefined;
    allowed = line.used();
  }

  /** Waits for its turn, or until the caller is gone. */
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

  /** A right secret costs others nothing but time; strangers share what there is for all of them. */
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
      // A right secret came.
      if (ctx.state.payer !== undefined) standing.noteKnown(ctx.req.socket);
      if (!isStranger(ctx)) return;
      const payer: string = ctx.state.payer ?? ctx.state.address;
      if (isDraining() || (await pays(payer, ctx.state.payer !== undefined, costOf(ctx)))) return;
      if (standing.isWaiting(ctx.req.socket)) {
        // It does not read its answers: they would pile up here.
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

// A budget refuses by throwing.
const spend = (budget: RateLimiterMemory, name: string, cost: number) =>
  budget.consume(name, cost).then(
    () => true,
    () => false,
  );

/**
 * Whether a caller sent no right token. A failure of ours is nobody's debt, and a browser's preflight costs
 * nothing.
 */
function isStranger(ctx: Context): boolean {
  if (ctx.state.client !== undefined || ctx.status >= 500) return false;
  return !(ctx.method === 'OPTIONS' && ctx.status < 300);
}

function costOf(ctx: Context): number {
  return 1 + (Buffer.isBuffer(ctx.body) ? Math.floor(ctx.body.length / bytesPerCost) : 0);
}
