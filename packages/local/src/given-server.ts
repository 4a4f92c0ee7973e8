import { connect } from 'node:net';
import { readDatabaseAddress, whyNoAddress } from '@inventory/process/settings/database-address';
import {
  parseRedisAddress,
  RedisAddressError,
  type RedisHost,
} from '@inventory/process/settings/redis-address';
import { LocalStackError } from './local-stack-error.ts';

const WAIT_MS = 3000;

/**
 * Checks that at least one server of a DATABASE_URL listens. Fails with LocalStackError, which names host and
 * port but never the user or password.
 */
export async function checkGivenDatabase(url: string, signal: AbortSignal): Promise<void> {
  const why = whyNoAddress(url);
  if (why !== null) throw new LocalStackError(`DATABASE_URL ${why}`);
  await checkGivenServers('Postgres', 'DATABASE_URL', readDatabaseAddress(url).places, signal);
}

/** The same for the servers of REDIS_URL. */
export async function checkGivenRedis(url: string, signal: AbortSignal): Promise<void> {
  await checkGivenServers('Redis', 'REDIS_URL', redisHostsOf(url), signal);
}

async function checkGivenServers(
  name: string,
  variable: string,
  hosts: readonly RedisHost[],
  signal: AbortSignal,
): Promise<void> {
  const tried = await Promise.all(
    hosts.map(async (each) => {
      const host = each.host === '' ? { ...each, host: '127.0.0.1' } : each;
      return { host, failure: await tryConnection(host, signal) };
    }),
  );
  signal.throwIfAborted();
  if (tried.some(({ failure }) => failure === null)) return;
  const failures = tried.map(({ host, failure }) => `${placeOf(host)} (${failure})`).join(', ');
  throw new LocalStackError(`${name} cannot be reached at ${failures}; check ${variable} and that it runs`);
}

function redisHostsOf(url: string): readonly RedisHost[] {
  try {
    const address = parseRedisAddress(url);
    if (address.kind !== 'single') return address.hosts;
  } catch (error) {
    if (error instanceof RedisAddressError) throw new LocalStackError(`REDIS_URL ${error.message}`);
    throw error;
  }
  if (!URL.canParse(url)) throw new LocalStackError('REDIS_URL is not a URL');
  const { hostname, port } = new URL(url);
  return [{ host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? 6379 : Number(port) }];
}

const placeOf = ({ host, port }: RedisHost) => `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Null if it answers, otherwise the reason. A host that is a folder contains Postgres' socket. */
function tryConnection({ host, port }: RedisHost, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    const place = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
    const socket = connect({ ...place, signal });
    const end = (failure: string | null) => {
      socket.destroy();
      resolve(failure);
    };
    socket.setTimeout(WAIT_MS, () => end(`no answer in ${WAIT_MS / 1000} s`));
    socket.on('connect', () => end(null));
    socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}
