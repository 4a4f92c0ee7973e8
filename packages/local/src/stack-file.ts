import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identifyProcess, isRunning, type ProcessIdentity } from './processes/process-identity.ts';

/** The facts about a running stack for other processes. */
export type RunningStack = {
  /** for the owner */
  databaseUrl: string;
  /** for everyday use; null while there is none */
  operatorUrl: string | null;
  redisUrl: string;
};

export const STACK_FILE = 'stack.json';

/** Writes the file, which contains passwords, readable only for our user. */
export function writeStackFile(folder: string, urls: RunningStack): void {
  writePrivateFile(
    join(folder, STACK_FILE),
    JSON.stringify({ owner: identifyProcess(process.pid), ...urls }),
  );
}

/** The stack that a living process runs from this folder; null if there is none. */
export function readStackFile(folder: string): RunningStack | null {
  try {
    const text = readFileSync(join(folder, STACK_FILE), 'utf8');
    const { owner, ...stack } = JSON.parse(text) as RunningStack & { owner: ProcessIdentity };
    return isRunning(owner) ? stack : null;
  } catch {
    return null;
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
