import { readClients } from '@inventory/db/access/clients';
import type { Sql } from '@inventory/postgres/pool';

/** What a client may do, as an api reads it; undefined: there is no such client. */
export async function rightsOf(sql: Sql, id: string) {
  const found = (await readClients(sql, [id])).get(id);
  if (found === undefined) return undefined;
  const { scopeNo: _, scopeAgeMs: __, ...rights } = found;
  return rights;
}
