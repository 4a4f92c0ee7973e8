import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Clocks that are set while their processes run, by libfaketime. Monotonic clocks stay right. */
export type Clocks = {
  /** The environment in which a process has the clock of this name. */
  environmentOf(name: string): Record<string, string>;
  /** Sets clocks wrong by this much, such as `+40d` or `-2h`; the others stay as they are. */
  set(names: readonly string[], by: string): void;
  /** Sets every clock right. */
  setRight(): void;
};

/** Debian's package `faketime` brings the library. Null: it is not there. */
function findLibrary(): string | null {
  for (const machine of readdirSync('/usr/lib', { withFileTypes: true })) {
    const folder = join('/usr/lib', machine.name, 'faketime');
    try {
      const file = readdirSync(folder).find((each) => /^libfaketimeMT\.so/.test(each));
      if (file !== undefined) return join(folder, file);
    } catch {
      // not in this folder
    }
  }
  return null;
}

/** `folder`: holds a file for each clock. It must be one that other users of the machine can enter. */
export function createClocks(folder: string): Clocks {
  const library = findLibrary();
  if (library === null) throw new Error('--clocks needs libfaketime: apt-get install faketime');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
  const files = new Map<string, string>();
  const fileOf = (name: string) => {
    const file = files.get(name) ?? join(folder, name);
    if (!files.has(name)) writeFileSync(file, '+0\n');
    files.set(name, file);
    return file;
  };
  return {
    environmentOf: (name) => ({
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: fileOf(name),
      FAKETIME_CACHE_DURATION: '1',
      // Shared, its lock would be left behind by a process that is killed.
      FAKETIME_DISABLE_SHM: '1',
      // The name differs between versions.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    }),
    set(names, by) {
      for (const name of names) writeFileSync(fileOf(name), `${by}\n`);
    },
    setRight() {
      for (const file of files.values()) writeFileSync(file, '+0\n');
    },
  };
}
