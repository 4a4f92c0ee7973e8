import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { extname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageFolders } from './package-folders.ts';

const root = join(import.meta.dirname, '../..');
const own = '@inventory';
/** The module that lets Node run TypeScript, for `--import`. */
export const types = pathToFileURL(join(root, 'apps/admin/types.mjs')).href;

/**
 * Compiles the checkout into `folder`, and links all else there. A process of it starts in a third of the
 * time that the loader of TypeScript takes, and tests start hundreds.
 */
export function compileCheckout(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(root, '.local'), { recursive: true });
  const options = ['--noEmit', 'false', '--noCheck', '--rewriteRelativeImportExtensions', '--rootDir', '.'];
  execFileSync(join(root, 'node_modules/.bin/tsc'), [...options, '--outDir', folder], { cwd: root });
  for (const each of [...packageFolders, 'test']) placePackage(folder, each);
  // `start` runs these by the names of their sources.
  for (const name of ['api', 'worker']) {
    const main = join(folder, 'apps', name, 'src/main');
    copyFileSync(`${main}.js`, `${main}.ts`);
  }
  linkAll(folder, '', ['.git', 'apps', 'packages', 'test']);
}

/**
 * The arguments of Node that run a file of a checkout, after `imports`: the compiled ones where all of them
 * are compiled, or else TypeScript as it is.
 */
export function programOf(file: string, imports: readonly string[] = []): string[] {
  const files = [...imports, file];
  const compiled = files.map(compiledOf);
  const run = compiled.every((each) => each !== null) ? compiled : [types, ...files];
  return [...run.slice(0, -1).flatMap((each) => ['--import', each]), run.at(-1)!];
}

function compiledOf(file: string): string | null {
  const folder = process.env.COMPILED_CHECKOUT;
  if (folder === undefined) return null;
  const compiled = join(folder, relative(root, file)).replace(/\.ts$/, '.js');
  return existsSync(compiled) ? compiled : null;
}

function placePackage(folder: string, name: string): void {
  const { exports, ...rest } = JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8'));
  const compiled = exports === undefined ? {} : { exports: compiledExports(exports) };
  writeFileSync(join(folder, name, 'package.json'), JSON.stringify({ ...rest, ...compiled }));
  linkAll(folder, name, ['node_modules']);
  placeModules(folder, join(name, 'node_modules'));
}

/** The face of a package that is published, or else all of its files. */
function compiledExports(exports: Record<string, unknown>): Record<string, string> {
  if (!('.' in exports))
    return Object.fromEntries(
      Object.entries(exports).map(([name, file]) => [name, String(file).replace(/\.ts$/, '.js')]),
    );
  return { '.': './src/index.js', './package.json': './package.json' };
}

/** Packages of the checkout lead to the compiled ones, all others to where they are. */
function placeModules(folder: string, path: string): void {
  if (!existsSync(join(root, path))) return;
  mkdirSync(join(folder, path), { recursive: true });
  for (const name of readdirSync(join(root, path))) {
    if (name === own) placeModules(folder, join(path, name));
    else {
      const real = realpathSync(join(root, path, name));
      const isOwn = path.endsWith(own);
      symlinkSync(isOwn ? join(folder, relative(root, real)) : real, join(folder, path, name));
    }
  }
}

/** Links what the compiler does not write, in this folder and those below that are there already. */
function linkAll(folder: string, path: string, but: readonly string[] = []): void {
  for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
    const place = join(path, entry.name);
    if (but.includes(entry.name) || extname(entry.name) === '.ts') continue;
    if (existsSync(join(folder, place))) {
      if (entry.isDirectory()) linkAll(folder, place);
    } else symlinkSync(join(root, place), join(folder, place));
  }
}
