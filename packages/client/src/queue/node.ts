type Builtins = {
  'node:crypto': typeof import('node:crypto');
  'node:fs/promises': typeof import('node:fs/promises');
  'node:net': typeof import('node:net');
  'node:os': typeof import('node:os');
  'node:path': typeof import('node:path');
};

/**
 * A module of Node, Deno or Bun. It is no import, so that bundlers for browsers have nothing to look for.
 */
export function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] {
  const found = (
    globalThis as { process?: { getBuiltinModule?(name: string): unknown } }
  ).process?.getBuiltinModule?.(name);
  if (found === undefined) throw new Error('there are no files here; use another storage');
  return found as Builtins[Name];
}
