import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { clientSources } from './client-sources.ts';

/** A file of the page. */
export type ConsoleFile = { type: string; content: Buffer };

/**
 * The page: its files by their paths below `/console/`, the name of this state of them, and the policy that
 * its browser enforces.
 */
export type Console = { files: ReadonlyMap<string, ConsoleFile>; version: string; policy: string };

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
};
// A camera is seldom used, so what only it needs is fetched then. Pictures are shown offline, too.
const forCamera = /^modules\/zxing/;
const forPictures = /^modules\/uplot/;

const importMap = /<script type="importmap">([\s\S]*?)<\/script>/;
const inline = /<script>([\s\S]*?)<\/script>/;

/** Reads the page, and blocks nobody meanwhile. Only the paths of `files` exist, so no path leads outside. */
export async function readConsole(): Promise<Console> {
  const own = join(import.meta.dirname, '../page');
  const files = new Map<string, ConsoleFile>();
  const add = (path: string, content: string | Buffer) =>
    files.set(path, {
      type: types[extname(path).replace('.ts', '.js')]!,
      content: Buffer.from(content),
    });
  for (const name of await readdir(own, { recursive: true, encoding: 'utf8' }))
    if (extname(name) !== '') add(name.replaceAll('\\', '/'), await readFile(join(own, name)));
  for (const [path, file, more = ''] of modules())
    add(path, Buffer.concat([await readFile(file), Buffer.from(more)]));
  const client = await clientSources();
  for (const [path, source] of client) add(`client/${path}`, source);
  // The import map names this one, from sources or compiled.
  add('client/index.js', client.get('index.js') ?? client.get('index.ts')!);
  const version = versionOf(files);
  const page = versioned(files, version);
  files.delete('index.html');
  files.set('', page);
  addList(files, version);
  return { files, version, policy: policyOf(page.content.toString()) };
}

/** The libraries, by the paths that the import map gives them. `more`: stands below the file. */
function modules(): [path: string, file: string, more?: string][] {
  const { resolve } = createRequire(import.meta.url);
  const beside = (name: string, file: string) => join(dirname(resolve(name)), file);
  return [
    ['modules/preact.js', beside('preact/package.json', 'dist/preact.mjs')],
    ['modules/preact-hooks.js', beside('preact/package.json', 'hooks/dist/hooks.mjs')],
    ['modules/htm.js', beside('htm', 'htm.mjs')],
    ['modules/openapi-fetch.js', beside('openapi-fetch', 'index.mjs')],
    // Its module is not minified, and twice as large.
    ['modules/uplot.js', resolve('uplot/dist/uPlot.iife.min.js'), '\nexport default uPlot;\n'],
    ['modules/uplot.css', resolve('uplot/dist/uPlot.min.css')],
    ['modules/zxing/reader/index.js', beside('zxing-wasm/reader', '../../es/reader/index.js')],
    ['modules/zxing/share.js', beside('zxing-wasm/reader', '../../es/share.js')],
    ['modules/zxing_reader.wasm', resolve('zxing-wasm/reader/zxing_reader.wasm')],
  ];
}

function versionOf(files: ReadonlyMap<string, ConsoleFile>): string {
  const hash = createHash('sha256');
  for (const [path, { content }] of files) hash.update(path).update(content);
  return hash.digest('hex').slice(0, 16);
}

/**
 * The page, which asks for each of its modules by this version, so that no other one answers. It names them
 * all: a browser would find them in rounds, as they import each other.
 */
function versioned(files: ReadonlyMap<string, ConsoleFile>, version: string): ConsoleFile {
  const page = files.get('index.html')!;
  const named = (path: string) => `${path}?v=${version}`;
  const isModule = (path: string) => /\.[jt]s$/.test(path) && path !== 'service-worker.js';
  const modules = [...files.keys()].filter(isModule);
  const isLoaded = (path: string) =>
    path !== 'client/index.ts' && !forCamera.test(path) && !forPictures.test(path);
  const links = modules
    .filter(isLoaded)
    .map((path) => `<link rel="modulepreload" href="${named(path)}">\n    `);
  const text = page.content
    .toString()
    .replace(importMap, (whole, map: string) => {
      const { imports } = JSON.parse(map) as { imports: Record<string, string> };
      const bare = Object.entries(imports).map(([name, path]) => [name, named(path)]);
      // Modules import each other by their plain addresses.
      const plain = modules.map((path) => [`./${path}`, named(`./${path}`)]);
      return whole.replace(map, JSON.stringify({ imports: Object.fromEntries([...bare, ...plain]) }));
    })
    .replace(/href="([\w/]+\.css)"/g, (_, path: string) => `href="${named(path)}"`)
    // Behind the import map: older browsers take none once they have begun to load modules.
    .replace(
      '<script type="module" src="main.js"',
      `${links.join('')}<script type="module" src="${named('main.js')}"`,
    );
  return { ...page, content: Buffer.from(text) };
}

/** Tells the service worker which files to keep, and their version. */
function addList(files: Map<string, ConsoleFile>, version: string): void {
  const worker = files.get('service-worker.js')!;
  const kept = [...files.keys()].filter((path) => path !== 'service-worker.js' && !forCamera.test(path));
  const list = JSON.stringify({ version, paths: kept });
  const content = Buffer.from(`const kept = ${list};\n${worker.content}`);
  files.set('service-worker.js', { ...worker, content });
}

/**
 * Everything comes from this service, and no other page may embed it. Only the import map stands in the page
 * itself, and what begins again when a module cannot be had.
 */
function policyOf(page: string): string {
  const hashes = [importMap, inline].map((script) => {
    const [, text] = script.exec(page)!;
    return `'sha256-${createHash('sha256').update(text!).digest('base64')}'`;
  });
  return [
    "default-src 'none'",
    // The reader of the camera's pictures is WebAssembly.
    `script-src 'self' 'wasm-unsafe-eval' ${hashes.join(' ')}`,
    ...["style-src 'self'", "img-src 'self'", "connect-src 'self'"],
    ...["manifest-src 'self'", "worker-src 'self'"],
    ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ].join('; ');
}
