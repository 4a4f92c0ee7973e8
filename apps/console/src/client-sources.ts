import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';

const require = createRequire(import.meta.url);

/**
 * The modules of `@inventory/client` as a browser takes them, by their paths below its `src`. The schema is
 * left out, because it has only types, and no module imports it at run time.
 */
export async function clientSources(): Promise<Map<string, string>> {
  const folder = join(dirname(require.resolve('@inventory/client/package.json')), 'src');
  const names = await readdir(folder, { recursive: true, encoding: 'utf8' });
  const modules = names.filter((name) => ['.ts', '.js'].includes(extname(name)) && name !== 'api/schema.ts');
  const sources = await Promise.all(modules.map((name) => readFile(join(folder, name), 'utf8')));
  // A compiled checkout has no types.
  const plain = modules.some((name) => extname(name) === '.ts') ? await stripTypes(sources) : sources;
  return new Map(modules.map((name, place) => [name.replaceAll('\\', '/'), plain[place]!]));
}

/** Takes the types off, as Node does. In a thread of its own: to load amaro alone takes 0.2 s. */
async function stripTypes(sources: readonly string[]): Promise<string[]> {
  const script = `const { parentPort, workerData: { amaro, sources } } = require('node:worker_threads');
    const { transformSync } = require(amaro);
    parentPort.postMessage(sources.map((source) => transformSync(source, { mode: 'strip-only' }).code));`;
  const workerData = { amaro: require.resolve('amaro'), sources };
  const worker = new Worker(script, { eval: true, workerData, execArgv: [] });
  return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
}
