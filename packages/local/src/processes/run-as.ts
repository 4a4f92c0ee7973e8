import { readFileSync, statSync } from 'node:fs';
import { LocalStackError } from '../local-stack-error.ts';

/** The user that runs a program; empty for our own. */
export type RunAs = { uid?: number; gid?: number };

/**
 * The user that runs Postgres, which refuses to run as root. For root: the owner of existing data, otherwise
 * `postgres` or `nobody`. For others: the same user.
 */
export function chooseRunAs(dataFolders: string[]): RunAs {
  if (process.getuid?.() !== 0) return {};
  for (const folder of dataFolders) {
    const owner = statSync(folder, { throwIfNoEntry: false });
    if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  }
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  // It must be a user of the machine, because initdb looks up its name.
  for (const name of ['postgres', 'nobody']) {
    const user = users.find(([userName]) => userName === name);
    if (user !== undefined) return { uid: Number(user[2]), gid: Number(user[3]) };
  }
  throw new LocalStackError(
    'Postgres refuses to run as root and there is no user "postgres" or "nobody" here',
  );
}
