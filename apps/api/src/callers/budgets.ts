/** A budget for each name: `max` at once, and so much more every second until it is `max` again. */
export type Budgets = {
  /** Whether there is as much, without spending it. */
  has(name: string, cost: number): boolean;
  spend(name: string, cost: number): void;
};

export type BudgetsOptions = {
  max: number;
  perSecond: number;
  /** Beyond so many names the one that spent longest ago is forgotten, and has all of its budget again. */
  namesMax: number;
};

/** Budgets in the memory of this process. A name costs nothing while its budget is whole. */
export function createBudgets({ max, perSecond, namesMax }: BudgetsOptions): Budgets {
  // In the order in which they last spent something.
  const spent = new Map<string, { amount: number; at: number }>();

  function spentNow(name: string, now: number): number {
    const known = spent.get(name);
    return known === undefined ? 0 : Math.max(0, known.amount - ((now - known.at) / 1000) * perSecond);
  }

  /** A name that has spent nothing for as long as a whole budget takes to come back has all of it. */
  function forgetWhole(now: number) {
    for (const [name, { at }] of spent) {
      if (spent.size <= namesMax && (now - at) / 1000 < max / perSecond) return;
      spent.delete(name);
    }
  }

  return {
    has: (name, cost) => max - spentNow(name, performance.now()) >= cost,
    spend(name, cost) {
      const now = performance.now();
      const amount = Math.min(max, spentNow(name, now) + cost);
      spent.delete(name);
      spent.set(name, { amount, at: now });
      forgetWhole(now);
    },
  };
}
