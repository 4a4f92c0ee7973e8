import { isPercentEncoded } from './percent-encoding.ts';

/** Where a server of Postgres listens. `host`: without the brackets of an IPv6 address. */
export type Place = { host: string; port: number };

/** What a DATABASE_URL says, which may name several servers, of which one is the primary. */
export type DatabaseAddress = {
  /** In the order of the address; at least one. */
  places: Place[];
  /** The address of one of its servers alone, which `URL` can read; it does not say what that must be. */
  at(place: Place): string;
  /** What `target_session_attrs` says, null: nothing. */
  wanted: string | null;
};

const portByDefault = 5432;

/**
 * Reads an address as libpq does: `postgres://user:password@h1:5432,h2:5433/database?…`. `URL` takes no
 * commas. Null: it is none.
 */
export function readDatabaseAddress(text: string): DatabaseAddress | null {
  const [, scheme, authority, rest] = /^(postgres(?:ql)?:\/\/)([^/?#]*)(.*)$/s.exec(text) ?? [];
  if (scheme === undefined) return null;
  // A password may hold an `@` that nobody has encoded.
  const end = authority!.lastIndexOf('@') + 1;
  const login = authority!.slice(0, end);
  if (!isPercentEncoded(login)) return null;
  const hosts = authority!.slice(end).split(',');
  const urls = hosts.map((host) => `${scheme}${login}${host}${rest}`);
  if (urls.some((url) => !URL.canParse(url))) return null;
  const places = urls.map((url) => placeOf(new URL(url)));
  // One without a host is where the driver looks by itself; among several it is a slip.
  if (places.length > 1 && hosts.some((host) => host === '' || host.startsWith(':'))) return null;
  if (places.some(({ port }) => port === 0)) return null;
  const plain = rest!.replace(/(?<=[?&])target_session_attrs=[^&#]*&?/g, '').replace(/[?&](?=$|#)/, '');
  return {
    places,
    wanted: new URL(urls[0]!).searchParams.get('target_session_attrs'),
    at: ({ host, port }) => `${scheme}${login}${bracketed(host)}:${port}${plain}`,
  };
}

/** The places for people: `h1:5432, h2:5433`; no user and no password. */
export function describePlaces(databaseUrl: string): string {
  const places = readDatabaseAddress(databaseUrl)?.places ?? [];
  return places.map(({ host, port }) => `${bracketed(host)}:${port}`).join(', ');
}

/** How many servers an address names; 0: it is none. */
export function hostCountOf(databaseUrl: string): number {
  return readDatabaseAddress(databaseUrl)?.places.length ?? 0;
}

/** Puts another user and password into an address. */
export function withLogin(databaseUrl: string, login: { name: string; password: string }): string {
  const [, scheme, authority, rest] = /^([a-z]+:\/\/)([^/?#]*)(.*)$/s.exec(databaseUrl) ?? [];
  const hosts = authority!.slice(authority!.lastIndexOf('@') + 1);
  return `${scheme}${encodeURIComponent(login.name)}:${encodeURIComponent(login.password)}@${hosts}${rest}`;
}

/**
 * Why an address cannot be that of the database everything is written to; null: it can. The driver itself
 * would take a standby for good when it is told so.
 */
export function whyNoPrimary(databaseUrl: string): string | null {
  const address = readDatabaseAddress(databaseUrl);
  if (address === null) {
    return 'is no address: postgres://user:password@host:port/database, several hosts with commas between them; a % of a password is %25';
  }
  const { wanted } = address;
  return wanted === null || wanted === 'read-write' || wanted === 'primary'
    ? null
    : 'must lead to the primary: target_session_attrs is read-write or left out';
}

function placeOf(url: URL): Place {
  const host = decodeURIComponent(url.hostname.replace(/^\[(.*)\]$/, '$1'));
  return { host, port: url.port === '' ? portByDefault : Number(url.port) };
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : encodeURIComponent(host);
}
