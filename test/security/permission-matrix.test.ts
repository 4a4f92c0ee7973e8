import { beforeAll, expect, test } from 'vitest';
import { errorObject, forbidden } from '../harness/contract/answers.ts';
import { nameOf, routes } from '../harness/contract/routes.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { allPermissions, uniqueName, useService } from '../harness/service/service.ts';

const service = useService();

/**
 * The rights by the contract, written by hand. `permission`: the one needed, or all of several; no other is
 * enough. `read-only`: the answer to a read-only client. Then the answers to a client with the permission, by
 * the warehouse it names: one in its scope, one outside, none at all, one that does not exist. `-`: the route
 * takes no warehouse.
 */
const expected = `
  route                          permission  read-only  in scope  outside  none  no such
  GET /Me                        none        200        200       -        -     -
  GET /Inventory/Activity        11          200        200       -        -     -
  GET /Inventory/Transactions    11          200        200       scope    200   scope
  GET /Inventory/Lots/:recNo     11          200        200       -        -     -
  GET /Inventory/Transactions/:transactionNo  11  200       200       -        -     -
  GET /Changes                   11          200        200       -        -     -
  GET /Inventory/StockAt         11          200        200       scope    200   scope
  GET /Inventory/StockDays       11          200        200       scope    200   scope
  GET /Inventory                 11          200        200       -        -     -
  GET /Inventory/StockLevels     11          200        200       -        -     -
  GET /Inventory/:wid            11          200        200       scope    404   scope
  GET /Inventory/StockLevels/:wid 11         200        200       scope    404   scope
  PUT /Inventory/StockLevels/:wid/:partNo  116  readOnly  200      scope    404   scope
  POST /Inventory/Receive        95          readOnly   201       scope    wid   scope
  POST /Inventory/Move           15          readOnly   200       scope    wid   scope
  POST /Inventory/Issue          88          readOnly   200       scope    wid   scope
  POST /Inventory/Count          88,95       readOnly   200       scope    wid   scope
  POST /Inventory/Reverse        88          readOnly   200       -        -     -
  POST /Inventory/Hold           88,95       readOnly   200       -        -     -
  POST /Inventory/Batch          none        readOnly   200       -        -     -
  GET /Item                      11          200        200       -        -     -
  GET /Item/All                  11          200        200       -        -     -
  GET /Item/:partNo              11          200        200       -        -     -
  POST /Item                     116         readOnly   201       -        -     -
  PUT /Item                      116         readOnly   200       -        -     -
  DELETE /Item/:shortID          116         readOnly   200       -        -     -
  GET /Item/:partNo/Aliases      11          200        200       -        -     -
  PUT /Item/:partNo/Aliases/:alias  116      readOnly   200       -        -     -
  DELETE /Item/:partNo/Aliases/:alias  116   readOnly   200       -        -     -
  POST /Scan                     11          200        200       scope    200   scope
  GET /Webhooks                  11          200        200       -        -     -
  GET /Reasons                   none        200        200       -        -     -
`;

/** The warehouse that a transfer goes to, beside the one it comes from. */
const expectedOfMoves = `
  from      to        answer
  in scope  in scope  200
  in scope  outside   scope
  in scope  no such   scope
  outside   in scope  scope
  outside   outside   scope
  no such   in scope  scope
  no such   no such   scope
  none      in scope  wid
  none      outside   wid
`;

const cells = (line: string) => line.trim().split(/ {2,}|(?<=:wid) /);
const rowsOf = (table: string) => table.trim().split('\n').slice(1).map(cells);

type Place = 'in scope' | 'outside' | 'none' | 'no such';
const wids = { 'in scope': 1, outside: 3, none: undefined, 'no such': 4_000 };
// More of the same kind: a move needs two.
const toWids = { 'in scope': 2, outside: 5, none: undefined, 'no such': 4_001 };
const places = Object.keys(wids) as Place[];

const matrix = rowsOf(expected).map(([name = '', permission = '', readOnly = '', ...answers]) => ({
  name,
  needed: permission === 'none' ? [] : permission.split(',').map(Number),
  readOnly,
  answers: Object.fromEntries(places.map((place, index) => [place, answers[index]!])),
}));

const answerOf = (name: string) => {
  if (name === 'wid') return { status: 400, field: 'wid' };
  if (name in forbidden) return { status: 403, body: forbidden[name as keyof typeof forbidden] };
  return { status: Number(name) };
};

let stocked: string;
let partNo: number;
let recNo: number;
// To be reversed, which needs the permission to issue.
const receipts: number[] = [];
beforeAll(async () => {
  await service.sql`insert into warehouse (wid, name) values (5, 'Far away')`;
  stocked = await service.item();
  const keeper = await service.client({ warehouses: [1, 2, 3] });
  for (const wid of [1, 2, 3]) {
    await keeper.post('/Inventory/Receive', { itemID: stocked, units: 1_000_000, wid, reasonCode: 0 });
  }
  for (let count = 0; count < 20; count++) {
    const receipt = { itemID: stocked, units: 1, wid: 1, reasonCode: 0, spot: 'RECEIPT' };
    const { body } = await keeper.post('/Inventory/Receive', receipt);
    receipts.push(body.transactionNo);
    recNo = body.recNo;
  }
  partNo = (await keeper.get(`/Item?key=${stocked}&type=id`)).body.partNo;
});

