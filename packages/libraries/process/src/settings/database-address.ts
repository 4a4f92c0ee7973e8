import { PlainError } from '../plain-error.ts';
import { isPercentEncoded } from './percent-encoding.ts';

/** The address of a Postgres server. `host`: without the brackets of an IPv6 address. */
export type Place = { host: string; port: number };

/** A parsed DATABASE_URL. It may name several servers; one of them is the primary. */
export type DatabaseAddress = {
  /**
   * At least one, in the order of the address. If the address has no host, the only place has the host ''.
   */
  places: Place[];
  /** '' if the address has none; also for `password` and `database`. */
  user: string;
  password: string;
  database: string;
  /** The value of `target_session_attrs`; null: not given. */
  wanted: string | null;
  /** `verify-full`: the certificate must be valid and name the host. */
  tls: 'off' | 'prefer' | 'require' | 'verify-full';
};

/** An address cannot be read; the message continues a sentence that begins with the setting's name. */
class DatabaseAddressError extends PlainError {}

const portByDefault = 5432;
const form =
  'is not an address: postgres://user:password@host:port/database, several hosts separated by commas, ' +
  'an IPv6 address in [brackets]; a % in a password is written %25';

const tlsModes: Record<string, DatabaseAddress['tls']> = {
  disable: 'off',
  allow: 'prefer',
  prefer: 'prefer',
  require: 'require',
  // Node checks the host's name as well.
  'verify-ca': 'verify-full',
  'verify-full': 'verify-full',
};

/** The parameters of an address and their values; null: any value, which is ignored. */
const parameters: Record<string, readonly string[] | null> = {
  sslmode: Object.keys(tlsModes),
  sslrootcert: ['system'],
  channel_binding: ['disable', 'prefer', 'require'],
  target_session_attrs: ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'],
  gssencmode: ['disable', 'prefer'],
  application_name: null,
  fallback_application_name: null,
  connect_timeout: null,
  keepalives: null,
  keepalives_idle: null,
  keepalives_interval: null,
  keepalives_count: null,
  tcp_user_timeout: null,
};

/**
 * Parses an address like libpq: `postgres://user:password@h1:5432,h2:5433/database?…`. `URL` does not accept
 * the commas. Throws DatabaseAddressError, also for an unknown parameter, because the driver would pass it to
 * Postgres as a setting in place of ours.
 */
export function readDatabaseAddress(text: string): DatabaseAddress {
  const { scheme, login, hosts, rest } = partsOf(text);
  // An `@` or `#` in the rest belongs to a password that contains `?` or `#`. The errors below would show it.
  if (!/^postgres(ql)?:/.test(scheme) || /[@#]/.test(rest)) throw new DatabaseAddressError(form);
  const urls = hosts.map((host) => `${scheme}${login}${host}${rest}`);
  if (!isPercentEncoded(login + hosts.join()) || urls.some((each) => !URL.canParse(each)))
    throw new DatabaseAddressError(form);
  const url = new URL(urls[0]!);
  const places = urls.map((each) => placeOf(new URL(each)));
  // Without a host, the driver uses its default. Among several hosts, a missing one is a mistake.
  const isSlip = places.length > 1 && places.some(({ host }) => host === '' || host.startsWith('/'));
  if (isSlip || places.some(({ port }) => port === 0) || !isPercentEncoded(url.pathname))
    throw new DatabaseAddressError(form);
  return {
    places,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
    ...readParameters(url.searchParams),
  };
}

function readParameters(given: URLSearchParams): Pick<DatabaseAddress, 'wanted' | 'tls'> {
  for (const [name, value] of given) {
    const values = Object.hasOwn(parameters, name) ? parameters[name] : [];
    if (given.getAll(name).length > 1) throw new DatabaseAddressError(`has ${name} twice`);
    if (values === null || values?.includes(value)) continue;
    throw new DatabaseAddressError(
      values?.length === 0
        ? `has a parameter that the service does not know (${name}); known ones are ${Object.keys(parameters).join(', ')}`
        : `has a value of ${name} that the service does not know; it may be ${values?.join(', ')}${hintOn(name)}`,
    );
  }
  const mode = given.get('sslmode');
  const binds = given.get('channel_binding') === 'require';
  const tls = mode === null ? 'off' : tlsModes[mode]!;
  if (binds && mode === 'disable')
    throw new DatabaseAddressError('requires channel_binding, which is impossible with sslmode=disable');
  return {
    wanted: given.get('target_session_attrs'),
    // The driver does not support channel binding. A verified certificate prevents a man in the middle as
    // well.
    tls: binds || given.has('sslrootcert') ? 'verify-full' : tls,
  };
}

function hintOn(name: string): string {
  return name === 'sslrootcert'
    ? '; NODE_EXTRA_CA_CERTS names the file of a certificate authority of your own'
    : '';
}

/** The places for people: `h1:5432, h2:5433`; no user and no password. */
export function describePlaces(databaseUrl: string): string {
  return readDatabaseAddress(databaseUrl).places.map(describePlace).join(', ');
}

export function describePlace({ host, port }: Place): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The number of servers in an address. */
export function hostCountOf(databaseUrl: string): number {
  return readDatabaseAddress(databaseUrl).places.length;
}

/** Replaces the user and password of a Postgres or Redis address. */
export function withLogin(url: string, login: { name: string; password: string }): string {
  const { scheme, hosts, rest } = partsOf(url);
  return `${scheme}${encodeURIComponent(login.name)}:${encodeURIComponent(login.password)}@${hosts.join(',')}${rest}`;
}

/** The address with the user and password of another one where it has none of its own. */
export function withLoginOf(url: string, other: string): string {
  const own = readDatabaseAddress(url);
  const { user, password } = readDatabaseAddress(other);
  const isSame = own.user === '' || own.user === user;
  return isSame && own.password === '' && user !== '' ? withLogin(url, { name: user, password }) : url;
}

/**
 * Why an address cannot lead to the primary; null: it can. If told to, the driver would connect to a standby
 * and stay there.
 */
export function whyNoPrimary(databaseUrl: string): string | null {
  const why = whyNoAddress(databaseUrl);
  if (why !== null) return why;
  const { wanted } = readDatabaseAddress(databaseUrl);
  return wanted === null || wanted === 'read-write' || wanted === 'primary'
    ? null
    : 'must lead to the primary: target_session_attrs is read-write or left out';
}

/** Why this is not the address of a database; null: it is. */
export function whyNoAddress(databaseUrl: string): string | null {
  try {
    readDatabaseAddress(databaseUrl);
    return null;
  } catch (error) {
    if (error instanceof DatabaseAddressError) return error.message;
    throw error;
  }
}

/** `login`: including its `@`. An unencoded password may contain one, too. */
function partsOf(url: string): { scheme: string; login: string; hosts: string[]; rest: string } {
  const [, scheme, authority, rest] = /^([a-z]+:\/\/)([^/?#]*)(.*)$/s.exec(url) ?? [];
  if (scheme === undefined) throw new DatabaseAddressError(form);
  const end = authority!.lastIndexOf('@') + 1;
  return {
    scheme,
    login: authority!.slice(0, end),
    hosts: authority!.slice(end).split(','),
    rest: rest!,
  };
}

function placeOf(url: URL): Place {
  const host = decodeURIComponent(url.hostname.replace(/^\[(.*)\]$/, '$1'));
  return { host, port: url.port === '' ? portByDefault : Number(url.port) };
}
