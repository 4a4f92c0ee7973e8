import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parts } from '@inventory/db/logins';
import { connections, readConfig } from '@inventory/process/config';
import { type RedisUser, redisAclFile } from '@inventory/queue/redis-rights';
import { Command } from 'commander';
import { example, print } from '../cli/print.ts';

// For files that a process under our user reads,
const ours = 0o600;
// and for files that a server reads under its own user; the volume keeps others out.
const servers = 0o644;

export const secretsCommand = new Command('secrets')
  .description('Create the missing passwords of a deployment in containers, and the ACL file of Redis')
  .requiredOption('--owner <folder>', 'folder for the password of the owner of the tables')
  .requiredOption('--parts <folder>', 'folder for the folders of api, worker, operator and redis')
  .addHelpText('after', example('secrets --owner /secrets --parts /secrets-of'))
  .action((options: { owner: string; parts: string }) => {
    const { QUEUE_PREFIX } = readConfig({ QUEUE_PREFIX: connections.QUEUE_PREFIX }, process.env);
    keepSecret(options.owner, 'database-password', servers);
    for (const part of parts) keepSecret(join(options.parts, part), 'database-password', ours);
    const redis = join(options.parts, 'redis');
    const passwords: Record<RedisUser, string> = {
      api: keepSecret(join(options.parts, 'api'), 'redis-password', ours),
      worker: keepSecret(join(options.parts, 'worker'), 'redis-password', ours),
      admin: keepSecret(redis, 'redis-password', servers),
    };
    // The operator asks Redis how it is as its admin.
    writeWhole(join(options.parts, 'operator', 'redis-password'), passwords.admin, ours);
    // Anew each time: another version may need other rights.
    writeWhole(join(redis, 'users.acl'), redisAclFile(passwords, QUEUE_PREFIX), servers);
    print('all secrets exist');
  });

/** The secret that a file keeps; drawn when there is none. */
function keepSecret(folder: string, name: string, mode: number): string {
  const path = join(folder, name);
  mkdirSync(folder, { recursive: true });
  if (!existsSync(path)) writeWhole(path, randomBytes(32).toString('base64url'), mode);
  chmodSync(path, mode);
  return readFileSync(path, 'utf8').trim();
}

/** At once as a whole: one that was broken off leaves no half of it. */
function writeWhole(path: string, text: string, mode: number): void {
  writeFileSync(`${path}.new`, text, { mode });
  chmodSync(`${path}.new`, mode);
  renameSync(`${path}.new`, path);
}
