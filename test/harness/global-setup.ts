import { join } from 'node:path';
import { migrate } from '@inventory/db/migrate/migrate';
import { startStack } from '@inventory/local/stack';
import { connect } from '@inventory/postgres/pool';
import { Redis } from 'ioredis';
import type { TestProject } from 'vitest/node';
import { compileCheckout } from './compiled.ts';
import { addLogins, addRedisLogins, createLogins, findRefused } from './servers/logins.ts';

/** The database that every test file gets a copy of. */
export const templateName = 'inventory_test_template';

declare module 'vitest' {
  export interface ProvidedContext {
    databaseUrl: string;
    redisUrl: string;
  }
}

/** Starts Postgres and Redis for the whole run: given servers, or else Docker, or else local binaries. */
export default async function setUp(project: TestProject) {
  // Two simultaneous runs need a folder each.
  const name = process.env.TEST_STACK === undefined ? 'test' : `test-${process.env.TEST_STACK}`;
  // Read by the processes that run the tests.
  const compiled = join(import.meta.dirname, '../../.local', name, 'compiled');
  process.env.COMPILED_CHECKOUT = compiled;
  compileCheckout(compiled);
  project.onTestsRerun(async () => compileCheckout(compiled));
  const stack = await startStack({
    folder: join(import.meta.dirname, '../../.local', name),
    databaseUrl: process.env.DATABASE_URL,
    redisUrl: process.env.REDIS_URL,
    docker: true,
    throwAway: true,
    report: (line) => process.stdout.write(`${line}\n`),
  });
  const server = connect(stack.databaseUrl, { name: 'tests', connectionsMax: 1 });
  const redis = new Redis(stack.redisUrl);
  const logins = createLogins();
  try {
    await createTemplate(stack.databaseUrl);
    const removeLogins = await addLogins(server, logins);
    await addRedisLogins(redis, logins);
    project.provide('databaseUrl', stack.databaseUrl);
    project.provide('redisUrl', stack.redisUrl);
    project.provide('logins', logins);
    return async () => {
      const refused = await findRefused(redis, logins);
      await redis.call('ACL', 'DELUSER', ...logins.map(({ name }) => name));
      await removeLogins();
      await end();
      if (refused.length > 0) throw new Error(`Redis refused what the service needs: ${refused.join('; ')}`);
    };
  } catch (error) {
    await end();
    throw error;
  }

  async function end() {
    redis.disconnect();
    await server.end({ timeout: 5 });
    await stack.stop();
  }
}

async function createTemplate(databaseUrl: string) {
  const server = connect(databaseUrl, { name: 'tests', connectionsMax: 1 });
  await server.unsafe(`drop database if exists ${templateName} with (force)`);
  await server.unsafe(`create database ${templateName}`);
  await server.end();
  const template = connect(databaseOf(databaseUrl, templateName), { name: 'tests', connectionsMax: 2 });
  await migrate(template);
  await template.end();
}

/** The address of another database on the same server. */
export function databaseOf(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  return url.href;
}
