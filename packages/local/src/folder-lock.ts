import { randomInt } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { LocalStackError } from './local-stack-error.ts';
import { identifyProcess } from './processes/process-identity.ts';

const LOCK_NAME = /^lock-(\d+)-(.+)$/;

/**
 * Locks the folder for this process. Returns a function that unlocks it.
 *
 * Each process has its own lock file, named after its pid and start time, and holds the lock if no other
 * living process has one. So any process can remove the file of a killed process without a race: its name
 * never comes back. Two processes that start at the same moment may see each other; both withdraw and try
 * again after different pauses.
 *
 * Fails with LocalStackError if a living process, including this one, holds the lock.
 */
export async function lockFolder(folder: string): Promise<() => void> {
  const self = identifyProcess(process.pid);
  if (self === null) throw new LocalStackError('this process cannot be found in the list of processes');
  const path = join(folder, `lock-${self.pid}-${self.started.replaceAll(/[^\w-]/g, '_')}`);
  let holder = 0;
  for (let tries = 0; tries < 5; tries += 1) {
    try {
      writeFileSync(path, JSON.stringify(self), { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new LocalStackError(`already running here: this process has started a stack in ${folder}`);
    }
    holder = findOtherHolder(folder, path);
    if (holder === 0) return () => rmSync(path, { force: true });
    rmSync(path, { force: true });
    await wait(randomInt(20, 200));
  }
  throw new LocalStackError(`already running here: process ${holder} uses ${folder}; stop it first`);
}

/**
 * Returns the pid of another living process with a lock file in the folder, or 0. Removes the files of dead
 * processes.
 */
function findOtherHolder(folder: string, own: string): number {
  let holder = 0;
  for (const name of readdirSync(folder)) {
    const pid = Number(LOCK_NAME.exec(name)?.[1] ?? 0);
    const path = join(folder, name);
    if (pid === 0 || path === own) continue;
    const living = identifyProcess(pid);
    const started = LOCK_NAME.exec(name)?.[2];
    if (living !== null && living.started.replaceAll(/[^\w-]/g, '_') === started) holder = pid;
    else rmSync(path, { force: true });
  }
  return holder;
}
