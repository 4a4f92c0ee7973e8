import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/**
 * An empty project in `folder` with the client installed from the file that `npm pack` makes. Returns the folder of the
 * installed package.
 */
export function installClient(folder: string): string {
  const source = join(root, 'packages/client');
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
