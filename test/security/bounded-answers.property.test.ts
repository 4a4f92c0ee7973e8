import type { Socket } from 'node:net';
import { importReasons } from '@inventory/db/operator/manage-reasons';
import { reasonedNames } from '@inventory/domain/contract/reason';
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { nameOf, routes } from '../harness/contract/routes.ts';
import { openRaw } from '../harness/network/raw-connection.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { startProcess } from '../harness/service/processes.ts';
import { useProbedApi } from '../harness/service/use-probed-api.ts';
import { readMetrics } from '../harness/watch/metrics.ts';

const { service, api, env } = useProbedApi({ INTERNAL_PORT: '0' });
let client: ApiClient;

/** So many characters of three bytes each, and a number, so that names differ. */
const longest = (length: number, index = 0) => `${index}`.padStart(4, '0') + '物'.repeat(length - 4);
const more = <Value>(count: number, value: (index: number) => Value) =>
  Array.from({ length: count }, (_, index) => value(index));

const pageSize = 250;
const shared = longest(64);
const spots = more(2, (index) => longest(100, index));
let sharedPartNo: number;
let recNo: number;
let largeMove: number;

async function batch(operations: readonly object[]) {
  // Of 1 MiB each, as a client would send them.
  for (let from = 0; from < operations.length; from += 100) {
    const body = { mode: 'atomic', operations: operations.slice(from, from + 100) };
    const { status, text } = await client.post('/Inventory/Batch', body);
    expect(status, text.slice(0, 300)).toBe(200);
  }
}

const itemOf = (index: number) => ({
  ...{ shortID: longest(64, index), description: longest(500), uOM: longest(100), putUp: longest(100) },
  category: 7,
});
const lotOf = (index: number) => ({
  ...{ op: 'receive', itemID: shared, units: 1, wid: 1, reasonCode: 1, spot: spots[0] },
  ...{ serial: longest(100, index % 25), serial2: longest(100, index % 25), rfidTag: longest(100, index) },
  ...{ remark: longest(1000), reference: longest(100) },
});

beforeAll(async () => {
  client = await service.client({ baseUrl: api.baseUrl, operationsPerMinute: 10_000_000 });
  const reasons = more(pageSize, (index) => ({
    ...{ line: index, reasonCode: 2 ** 31 - 1 - index, name: longest(100), operations: null },
  }));
  await importReasons(service.sql, reasons, { take: 'all', byDefault: [...reasonedNames] });
  for (let index = 0; index < pageSize; index++)
    expect((await client.post('/Item', itemOf(index))).status).toBe(201);
  sharedPartNo = (await client.get(`/Item?key=${encodeURIComponent(shared)}&type=id`)).body.partNo;
  await batch(more(500, lotOf));
  // So that each item has a level.
  await batch(more(pageSize, (index) => ({ ...lotOf(0), itemID: longest(64, index), rfidTag: null })));
  for (let index = 0; index < 30; index++) {
    const move = {
      itemID: shared,
      units: 501,
      wid: 1,
      spot: spots[index % 2],
      toSpot: spots[(index + 1) % 2],
    };
    const { status, body, text } = await client.post('/Inventory/Move', {
      ...{ ...move, remark: longest(1000), reference: longest(100) },
    });
    expect(status, text.slice(0, 300)).toBe(200);
    largeMove = body.transactionNo;
    recNo = body.recNo;
  }
});

type Largest = { path: string; body?: object };

/**
 * The largest answers of each route: what is asked, or null where nothing of the catalog or the stock is
 * shown.
 */
