import type { DatabaseAddress, Place } from '@inventory/process/database-address';
import type postgres from 'postgres';

/**
 * What the driver is told of one server of an address. Not the address itself: the driver would read it
 * otherwise than libpq does, and try the servers by itself.
 */
export function serverOptions(address: DatabaseAddress, { host, port }: Place) {
  // A list: a text it would take apart at each colon. But it takes no folder of a socket in a list.
  const server = host.startsWith('/') ? { host, port } : { host: [host], port: [port] };
  const password = process.env.DATABASE_PASSWORD ?? address.password;
  const { wanted } = address;
  return {
    ...(host === '' ? {} : server),
    ...(address.user === '' ? {} : { user: address.user }),
    ...(password === '' ? {} : { password }),
    ...(address.database === '' ? {} : { database: address.database }),
    ...(wanted === null || wanted === 'any' ? {} : { target_session_attrs: wanted }),
    ssl: address.tls === 'off' ? false : address.tls,
    connect_timeout: 3,
    onnotice: () => {},
  } as postgres.Options<Record<string, never>>;
}
