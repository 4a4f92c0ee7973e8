import { PlainError } from '../plain-error.ts';

/** Host names or IP addresses without brackets. */
export type RedisHost = { host: string; port: number };

/** The kind of Redis and its addresses, from REDIS_URL. */
export type RedisAddress =
  | { kind: 'single'; url: string }
  | (Several & { kind: 'cluster' })
  | (Several & {
      kind: 'sentinel';
      /** The name of the master, as the Sentinels know it. */
      master: string;
      database: number;
      /** For the Sentinels. The other settings are for the servers. */
      sentinelUsername: string | undefined;
      sentinelPassword: string | undefined;
      sentinelTls: boolean;
    });

type Several = {
  /** Some of the Sentinels or cluster nodes. */
  hosts: RedisHost[];
  tls: boolean;
  username: string | undefined;
  password: string | undefined;
};

/** REDIS_URL cannot be parsed. Of its content, the message contains only host names. */
export class RedisAddressError extends PlainError {}

const sentinelPort = 26379;
const clusterPort = 6379;
const wanted =
  'must be redis://host:port, redis+sentinel://host:port,host:port/master or redis+cluster://host:port,host:port ' +
  '(rediss… with TLS)';

/**
 * Parses REDIS_URL:
 *
 *     redis://user:password@host:port/database                        one server
 *     redis+sentinel://user:password@host:port,host:port/master/0     servers that Sentinels watch
 *       ?sentinelUsername=…&sentinelPassword=…&sentinelTls=on
 *     redis+cluster://user:password@host:port,host:port               a Redis Cluster
 *
 * With `rediss` instead of `redis`, the connection uses TLS. Names and passwords are percent-encoded. Fails
 * with RedisAddressError.
 */
export function parseRedisAddress(url: string): RedisAddress {
  const scheme = /^(redis|rediss)(?:\+(sentinel|cluster))?:\/\//.exec(url);
  if (scheme === null) throw new RedisAddressError(wanted);
  const [start, protocol] = scheme;
  const kind = scheme[2] as 'sentinel' | 'cluster' | undefined;
  const { login, hosts: hostsText, path, query } = split(url.slice(start.length));
  const [username, password] = login === null ? [] : readLogin(login);
  if (kind === undefined) {
    if (hostsText.includes(',')) {
      throw new RedisAddressError(
        'names several hosts: redis+sentinel:// is for Sentinels, redis+cluster:// for the nodes of a Redis Cluster',
      );
    }
    return { kind: 'single', url };
  }
  const several: Several = {
    hosts: readHosts(hostsText, kind === 'sentinel' ? sentinelPort : clusterPort),
    tls: protocol === 'rediss',
    username,
    password,
  };
  const parameters = new URLSearchParams(query);
  if (kind === 'cluster') {
    if (path !== '' && path !== '/' && path !== '/0')
      throw new RedisAddressError(
        'has a path, but a Redis Cluster has only one database and no named master',
      );
    refuseParameters(parameters, []);
    return { kind, ...several };
  }
  refuseParameters(parameters, ['sentinelUsername', 'sentinelPassword', 'sentinelTls']);
  const [, master = '', database = '0', ...more] = path.split('/');
  if (master === '') {
    throw new RedisAddressError(
      'must end with the name by which the Sentinels know the master, such as redis+sentinel://host:26379/mymaster',
    );
  }
  if (!/^\d{1,5}$/.test(database) || more.length > 0)
    throw new RedisAddressError('must have /master or /master/number after the hosts');
  const tls = parameters.get('sentinelTls') ?? (several.tls ? 'on' : 'off');
  if (tls !== 'on' && tls !== 'off') throw new RedisAddressError('must have sentinelTls=on or off');
  return {
    kind,
    ...several,
    master: decode(master),
    database: Number(database),
    sentinelUsername: parameters.get('sentinelUsername') ?? undefined,
    sentinelPassword: parameters.get('sentinelPassword') ?? undefined,
    sentinelTls: tls === 'on',
  };
}

/** Returns the address with these passwords instead of its own; undefined keeps a password. */
export function withRedisPasswords(
  url: string,
  passwords: { server?: string | undefined; sentinel?: string | undefined },
): string {
  const parsed = parseRedisAddress(url);
  const { login, hosts, path, query } = split(url.slice(url.indexOf('//') + 2));
  let result = url;
  if (passwords.server !== undefined) {
    const [username] = login?.split(':') ?? [];
    const scheme = url.slice(0, url.indexOf('//') + 2);
    const rest = `${path}${query === '' ? '' : `?${query}`}`;
    result = `${scheme}${username ?? ''}:${encodeURIComponent(passwords.server)}@${hosts}${rest}`;
  }
  if (passwords.sentinel === undefined) return result;
  if (parsed.kind !== 'sentinel')
    throw new RedisAddressError('does not name Sentinels, so REDIS_SENTINEL_PASSWORD must not be set');
  const parameters = new URLSearchParams(query);
  parameters.set('sentinelPassword', passwords.sentinel);
  return `${result.split('?')[0]}?${parameters}`;
}

/** Describes the hosts and the kind of Redis for people, without a password. */
export function describeRedis(url: string): string {
  const address = parseRedisAddress(url);
  if (address.kind === 'single') {
    if (!URL.canParse(address.url)) return 'the address in REDIS_URL';
    const { hostname, port } = new URL(address.url);
    return `${hostname}:${port || '6379'}`;
  }
  const hosts = address.hosts.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`);
  const listed = hosts.join(',');
  return address.kind === 'cluster'
    ? `${listed} (a Redis Cluster)`
    : `${listed} (Sentinels of ${address.master})`;
}

/** Splits the text after `//`. */
function split(text: string): { login: string | null; hosts: string; path: string; query: string } {
  const [beforeQuery = '', ...queries] = text.split('?');
  // An @ in a password is percent-encoded. If not, the last @ counts.
  const at = beforeQuery.lastIndexOf('@');
  const place = beforeQuery.slice(at + 1);
  const slash = place.indexOf('/');
  return {
    login: at < 0 ? null : beforeQuery.slice(0, at),
    hosts: slash < 0 ? place : place.slice(0, slash),
    path: slash < 0 ? '' : place.slice(slash),
    query: queries.join('?'),
  };
}

function readLogin(login: string): [string | undefined, string | undefined] {
  const colon = login.indexOf(':');
  const [username, password] = colon < 0 ? [login, ''] : [login.slice(0, colon), login.slice(colon + 1)];
  const orNothing = (text: string) => (text === '' ? undefined : decode(text));
  return [orNothing(username), orNothing(password)];
}

function readHosts(text: string, portByDefault: number): RedisHost[] {
  if (text === '') throw new RedisAddressError(`names no host: it ${wanted}`);
  return text.split(',').map((each) => {
    const [, six, name, port] = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(each) ?? [];
    const host = six ?? name;
    const number = port === undefined ? portByDefault : Number(port);
    if (host === undefined || number < 1 || number > 65_535)
      throw new RedisAddressError('must have host:port,host:port … after the name and password');
    return { host, port: number };
  });
}

function refuseParameters(parameters: URLSearchParams, known: readonly string[]) {
  if ([...parameters.keys()].some((name) => !known.includes(name))) {
    throw new RedisAddressError(
      known.length === 0
        ? 'has parameters after a ?, but a Redis Cluster takes none'
        : `has unknown parameters: the known ones are ${known.join(', ')}`,
    );
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RedisAddressError('has a % that does not begin a percent-encoding; write a % as %25');
  }
}