function largestOf(name: string): Largest[] | null {
  const page = `pageSize=${pageSize}`;
  const move = { itemID: shared, units: 501, wid: 1, reasonCode: 1, dryRun: true };
  const known: Record<string, Largest[] | null> = {
    'GET /Me': [{ path: '/Me' }],
    'GET /Inventory/Transactions': [
      { path: `/Inventory/Transactions?${page}` },
      { path: '/Inventory/Transactions?pageSize=30&kind=move' },
    ],
    'GET /Inventory/Transactions/:transactionNo': [{ path: `/Inventory/Transactions/${largeMove}` }],
    'GET /Inventory/Lots/:recNo': [{ path: `/Inventory/Lots/${recNo}` }],
    'GET /Changes': [{ path: '/Changes?limit=1000' }],
    'GET /Webhooks': [{ path: '/Webhooks' }],
    'GET /Reasons': [{ path: `/Reasons?${page}` }],
    'GET /Inventory/Activity': [{ path: `/Inventory/Activity?from=2026-11-01&to=2026-12-31&${page}` }],
    'GET /Inventory/StockAt': [{ path: `/Inventory/StockAt?time=2026-01-01&${page}` }],
    'GET /Inventory/StockDays': [
      { path: `/Inventory/StockDays?from=2025-12-01&to=2026-12-01&partNo=${sharedPartNo}` },
    ],
    'GET /Inventory': [{ path: `/Inventory?${page}&view=full` }],
    'GET /Inventory/:wid': [{ path: `/Inventory/1?${page}&view=full` }],
    'GET /Inventory/StockLevels': [{ path: `/Inventory/StockLevels?${page}&view=full` }],
    'GET /Inventory/StockLevels/:wid': [{ path: `/Inventory/StockLevels/1?${page}&view=full` }],
    // Of an item with a ShortID; others tell a name or a lot.
    'PUT /Inventory/StockLevels/:wid/:partNo': null,
    'GET /Item': [{ path: `/Item?${page}` }, { path: '/Item?Category=7' }],
    'GET /Item/All': [{ path: `/Item/All?${page}` }],
    'GET /Item/:partNo': [{ path: `/Item/${sharedPartNo}` }],
    'GET /Item/:partNo/Aliases': [{ path: `/Item/${sharedPartNo}/Aliases?${page}` }],
    'POST /Scan': [
      // One code that many lots have, again and again; and as many codes as fit into a body.
      { path: '/Scan', body: { scans: more(200, () => ({ data: longest(100, 1) })) } },
      { path: '/Scan', body: { scans: more(200, (index) => ({ data: longest(100, index) })) } },
    ],
    'POST /Inventory/Move': [{ path: '/Inventory/Move', body: { ...move, toSpot: longest(100, 9) } }],
    'POST /Inventory/Issue': [{ path: '/Inventory/Issue', body: move }],
    'POST /Inventory/Count': [
      { path: '/Inventory/Count', body: { ...move, units: undefined, counted: 0, everywhere: true } },
    ],
    'POST /Inventory/Reverse': [
      { path: '/Inventory/Reverse', body: { transactionNo: largeMove, dryRun: true } },
    ],
    'POST /Inventory/Batch': [
      {
        path: '/Inventory/Batch',
        body: { mode: 'each', operations: more(500, () => ({ op: 'issue', [longest(100)]: 1, units: 'x' })) },
      },
    ],
    // They tell a name or a lot.
    ...{ 'POST /Inventory/Receive': null, 'POST /Inventory/Hold': null, 'POST /Item': null },
    'PUT /Item': null,
    ...{ 'DELETE /Item/:shortID': null, 'PUT /Item/:partNo/Aliases/:alias': null },
    'DELETE /Item/:partNo/Aliases/:alias': null,
  };
  if (!(name in known)) throw new Error(`${name}: say what its largest answer is`);
  return known[name]!;
}

const send = (method: string, { path, body }: Largest, headers = {}) =>
  client.send(method, path, { headers: { Prefer: 'handling=strict', ...headers }, ...(body && { body }) });

