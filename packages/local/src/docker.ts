import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { LocalRedis, LocalServer, ServerSettings } from './local-server.ts';
import { postgresArguments, postgresSettings } from './postgres/postgres-settings.ts';
import { createRedisUsers } from './redis-users.ts';

/** The images of docker-compose.yml, so that tests run the same versions. */
export const images = { postgres: 'postgres:18.6', redis: 'redis:7.4.11' } as const;

/**
 * Whether a Docker engine answers. The library takes a second to load, so it is loaded only if there is a
 * sign of an engine.
 */
export async function isDockerThere(): Promise<boolean> {
  const sockets = [
    '/var/run/docker.sock',
    join(homedir(), '.docker/run/docker.sock'),
    join(process.env.XDG_RUNTIME_DIR ?? '/run', 'docker.sock'),
  ];
  if (process.env.DOCKER_HOST === undefined && !sockets.some((path) => existsSync(path))) return false;
  try {
    const { getContainerRuntimeClient } = await import('testcontainers');
    await getContainerRuntimeClient();
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts Postgres in a container. The container and its data are removed when it is stopped or this process
 * ends.
 */
export async function startPostgresInDocker({ signal }: ServerSettings): Promise<LocalServer> {
  const { GenericContainer, Wait } = await import('testcontainers');
  signal.throwIfAborted();
  const container = await new GenericContainer(images.postgres)
    .withEnvironment({ POSTGRES_USER: 'inventory', POSTGRES_PASSWORD: 'inventory', POSTGRES_DB: 'inventory' })
    .withCommand(['postgres', ...postgresArguments(postgresSettings)])
    .withExposedPorts(5432)
    // The image starts its server twice; the first start creates the database.
    .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
    .start();
  const mapped = container.getMappedPort(5432);
  return {
    url: `postgres://inventory:inventory@${container.getHost()}:${mapped}/inventory`,
    port: mapped,
    version: '18',
    stop: async () => void (await container.stop()),
  };
}

/** Starts Redis in a container, which is removed when it is stopped or this process ends. */
export async function startRedisInDocker(settings: ServerSettings): Promise<LocalRedis> {
  const { signal, queuePrefix, throwAway } = settings;
  const { GenericContainer, Wait } = await import('testcontainers');
  signal.throwIfAborted();
  const users = createRedisUsers(queuePrefix, throwAway);
  const aclFile = '/users.acl';
  const container = await new GenericContainer(images.redis)
    .withCopyContentToContainer([{ content: users.aclFile, target: aclFile, mode: 0o644 }])
    .withCommand([
      ...['redis-server', '--aclfile', aclFile],
      ...['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction'],
    ])
    .withExposedPorts(6379)
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
    .start();
  const mapped = container.getMappedPort(6379);
  return {
    url: users.widestUrlOn(container.getHost(), mapped),
    urls: users.urlsOn(container.getHost(), mapped),
    port: mapped,
    version: '7',
    stop: async () => void (await container.stop()),
  };
}
