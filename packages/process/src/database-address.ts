import { isPercentEncoded } from './percent-encoding.ts';
import { PlainError } from './plain-error.ts';

/** Where a server of Postgres listens. `host`: without the brackets of an IPv6 address. */
export type Place = { host: string; port: number };

/** A parsed DATABASE_URL. It may name several servers; one of them is the primary. */
export type DatabaseAddress = {
  /** At least one, in the order of the address. A single one that names no host has ''. */
  places: Place[];
  /** '' where the address has none; the same holds for `password` and `database`. */
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
 * Reads an address as libpq does: `postgres://user:password@h1:5432,h2:5433/database?…`. `URL` takes no
 * commas. Throws DatabaseAddressError, also for an unknown parameter: the driver would pass it to Postgres
 * as a setting, in place of ours.
 */
export function readDatabaseAddress(text: string): DatabaseAddress {
  const { scheme, login, hosts, rest } = partsOf(text);
  // An `@` or `#` in the rest is of a password with a `?` or a `#` in it, which the errors below would show.
  if (!/^postgres(ql)?:/.test(scheme) || /[@#]/.test(rest)) throw new DatabaseAddressError(form);
  const urls = hosts.map((host) => `${scheme}${login}${host}${rest}`);
  if (!isPercentEncoded(login + hosts.join()) || urls.some((each) => !URL.canParse(each)))
    throw new DatabaseAddressError(form);
  const url = new URL(urls[0]!);
  const places = urls.map((each) => placeOf(new URL(each)));
  // One without a host is where the driver looks by itself; among several it is a slip.
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
        ? `has a parameter that the service does not know (${name}); it knows ${Object.keys(parameters).join(', ')}`
        : `has a value of ${name} that the service does not know; it may be ${values?.join(', ')}${hintOn(name)}`,
    );
  }
  const mode = given.get('sslmode');
  const binds = given.get('channel_binding') === 'require';
  const tls = mode === null ? 'off' : tlsModes[mode]!;
  if (binds && mode === 'disable')
    throw new DatabaseAddressError('asks for channel_binding, which sslmode=disable rules out');
  return {
    wanted: given.get('target_session_attrs'),
    // The driver cannot bind channels. A checked certificate keeps out a man in the middle just as well.
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
  const { places } = readDatabaseAddress(databaseUrl);
  return places.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(', ');
}

/** How many servers an address names. */
export function hostCountOf(databaseUrl: string): number {
  return readDatabaseAddress(databaseUrl).places.length;
}

/** Puts another user and password into an address, of Postgres or of Redis. */
export function withLogin(url: string, login: { name: string; password: string }): string {
  const { scheme, hosts, rest } = partsOf(url);
  return `${scheme}${encodeURIComponent(login.name)}:${encodeURIComponent(login.password)}@${hosts.join(',')}${rest}`;
}

/**
 * Why an address cannot be that of the database everything is written to; null: it can. The driver itself
 * would take a standby for good when it is told so.
 */
export function whyNoPrimary(databaseUrl: string): string | null {
  const why = whyNoAddress(databaseUrl);
  if (why !== null) return why;
  const { wanted } = readDatabaseAddress(databaseUrl);
  return wanted === null || wanted === 'read-write' || wanted === 'primary'
    ? null
    : 'must lead to the primary: target_session_attrs is read-write or left out';
}

/** Why this is not an address of a database; null: it is one. */
export function whyNoAddress(databaseUrl: string): string | null {
  try {
    readDatabaseAddress(databaseUrl);
    return null;
  } catch (error) {
    if (error instanceof DatabaseAddressError) return error.message;
    throw error;
  }
}

/** `login`: with its `@`, which a password may hold, too, that nobody has encoded. */
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
