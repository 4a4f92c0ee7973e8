// Installs what is missing, before anything is imported. `start` and the command line get what they need;
// with the argument `all`, or where somebody has installed all, also what tests and checks need, which is
// twice as much. Runs in scripts of package.json: pnpm cannot choose by script (verifyDepsBeforeRun).

import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const noted = `${root}node_modules/.pnpm-workspace-state-v1.json`;

/** The state that pnpm noted of the last installation; null: nothing is installed. */
function readState() {
  try {
    return JSON.parse(readFileSync(noted, 'utf8'));
  } catch {
    return null;
  }
}

const state = readState();
const isAll = process.argv[2] === 'all' || (state !== null && state.filteredInstall === false);
// Then it is soon done and has nothing to say.
const isRecent = state !== null && statSync(noted).mtimeMs > statSync(`${root}pnpm-lock.yaml`).mtimeMs;
if (state === null) process.stderr.write('installing the packages\n');
const args = [
  'install',
  ...(isAll ? [] : ['--filter', '@inventory/admin...']),
  ...(isRecent ? ['--silent'] : []),
];
// Standard output belongs to the command that follows.
const { status, error } = spawnSync(process.env.npm_execpath || 'pnpm', args, {
  cwd: root,
  stdio: ['ignore', 2, 2],
});
if (error !== undefined) process.stderr.write(`error: pnpm cannot be run (${error.message})\n`);
process.exitCode = status === null ? 1 : status;
