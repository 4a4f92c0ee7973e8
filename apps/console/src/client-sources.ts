import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import type { transformSync } from 'amaro';

const require = createRequire(import.meta.url);

/**
 * The modules of `@inventory/client` as a browser takes them, by their paths below its `src`. The schema is
 * left out, because it has only types, and no module imports it at run time.
 */
export function clientSources(): Map<string, string> {
  const folder = join(dirname(require.resolve('@inventory/client/package.json')), 'src');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const modules = names.filter((name) => ['.ts', '.js'].includes(extname(name)) && name !== 'api/schema.ts');
  return new Map(modules.map((name) => [name.replaceAll('\\', '/'), readSource(join(folder, name))]));
}

/** Takes the types off, as Node does. A compiled checkout has none. */
function readSource(path: string): string {
  const source = readFileSync(path, 'utf8');
  if (extname(path) === '.js') return source;
  // Loaded when the first page is asked for: it takes 0.3 s, and many processes never serve one.
  const amaro = require('amaro') as { transformSync: typeof transformSync };
  return amaro.transformSync(source, { mode: 'strip-only' }).code;
}
