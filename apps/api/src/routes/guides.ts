import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Guide } from '../openapi/llms.ts';

const folder = join(import.meta.dirname, '../../../../docs');
const names = ['scanners.md', 'integrations.md', 'client.md'];

/** The pages of `docs/` for integrators, without links to pages that are not served. */
export function readGuides(): (Guide & { text: string })[] {
  const served = names.filter((name) => existsSync(join(folder, name)));
  return served.map((file) => {
    const text = readFileSync(join(folder, file), 'utf8').replaceAll(
      /\[([^\]]*)\]\(([^)#:]+)(?:#[^)]*)?\)/g,
      (link, label: string, to: string) => (served.includes(to) ? link : label),
    );
    return { file, title: text.split('\n')[0]!.replace(/^# /, ''), text };
  });
}
