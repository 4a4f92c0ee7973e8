import { addressOf, type Login, type Part } from '@inventory/db/access/logins';
import { inject } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    logins: Login[];
  }
}

type Addresses = { DATABASE_URL?: string; DATABASE_READ_URL?: string; REDIS_URL?: string };

/**
 * The environment of a process, with addresses for the login of its own part, so that the tests meet any
 * missing right.
 */
export function asPart<Env extends Addresses>(part: Part, env: Env): Env {
  const login = inject('logins').find((each) => each.part === part)!;
  const changed = { ...env };
  for (const name of ['DATABASE_URL', 'DATABASE_READ_URL', 'REDIS_URL'] as const) {
    const url = env[name];
    if (url !== undefined)
      changed[name] = name === 'REDIS_URL' ? redisAddressOf(url, login) : addressOf(url, login);
  }
  return changed;
}

/** With several hosts Node does not accept it as a URL. */
function redisAddressOf(url: string, { name, password }: Login): string {
  return url.replace(/\/\/([^@]*@)?/, `//${name}:${password}@`);
}

/** An address for the login of a part. */
export function addressFor(part: Part, url: string): string {
  const login = inject('logins').find((each) => each.part === part)!;
  return /^rediss?[+:]/.test(url) ? redisAddressOf(url, login) : addressOf(url, login);
}
