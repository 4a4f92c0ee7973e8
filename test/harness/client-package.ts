import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/**
 * An empty project in `folder` with the client installed from the file that `npm pack` makes. Returns the
 * folder of the installed package.
 */
export function installClient(folder: string): string {
  // Files of tests pack at the same time, so each builds a copy of its own.
  const source = join(folder, 'checkout/packages/client');
  const original = join(root, 'packages/client');
  for (const name of ['src', 'package.json', 'tsconfig.build.json', 'README.md'])
    cpSync(join(original, name), join(source, name), { recursive: true });
  cpSync(join(root, 'tsconfig.json'), join(folder, 'checkout/tsconfig.json'));
  symlinkSync(join(original, 'node_modules'), join(source, 'node_modules'));
  const types = join(folder, 'checkout/node_modules/@types');
  mkdirSync(types, { recursive: true });
  symlinkSync(realpathSync(join(root, 'node_modules/@types/node')), join(types, 'node'));
  const packing = { cwd: source, encoding: 'utf8' as const, stdio: 'pipe' as const };
  const [packed] = JSON.parse(execFileSync('npm', ['pack', '--json', '--pack-destination', folder], packing));
  const modules = join(folder, 'node_modules');
  const installed = join(modules, '@inventory/client');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, packed.filename), '--strip-components=1', '-C', installed]);
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    const place = join(modules, name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(realpathSync(join(source, 'node_modules', name)), place);
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return installed;
}
