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
 * Has every statement of this process be a span, on whatever connection, with its text as it stands in the
 * code: values are not part of it. `begin`: begins a span and returns how to end it, null where none is
 * wanted. The driver has no hook for the end of a statement, so the one method that all of them go through is
 * replaced, for good; a process that calls this not is left as it is.
 */
export function traceStatements(begin: Begin): void {
  // Made and never sent: it connects to nothing.
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
