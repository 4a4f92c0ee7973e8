import { execFile } from 'node:child_process';
import { readOptions } from '../harness/read-options.ts';
import {
  type Advisory,
  concerning,
  readLockedPackages,
  readStoredAdvisories,
  withoutReason,
} from './advisories.ts';

// pnpm run audit:dependencies [--registry URL]: looks for known weaknesses in the lock file. Asks the
// registry if it answers audits, and always the list in docs/advisories.json.
const values = readOptions(
  'audit:dependencies',
  'Looks for known weaknesses of the locked packages: in docs/advisories.json, and at the registry if it answers audits.',
  {
    registry: { value: 'url', about: 'another registry than the one that is configured' },
  },
);

type Report = {
  advisories: Record<
    string,
    { module_name: string; vulnerable_versions: string; github_advisory_id?: string; url: string }
  >;
};

/** The registry's findings about our packages, or null when it gives none. */
async function askRegistry(): Promise<Advisory[] | null> {
  const registry = values.registry === undefined ? [] : ['--registry', values.registry];
  const text = await new Promise<string>((resolve) => {
    // Ends with 1 when there are findings; the report is on standard output even then.
    execFile(
      'npx',
      ['-y', 'pnpm@12', 'audit', '--json', ...registry],
      { maxBuffer: 2 ** 26 },
      (_error, stdout) => resolve(stdout),
    );
  });
  try {
    const { advisories } = JSON.parse(text) as Report;
    return Object.values(advisories).map((each) => ({
      package: each.module_name,
      range: each.vulnerable_versions,
      id: each.github_advisory_id || each.url,
      reason: null,
    }));
  } catch {
    return null;
  }
}

const stored = readStoredAdvisories();
const locked = readLockedPackages();
const answered = await askRegistry();
console.log(
  answered === null
    ? `the registry answers no audits; ${stored.length} stored advisories for ${locked.length} packages`
    : `the registry and ${stored.length} stored advisories for ${locked.length} packages`,
);
const open = withoutReason([...(answered ?? []), ...concerning(locked, stored)], stored);
for (const { package: name, range, id } of open) console.log(`${name} ${range}: ${id}`);
process.exit(open.length === 0 ? 0 : 1);
