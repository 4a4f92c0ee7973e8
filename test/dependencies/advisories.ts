import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../..');

/** A package of the lock file at one of its versions. */
export type LockedPackage = { name: string; version: string };

/**
 * A version range of a package with a known weakness; `reason`: why it does not concern us, null while it
 * would.
 */
export type Advisory = { package: string; range: string; id: string; reason: string | null };

/** Every package that the lock file names, once for each version. */
export function readLockedPackages(): LockedPackage[] {
  const lock = parse(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')) as {
    packages: Record<string, unknown>;
  };
  return Object.keys(lock.packages).map((key) => {
    const at = key.lastIndexOf('@');
    return { name: key.slice(0, at), version: key.slice(at + 1) };
  });
}

/** The advisories that the repository keeps. */
export function readStoredAdvisories(): Advisory[] {
  return JSON.parse(readFileSync(join(root, 'docs/advisories.json'), 'utf8')) as Advisory[];
}

/** The advisories that concern a locked package. */
export function concerning(packages: readonly LockedPackage[], advisories: readonly Advisory[]): Advisory[] {
  return advisories.filter((advisory) =>
    packages.some(
      ({ name, version }) =>
        name === advisory.package && semver.satisfies(version, advisory.range, { includePrerelease: true }),
    ),
  );
}

/** Those of the advisories for which nobody has given a reason, in the list or in the stored one. */
export function withoutReason(found: readonly Advisory[], stored: readonly Advisory[]): Advisory[] {
  const argued = new Set(stored.filter(({ reason }) => reason?.trim()).map(({ id }) => id));
  return found.filter(({ id }) => !argued.has(id));
}
