import { randomInt } from 'node:crypto';
import { messages } from '@inventory/api/http/errors';
import { OperationHead } from '@inventory/domain/contract/batch';
import { kindNames, kinds } from '@inventory/domain/kinds/kinds';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { expectRefusalShape } from '../harness/contract/error-shape.ts';
import { createDocumented, type Documented } from '../harness/contract/expect-documented.ts';
import { type FuzzedRequest, fuzzedRequest, type Known } from '../harness/contract/fuzz-requests.ts';
import { fieldsOf, requestOf, routes } from '../harness/contract/routes.ts';
import { openRawCaller, type RawAnswer, type RawCaller } from '../harness/network/raw-connection.ts';
import { useProbedApi } from '../harness/service/use-probed-api.ts';

// FUZZ_SEED repeats a run, FUZZ_CASES makes it longer.
const seed = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31));
const caseCount = Number(process.env.FUZZ_CASES ?? 2500);
const triesMax = 20;
const connectionCount = 8;
const generatedAtOnce = 250;

const otherFamily = /^\/(PurchaseOrder|Report)(\/|$)/;

const operationFields = [
  ...new Set(
    [OperationHead, ...kindNames.map((kind) => kinds[kind].body)].flatMap(({ shape }) => Object.keys(shape)),
  ),
];

const { service, api } = useProbedApi();
let documented: Documented;

beforeAll(async () => {
  documented = createDocumented(await (await fetch(`${api.baseUrl}/openapi.json`)).json());
});

function expectOfContract(answer: RawAnswer, { method, path }: FuzzedRequest, what: string) {
  const headers = { get: (name: string) => answer.headers.get(name) ?? null };
  // The contract's answer for the families that are not implemented, not a failure.
  if (answer.status === 501 && (path === null || otherFamily.test(path))) {
    if (method !== 'HEAD')
      expect(answer.body, what).toMatchObject({ statusCode: 501, error: 'not_implemented' });
  } else if (method === 'HEAD') expect(answer.status, what).toBeLessThan(500);
  else expectRefusalShape({ ...answer, headers }, what);
  expect(answer.headers.get('x-api-version'), what).toBe('v1');
  expect(answer.headers.get('x-request-id'), what).toBeTruthy();
  // Refused before its path and its caller are looked at.
  const isMalformed = answer.status === 400 && answer.headers.get('connection') === 'close';
  if (path !== null && !isMalformed) {
    documented.expectDocumented(method, path, { ...answer, headers: new Headers([...answer.headers]) });
  }
}

test(`never a 5xx and never an error body outside the contract: ${caseCount} requests to anything, FUZZ_SEED=${seed}`, async () => {
  console.log(`${caseCount} requests, FUZZ_SEED=${seed}`);
  const { token, clientId, secret } = await service.client({ baseUrl: api.baseUrl });
  const known: Known = { token, clientId, secret, itemID: await service.item() };
  const connections = Array.from({ length: connectionCount }, () => openRawCaller(api.port));
  const statuses = new Map<number, number>();
  let unanswered = 0;

  async function ask(connection: RawCaller, request: FuzzedRequest) {
    const isWhole = request.path !== null;
    const bytes = Buffer.concat(request.parts);
    const what = bytes.toString('latin1', 0, 2000);
    // A request that may be incomplete is ended, or both sides would wait for the rest of it.
    const options = { isHead: request.method === 'HEAD', end: !isWhole };
    let answer = await connection.send(bytes, options);
    // A slow machine's 503 is no answer to what was sent.
    for (let tries = 0; answer?.body?.message === messages.unavailable && tries < triesMax; tries++)
      answer = await connection.send(bytes, options);
    if (answer === null) {
      unanswered += 1;
      expect(isWhole, `no answer: ${what}`).toBe(false);
      return;
    }
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    expectOfContract(answer, request, what);
  }

  const arbitrary = fuzzedRequest(known);
  for (let from = 0; from < caseCount; from += generatedAtOnce) {
    const numRuns = Math.min(generatedAtOnce, caseCount - from);
    const left = fc.sample(arbitrary, { seed: seed + from, numRuns });
    await Promise.all(
      connections.map(async (connection) => {
        for (let next = left.pop(); next !== undefined; next = left.pop()) await ask(connection, next);
      }),
    );
  }
  for (const connection of connections) connection.close();

  console.log(
    `answers by status: ${JSON.stringify(Object.fromEntries(statuses))}, closed unanswered: ${unanswered}`,
  );
  // The run counts only if requests of every kind of outcome were in it.
  for (const status of [200, 201, 400, 401, 403, 404, 405, 413, 415, 501])
    expect(statuses.get(status), String(status)).toBeGreaterThan(0);
  await expectUnchanged();
});

/** No other item and no prototype has changed. */
async function expectUnchanged() {
  expect((await (await service.client()).get('/Item')).status).toBe(200);
  const clean: Record<string, unknown> = {};
  for (const name of ['units', 'spot', 'wid', 'shortID']) expect(clean[name]).toBeUndefined();
}

// JavaScript would use these to make a text, a promise or a list of the object.
const names = ['toString', 'valueOf', 'toJSON', 'then', 'length'];
const ownMethods = Object.fromEntries(names.map((name) => [name, -1]));

test('400, never a 5xx: an object with its own methods in any field, strict or not', async () => {
  const client = await service.client();
  const itemID = await service.item();
  for (const declared of routes.filter(({ body }) => body !== undefined)) {
    const { method, path, body } = requestOf(declared, { itemID });
    const inOperations = declared.path === '/Inventory/Batch' ? operationFields : [];
    for (const [value, headers] of [
      [ownMethods, { Prefer: 'handling=strict' }],
      [[ownMethods], {}],
    ] as const) {
      const spoiled = [
        ...fieldsOf(declared, 'body').map((name) => ({ ...body, [name]: value })),
        ...inOperations.map((name) => ({ mode: 'each', operations: [{ op: 'count', [name]: value }] })),
      ];
      for (const sent of spoiled)
        expectRefusalShape(await client.send(method, path, { headers, body: sent }), JSON.stringify(sent));
    }
  }
  await expectUnchanged();
});
