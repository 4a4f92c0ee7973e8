import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parts } from '@inventory/db/access/logins';
import { connections, readConfig } from '@inventory/process/settings/config';
import { type RedisUser, redisAclFile } from '@inventory/queue/redis-rights';
import { Command } from 'commander';
import { example, print } from '../cli/print.ts';

// For files that a process of our user reads.
const ours = 0o600;
// For files that a server reads as its own user. The volume keeps others out.
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
    // The operator connects to Redis as admin.
    writeWhole(join(options.parts, 'operator', 'redis-password'), passwords.admin, ours);
    // Written each time, because another version may need other rights.
    writeWhole(join(redis, 'users.acl'), redisAclFile(passwords, QUEUE_PREFIX), servers);
    print('all secrets exist');
  });

/** Returns the secret in a file. If there is none, draws one. */
function keepSecret(folder: string, name: string, mode: number): string {
  const path = join(folder, name);
  mkdirSync(folder, { recursive: true });
  if (!existsSync(path)) writeWhole(path, randomBytes(32).toString('base64url'), mode);
  chmodSync(path, mode);
  return readFileSync(path, 'utf8').trim();
}

/** Written atomically, so that an interruption leaves no partial file. */
function writeWhole(path: string, text: string, mode: number): void {
  writeFileSync(`${path}.new`, text, { mode });
  chmodSync(`${path}.new`, mode);
  renameSync(`${path}.new`, path);
}
