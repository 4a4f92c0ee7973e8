import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identifyProcess, isRunning, type ProcessIdentity } from './processes/process-identity.ts';

/** The facts about a running stack for other processes. */
export type RunningStack = {
  /** for the owner */
  databaseUrl: string;
  /** How Postgres was started; 'given' if it was not. */
  postgres: 'given' | 'local' | 'docker';
  /** for everyday use; null while there is none */
  operatorUrl: string | null;
  redisUrl: string;
};

export const STACK_FILE = 'stack.json';
/** Names the folder of Postgres' data if that is outside this one. */
export const POSTGRES_HOME_FILE = 'postgres-home';

/** Writes the file, which contains passwords, readable only for our user. */
export function writeStackFile(folder: string, stack: RunningStack): void {
  writePrivateFile(
    join(folder, STACK_FILE),
    JSON.stringify({ owner: identifyProcess(process.pid), ...stack }),
  );
}

/** The stack that a living process runs from this folder; null if there is none. For the command line. */
export function readStackFile(folder: string): RunningStack | null {
  try {
    const text = readFileSync(join(folder, STACK_FILE), 'utf8');
    const { owner, ...stack } = JSON.parse(text) as RunningStack & { owner: ProcessIdentity };
    // Version 0.2.0 and older ones do not say how Postgres was started.
    return isRunning(owner) ? { ...stack, postgres: stack.postgres ?? 'local' } : null;
  } catch {
    return null;
  }
}

/**
 * A folder on the disk of Postgres' data, if this folder's stack starts Postgres. Root may have the data
 * outside the folder, in the place that a file of postgres-home.ts names.
 */
export function findPostgresDisk(folder: string): string {
  const inside = join(folder, 'postgres');
  if (existsSync(join(inside, 'data'))) return inside;
  try {
    return readFileSync(join(folder, POSTGRES_HOME_FILE), 'utf8').trim();
  } catch {
    return folder;
  }
}

/** The ports of the last start, as far as known. */
export type Ports = { postgres?: number; redis?: number };

export function readPorts(folder: string): Ports {
  try {
    return JSON.parse(readFileSync(join(folder, 'ports.json'), 'utf8')) as Ports;
  } catch {
    return {};
  }
}

export function writePorts(folder: string, ports: Ports): void {
  writePrivateFile(join(folder, 'ports.json'), JSON.stringify(ports));
}

/** Written atomically, so that readers never see a part. */
function writePrivateFile(path: string, text: string): void {
  const part = `${path}-part-${process.pid}`;
  writeFileSync(part, text, { mode: 0o600 });
  renameSync(part, path);
}
