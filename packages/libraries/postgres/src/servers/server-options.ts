import type { DatabaseAddress, Place } from '@inventory/process/settings/database-address';
import type postgres from 'postgres';

/**
 * The driver's options for one server of an address. Not the address itself: the driver would parse it
 * differently from libpq and would try the servers on its own.
 */
export function serverOptions(address: DatabaseAddress, { host, port }: Place) {
  // A list, because the driver splits a text at colons. But it accepts the folder of a socket only as text.
  const server = host.startsWith('/') ? { host, port } : { host: [host], port: [port] };
  // Empty counts as unset, as for every setting.
  const password = process.env.DATABASE_PASSWORD || address.password;
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
