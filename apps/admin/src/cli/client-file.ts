import { createSecret, digestSecret } from '@inventory/auth/secret';
import { addClients, type NewClient } from '@inventory/db/access/clients';
import { findUnknownWarehouses } from '@inventory/db/catalog/warehouses';
import { findTakenIds } from '@inventory/db/operator/client-accounts';
import type { Sql } from '@inventory/postgres/pool';
import { parseId, parseIds, parseNewClientId, parsePermissions } from './arguments.ts';
import { type BadRow, type Columns, type CsvRow, readCsv, readFlag } from './csv.ts';
import { withDatabase } from './database.ts';
import { findRepeats, tellImport } from './import.ts';
import { print, printJson } from './print.ts';

const columns: Columns = {
  id: 'required',
  permissions: 'required',
  warehouses: 'required',
  readOnly: 'optional',
  rateLimit: 'optional',
  operationLimit: 'optional',
};

type GivenClient = Omit<NewClient, 'secretDigest'> & { line: number };

/**
 * Adds the clients of a file, all or none unless bad rows are skipped, and prints the id and secret of each.
 */
export async function addFleet(
  from: string,
  { skipBad, json }: { skipBad: boolean; json: boolean },
): Promise<void> {
  const { rows, bad } = await readCsv(from, columns);
  const of = rows.length + bad.length;
  const given: GivenClient[] = [];
  for (const row of rows) {
    const client = readClient(row);
    if (Array.isArray(client)) bad.push(...client);
    else given.push(client);
  }
  await withDatabase(async (sql) => {
    bad.push(...findRepeats(given, 'id', ({ clientId }) => clientId), ...(await findRefused(sql, given)));
    const isBad = new Set(bad.map(({ line }) => line));
    const good = bad.length > 0 && !skipBad ? [] : given.filter(({ line }) => !isBad.has(line));
    const added = good.map(({ line: _, ...client }) => ({ client, clientSecret: createSecret() }));
    await addClients(
      sql,
      added.map(({ client, clientSecret }) => ({ ...client, secretDigest: digestSecret(clientSecret) })),
    );
    const secrets = added.map(({ client: { clientId }, clientSecret }) => ({ clientId, clientSecret }));
    if (json) printJson(secrets);
    else if (secrets.length > 0) {
      // Ids and secrets contain no characters that CSV would have to quote.
      for (const row of [{ clientId: 'clientId', clientSecret: 'clientSecret' }, ...secrets]) {
        print(`${row.clientId},${row.clientSecret}`);
      }
    }
    if (bad.length > 0) tellImport({ counts: null, bad }, { json: false, skipBad, of });
  });
}

async function findRefused(sql: Sql, given: readonly GivenClient[]): Promise<BadRow[]> {
  const taken = await findTakenIds(
    sql,
    given.map(({ clientId }) => clientId),
  );
  const unknown = new Set(await findUnknownWarehouses(sql, [...new Set(given.flatMap(({ wids }) => wids))]));
  return given.flatMap(({ line, clientId, wids }) => {
    const how = taken.get(clientId);
    const missing = wids.filter((wid) => unknown.has(wid));
    return [
      ...(how === 'taken' ? [{ line, field: 'id', message: 'a client with this id already exists.' }] : []),
      ...(how === 'removed' ? [{ line, field: 'id', message: 'a client with this id was removed.' }] : []),
      ...(missing.length > 0
        ? [{ line, field: 'warehouses', message: `there is no warehouse ${missing.join(', ')}.` }]
        : []),
    ];
  });
}

/** Returns a client, or the faults of the row. */
function readClient({ line, cells }: CsvRow): GivenClient | BadRow[] {
  const bad: BadRow[] = [];
  const read = <Value>(field: string, parse: (text: string) => Value, byDefault: Value): Value => {
    try {
      const text = cells.get(field);
      return text === undefined ? byDefault : parse(text.trim());
    } catch (error) {
      bad.push({ line, field, message: (error as Error).message });
      return byDefault;
    }
  };
  const listed = (text: string) => text.split(/[\s,;]+/).join(',');
  const client: GivenClient = {
    line,
    clientId: read('id', parseNewClientId, ''),
    permissions: read('permissions', (text) => parsePermissions(listed(text)), []),
    wids: read('warehouses', (text) => parseIds(listed(text)), []),
    readOnly: read('readOnly', parseFlag, false),
    rateLimit: read('rateLimit', (text) => (text === '' ? null : parseId(text)), null),
    operationsPerMinute: read('operationLimit', (text) => (text === '' ? null : parseId(text)), null),
  };
  return bad.length > 0 ? bad : client;
}

function parseFlag(text: string): boolean {
  const flag = text === '' ? false : readFlag(text);
  if (flag === undefined) throw new Error('It must be true or false.');
  return flag;
}
