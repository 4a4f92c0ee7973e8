import { connect } from 'node:net';
import { readDatabaseAddress } from '@inventory/process/database-address';
import { parseRedisAddress, RedisAddressError, type RedisHost } from '@inventory/process/redis-address';
import { LocalStackError } from './local-stack-error.ts';

const WAIT_MS = 3000;

/**
 * Checks that something listens where the URL points. `name` is what it is ('Postgres'), `variable` where it
 * was given. Fails with LocalStackError, which names host and port and never the user or the password.
 */
async function checkGivenServer(
  name: string,
  variable: string,
  url: string,
  portByDefault: number,
  signal: AbortSignal,
): Promise<void> {
  if (!URL.canParse(url)) throw new LocalStackError(`${variable} is not a URL`);
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1') || '127.0.0.1';
  const address = { host, port: port === '' ? portByDefault : Number(port) };
  const failure = await tryConnection(address, signal);
  signal.throwIfAborted();
  if (failure !== null)
    throw new LocalStackError(
      `${name} cannot be reached at ${host}:${address.port} (${failure}); check ${variable} and that it runs`,
    );
}

/** The same for a DATABASE_URL: one of its servers is enough. */
export async function checkGivenDatabase(url: string, signal: AbortSignal): Promise<void> {
  const address = readDatabaseAddress(url);
  if (address === null) throw new LocalStackError('DATABASE_URL is not a URL');
  const check = (each: string) => checkGivenServer('Postgres', 'DATABASE_URL', each, 5432, signal);
  if (address.places.length === 1) return check(url);
  await Promise.any(address.places.map((place) => check(address.at(place)))).catch((error) => {
    signal.throwIfAborted();
    throw (error as AggregateError).errors[0];
  });
}

/** The same for the servers of REDIS_URL: one of several is enough. */
export async function checkGivenRedis(url: string, signal: AbortSignal): Promise<void> {
  const address = readRedisAddress(url);
  if (address.kind === 'single') return checkGivenServer('Redis', 'REDIS_URL', url, 6379, signal);
  const tried = await Promise.all(
    address.hosts.map(async (host) => ({ host, failure: await tryConnection(host, signal) })),
  );
  signal.throwIfAborted();
  if (tried.some(({ failure }) => failure === null)) return;
  const failures = tried.map(({ host, failure }) => `${placeOf(host)} (${failure})`).join(', ');
  throw new LocalStackError(`Redis cannot be reached at ${failures}; check REDIS_URL and that it runs`);
}

function readRedisAddress(url: string) {
  try {
    return parseRedisAddress(url);
  } catch (error) {
    if (error instanceof RedisAddressError) throw new LocalStackError(`REDIS_URL ${error.message}`);
    throw error;
  }
}

const placeOf = ({ host, port }: RedisHost) => `${host}:${port}`;

/** Null when it answers, else what went wrong. */
function tryConnection(address: { host: string; port: number }, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ ...address, signal });
    const end = (failure: string | null) => {
      socket.destroy();
      resolve(failure);
    };
    socket.setTimeout(WAIT_MS, () => end(`no answer in ${WAIT_MS / 1000} s`));
    socket.on('connect', () => end(null));
    socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}
