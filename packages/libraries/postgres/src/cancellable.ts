import type { Sql } from './pool.ts';

/** The driver's state of a statement: requested, sent, and not answered yet. */
type Statement = { executed: boolean; active: boolean; state: unknown; cancel(): unknown };

export type Cancellable = {
  /** The same connection. Statements sent through it can be cancelled. */
  sql: Sql;
  /**
   * Asks Postgres, over a separate connection, to end the running statement. Returns false if none was sent.
   * The request may arrive late and end a later statement, so the connection must not be used again after
   * this.
   */
  cancel(): boolean;
};

/** Watches the statements that are sent through `sql`, including those in transactions. */
export function cancellable(sql: Sql): Cancellable {
  const statements = new Set<Statement>();

  function note(made: unknown) {
    // Finished statements would keep their rows in memory.
    for (const each of statements) if (each.state !== null && !each.active) statements.delete(each);
    if (isStatement(made)) statements.add(made);
    return made;
  }

  function watched<T extends object>(target: T): T {
    return new Proxy(target, {
      apply: (call, self, args) => note(Reflect.apply(call as never, self, args)),
      get(from, name) {
        const value: unknown = Reflect.get(from, name);
        if (typeof value !== 'function') return value;
        if (name === 'unsafe') return (...args: unknown[]) => note(value(...args));
        if (name !== 'begin') return value;
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
      // Not awaited: over TLS the driver's promise never settles. If the request is lost, the statement ends
      // at its time limit.
      Promise.resolve(running.cancel()).catch(() => {});
      return true;
    },
  };
}

function isStatement(made: unknown): made is Statement {
  return made instanceof Promise && 'cancel' in made && 'executed' in made;
}
