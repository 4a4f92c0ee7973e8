import { randomBytes } from 'node:crypto';
import { addressOf, ensureLogins, loginOf, type Part, parts } from '@inventory/db/access/logins';
import type { Sql } from '@inventory/postgres/pool';

/**
 * Creates a login for each part of the service on a migrated database, with a password for this run. Returns
 * their addresses.
 */
export async function makeLocalLogins(sql: Sql, databaseUrl: string): Promise<Record<Part, string>> {
  const logins = parts.map((part) => ({
    part,
    name: loginOf(part),
    password: randomBytes(24).toString('base64url'),
  }));
  await ensureLogins(sql, logins);
  return Object.fromEntries(logins.map((login) => [login.part, addressOf(databaseUrl, login)])) as Record<
    Part,
    string
  >;
}
