import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../..');

/** A package in the lock file, at one of its versions. */
export type LockedPackage = { name: string; version: string };

/**
 * A version range of a package with a known weakness; `reason` says why it does not affect us, and is null if
 * it would.
 */
export type Advisory = { package: string; range: string; id: string; reason: string | null };

/** Every package in the lock file, once per version. */
export function readLockedPackages(): LockedPackage[] {
  const lock = parse(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')) as {
    packages: Record<string, unknown>;
  };
  return Object.keys(lock.packages).map((key) => {
    const at = key.lastIndexOf('@');
    return { name: key.slice(0, at), version: key.slice(at + 1) };
  });
}

/** The advisories stored in the repository. */
export function readStoredAdvisories(): Advisory[] {
  return JSON.parse(readFileSync(join(root, 'docs/advisories.json'), 'utf8')) as Advisory[];
}

/** The advisories about a locked package. */
export function concerning(packages: readonly LockedPackage[], advisories: readonly Advisory[]): Advisory[] {
  return advisories.filter((advisory) =>
    packages.some(
      ({ name, version }) =>
        name === advisory.package && semver.satisfies(version, advisory.range, { includePrerelease: true }),
    ),
  );
}

/** The advisories without a reason, in the list and in the stored ones. */
export function withoutReason(found: readonly Advisory[], stored: readonly Advisory[]): Advisory[] {
  const argued = new Set(stored.filter(({ reason }) => reason?.trim()).map(({ id }) => id));
  return found.filter(({ id }) => !argued.has(id));
}