describe.each(routes.map((declared) => ({ name: nameOf(declared), declared })))(
  '$name',
  ({ name, declared }) => {
    test('its largest answer is as large as its route says at most, and is made in short stretches', async () => {
      for (const largest of largestOf(name) ?? []) {
        const query = Object.fromEntries(new URLSearchParams(largest.path.split('?')[1]));
        const call = {
          query: declared.query?.parse(query),
          body: largest.body,
          client: { scope: new Set([1, 2]) },
        };
        let stretches = 0;
        let bytes = 0;
        // Garbage is collected when it is: the best of three.
        for (let round = 0; round < 3; round++) {
          await api.measure();
          const answer = await send(declared.method, largest);
          const { stretchMs } = await api.measure();
          bytes = Buffer.byteLength(answer.text);
          expect([200, 400], answer.text.slice(0, 300)).toContain(answer.status);
          stretches = round === 0 ? stretchMs : Math.min(stretches, stretchMs);
        }
        expect(bytes).toBeLessThan(4 * 1024 * 1024);
        // The answer of a batch waits for room among the bodies, whose room it keeps.
        if (name !== 'POST /Inventory/Batch')
          expect(bytes).toBeLessThanOrEqual(declared.answerBytes(call as never));
        // 50 ms on a quiet machine; of the processor's time, with a wide margin.
        expect(stretches).toBeLessThan(200);
      }
    });
  },
);

const callers = 50;
const bytesMax = 400e6;

type Fresh = { port: number; internalPort: number };

/** Sends a request on fifty connections that read nothing, and waits until each is answered, or refused. */
async function leaveUnread(
  fresh: Fresh,
  method: string,
  { path, body }: Largest,
  accept: string,
): Promise<Socket[]> {
  const text = body === undefined ? '' : JSON.stringify(body);
  const length = `Content-Length: ${Buffer.byteLength(text)}`;
  const head = [
    `${method} /api/v1${path} HTTP/1.1`,
    ...['Host: x', `Authorization: Bearer ${client.token}`, `Accept: ${accept}`],
    ...(body === undefined ? [] : ['Content-Type: application/json', length]),
  ];
  const before = await answered(fresh);
  const sockets = more(callers, () => {
    const { socket, write } = openRaw(fresh.port);
    socket.pause();
    write(`${head.join('\r\n')}\r\n\r\n${text}`);
    return socket;
  });
  await expect.poll(() => answered(fresh), { interval: 250 }).toBeGreaterThanOrEqual(before + callers);
  return sockets;
}

async function answered({ internalPort }: Fresh): Promise<number> {
  const { text } = await readMetrics(internalPort);
  const counts = text.matchAll(/^inventory_api_requests_total\{.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

test('fifty callers of every route that read nothing take no more than their part of the memory', async () => {
  // A new process: what the others have left behind is not of these callers. With little room for what may be
  // collected, what is kept stands out.
  const fresh = await startProcess(
    'apps/api/src/main.ts',
    {
      ...{ DATABASE_URL: service.databaseUrl, REDIS_URL: inject('redisUrl'), PORT: '0', INTERNAL_PORT: '0' },
      ...env,
    },
    { nodeOptions: ['--max-semi-space-size=8', '--max-old-space-size=160'] },
  );
  onTestFinished(fresh.stop);
  const seen: Record<string, number> = {};
  const reading = async (name: string) => (await readMetrics(fresh.internalPort)).value(name)!;
  const leave = async (name: string, method: string, largest: Largest, accept = 'application/json') => {
    const sockets = await leaveUnread(fresh, method, largest, accept);
    const bytes = await reading('process_resident_memory_bytes');
    seen[name] = Math.round(bytes / 1e6);
    expect(bytes, JSON.stringify(seen)).toBeLessThan(bytesMax);
    // The last answer of the client may exceed its part.
    expect(await reading('inventory_api_unread_answer_bytes')).toBeLessThan(16 * 1024 * 1024);
    for (const socket of sockets) socket.destroy();
    // Once their connections end, unread answers no longer count.
    await expect.poll(() => reading('inventory_api_unread_answer_bytes'), { interval: 250 }).toBe(0);
  };
  for (const declared of routes) {
    const name = nameOf(declared);
    for (const [index, largest] of (largestOf(name) ?? []).entries())
      await leave(`${name} ${index}`, declared.method, largest);
  }
  await leave('events', 'GET', { path: '/Changes?limit=1000' }, 'text/event-stream');
  for (const path of ['/openapi.json', '/docs/swagger-ui-bundle.js'])
    await leave(path, 'GET', { path }, '*/*');
}, 900_000);
