import type { Sql } from './pool.ts';

/** The driver's state of a statement: whether it was asked for, sent, and not answered yet. */
type Statement = { executed: boolean; active: boolean; state: unknown; cancel(): unknown };

export type Cancellable = {
  /** The same connection; statements sent by it can be cancelled. */
  sql: Sql;
  /**
   * Asks Postgres to end the statement that runs now, over a connection of its own; false when none was sent.
   * It may come late and end whatever the connection does next: whoever cancels must not use the connection
   * again.
   */
  cancel(): boolean;
};

/** Looks on while statements are sent by `sql`, also those of its transactions. */
export function cancellable(sql: Sql): Cancellable {
  const statements = new Set<Statement>();

  function note(made: unknown) {
    // A finished one would keep its rows.
    for (const each of statements) if (each.state !== null && !each.active) statements.delete(each);
    if (isStatement(made)) statements.add(made);
    return made;
  }

  function watched<T extends object>(target: T): T {
    return new Proxy(target, {
      apply: (call, self, args) => note(Reflect.apply(call as never, self, args)),
      get(from, name) {
        const value: unknown = Reflect.get(from, name);
        if (name !== 'begin' || typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          const work = args.pop() as (tx: object) => unknown;
          return value(...args, (tx: object) => work(watched(tx)));
        };
      },
    });
  }

  return {
    sql: watched(sql),
    cancel() {
      const running = [...statements].find((each) => each.executed && each.state !== null && each.active);
      if (running === undefined) return false;
      // Nobody waits for it: over TLS the driver's promise never settles. Lost, it leaves the statement its
      // time limit.
      Promise.resolve(running.cancel()).catch(() => {});
      return true;
    },
  };
}

function isStatement(made: unknown): made is Statement {
  return made instanceof Promise && 'cancel' in made && 'executed' in made;
}
