import postgres from 'postgres';

type Begin = (
  name: string,
  options: { kind: 'client'; attributes: Record<string, string> },
) => ((error?: unknown) => void) | null;

type Query = {
  executed: boolean;
  strings: readonly string[];
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
  handle: () => Promise<void>;
};

const textMax = 2000;

/**
 * Makes every statement of this process a span, on any connection, with its text as in the code and without
 * values. `begin` begins a span and returns a function that ends it, or null if no span is wanted. The driver
 * has no hook for the end of a statement, so this permanently replaces the one method that all statements
 * use. Without a call, a process is unchanged.
 */
export function traceStatements(begin: Begin): void {
  // Created but never sent, so it does not connect.
  const prototype = Object.getPrototypeOf(postgres({ max: 1 })`select`) as Query;
  const { handle } = prototype;
  prototype.handle = function traced(this: Query) {
    if (!this.executed) {
      const text = this.strings.join('?').replace(/\s+/g, ' ').trim();
      const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text.slice(0, textMax) };
      const end = begin(text.split(' ', 1)[0] || 'statement', { kind: 'client', attributes });
      if (end !== null) tellEnd(this, end);
    }
    return handle.call(this);
  };
}

function tellEnd(query: Query, end: (error?: unknown) => void): void {
  const { resolve, reject } = query;
  query.resolve = (value) => {
    end();
    resolve(value);
  };
  query.reject = (error) => {
    end(error);
    reject(error);
  };
}