/** Sends a request that only rights can refuse. */
async function ask(client: ApiClient, name: string, place: Place, toPlace?: Place) {
  const [method, path] = name.split(' ') as [string, string];
  const wid = wids[place];
  const to = toPlace === undefined ? { toSpot: uniqueName('S') } : { shipToWid: toWids[toPlace] };
  const counted = { counted: 1_000_000, everywhere: true };
  const transaction = { itemID: stocked, units: 1, wid, reasonCode: 0, ...counted, ...to };
  const receipt = receipts.shift();
  if (receipt !== undefined) receipts.push(receipt);
  const bodies: Record<string, () => object | Promise<object>> = {
    'POST /Inventory/Reverse': () => ({ transactionNo: receipt }),
    'POST /Inventory/Hold': () => ({ recno: recNo, hold: false }),
    'POST /Inventory/Batch': () => ({ mode: 'each', operations: [{ op: 'count', ...transaction }] }),
    'PUT /Inventory/StockLevels/:wid/:partNo': () => ({ minimum: 5 }),
    'POST /Scan': () => ({ scans: [{ data: stocked }], wid }),
    'POST /Item': () => ({ shortID: uniqueName('NEW') }),
    'PUT /Item': () => ({ shortID: stocked, description: uniqueName('text') }),
  };
  const shortID = path.includes(':shortID') ? await service.item() : '';
  const alias = uniqueName('ALIAS');
  if (method === 'DELETE' && path.endsWith(':alias'))
    await service.sql`insert into item_alias (alias, part_no) values (${alias}, ${partNo})`;
  const filled = path
    .replace(':wid', String(wid ?? 'none'))
    .replace(':transactionNo', String(receipt))
    .replace(':recNo', String(recNo))
    .replace(':partNo', String(partNo))
    .replace(':alias', alias)
    .replace(':shortID', shortID);
  const body =
    method === 'GET' || method === 'DELETE' ? undefined : ((await bodies[name]?.()) ?? transaction);
  const queries: Record<string, string> = {
    '/Inventory/Transactions': '?',
    '/Inventory/StockAt': '?time=2026-01-01&',
    '/Inventory/StockDays': `?from=2026-01-01&to=2026-01-31&partNo=${partNo}&`,
  };
  const query = queries[path];
  if (path === '/Inventory/Activity') return client.get(`${path}?from=2026-01-01&to=2026-01-31`);
  const asked = query === undefined ? filled : `${filled}${query}${wid === undefined ? '' : `wid=${wid}`}`;
  return client.send(method, asked, body === undefined ? {} : { body });
}

function expectAs(answer: Awaited<ReturnType<typeof ask>>, name: string, what: string) {
  const { status, body, field } = { body: undefined, field: undefined, ...answerOf(name) };
  expect(answer.status, `${what}: ${answer.text}`).toBe(status);
  if (body !== undefined) expect(answer.body, what).toEqual(body);
  if (field !== undefined) expect(Object.keys(answer.body.details), what).toEqual([field]);
  if (status === 404)
    expect(answer.body, what).toMatchObject(errorObject(404, 'not_found', answer.body.message));
}

/** Everything that has been written. */
async function written() {
  const [row] = await service.sql`
    select (select count(*) from stock_transaction) as transactions, (select count(*) from lot) as lots,
      (select count(*) from item) as items, (select max(modified) from item) as modified,
      (select count(*) from idempotency_key) as keys`;
  return row;
}

test('the table has every route of the service, and no other', () => {
  expect(matrix.map(({ name }) => name).sort()).toEqual(routes.map(nameOf).sort());
});

const clients = new Map<string, Promise<ApiClient>>();

/** A client of warehouses 1 and 2 with these permissions; the same for every route. */
function clientWith(permissions: number[], readOnly: boolean): Promise<ApiClient> {
  const key = JSON.stringify([permissions, readOnly]);
  const client = clients.get(key) ?? service.client({ permissions, readOnly });
  clients.set(key, client);
  return client;
}

test.each(matrix)(
  '$name: every permission, read-only or not, and every kind of warehouse',
  async ({ name, needed, readOnly, answers }) => {
    const sets = [
      ...[...allPermissions.map((each) => [each]), [], needed, allPermissions],
      ...needed.map((missing) => allPermissions.filter((each) => each !== missing)),
    ];
    const due = new Set<string>();
    for (const permissions of sets) {
      const may = needed.every((each) => permissions.includes(each));
      for (const isReadOnly of [false, true]) {
        const client = await clientWith(permissions, isReadOnly);
        for (const place of places.filter((each) => answers[each] !== '-')) {
          // The refusals in the order of the checks: read-only, permission, body, scope.
          const isRefused = isReadOnly && readOnly === 'readOnly';
          const answer = isRefused ? 'readOnly' : may ? answers[place]! : 'permission';
          due.add(answer);
          const before = await written();
          const what = `${JSON.stringify(permissions)} ${isReadOnly ? 'read-only ' : ''}${place}`;
          // Nothing has to be created for a deletion that is refused.
          const isForNothing = name.startsWith('DELETE') && answer !== '200';
          const got = await (isForNothing ? client.delete(`/Item/${stocked}`) : ask(client, name, place));
          expectAs(got, answer, what);
          if (got.status >= 400) expect(await written(), what).toEqual(before);
        }
      }
    }
    expect([...due].some((answer) => /^2/.test(answer))).toBe(true);
    expect(due.has('permission')).toBe(needed.length > 0);
  },
);

test('POST /Inventory/Move between warehouses: both must be in the scope', async () => {
  const client = await clientWith(allPermissions, false);
  for (const [from, to, answer] of rowsOf(expectedOfMoves) as [Place, Place, string][]) {
    const before = await written();
    const got = await ask(client, 'POST /Inventory/Move', from, to);
    expectAs(got, answer, `${from} to ${to}`);
    if (got.status >= 400) expect(await written()).toEqual(before);
  }
});
