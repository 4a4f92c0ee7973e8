import { defaultTimes } from '@inventory/api/http/connections/http-server';
import { messages } from '@inventory/api/http/errors';
import { openApiText } from '@inventory/api/openapi/document';
import { kindNames } from '@inventory/domain/kinds/kinds';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { createAjv, createDocumented, inlined, resolve } from '../harness/contract/expect-documented.ts';
import { nameOf, routes } from '../harness/contract/routes.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();
const document = JSON.parse(openApiText(routes, '/api/v1'));

const operations = Object.entries<Record<string, unknown>>(document.paths).flatMap(([path, methods]) =>
  // biome-ignore lint/suspicious/noExplicitAny: the document has its own names.
  Object.entries<any>(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    operation,
  })),
);
const operationOf = (id: string) => operations.find((each) => each.operation.operationId === id)!.operation;

describe('GET /openapi.json', () => {
  test('200: the document of all routes, without a token', async () => {
    const answer = await fetch(`${service.baseUrl}/openapi.json`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/);
    expect(answer.headers.get('X-API-Version')).toBe('v1');
    expect(await answer.json()).toEqual(document);
  });

  test('304: it has not changed', async () => {
    const { headers } = await fetch(`${service.baseUrl}/openapi.json`);
    // Without its own Cache-Control, fetch asks for the whole answer.
    const fresh = await fetch(`${service.baseUrl}/openapi.json`, {
      headers: { 'If-None-Match': headers.get('ETag')!, 'Cache-Control': 'max-age=0' },
    });
    expect(fresh.status).toBe(304);
  });

  test('405: any method but GET', async () => {
    const { status, headers } = await fetch(`${service.baseUrl}/openapi.json`, { method: 'POST' });
    expect([status, headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document));
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  test('has every route of the table, POST /Token, and nothing else', () => {
    const shape = (name: string) => name.replace(/:\w+|\{\w+\}/g, '{}');
    const declared = [...routes.map(nameOf), 'POST /Token'];
    expect(operations.map(({ name }) => shape(name)).sort()).toEqual(declared.map(shape).sort());
  });

  test('gives each operation its own id and a description', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { name, operation } of operations) expect(operation.description, name).not.toBe('');
  });

  test('suits generators: words as ids, no int64, nothing unused, a licence', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids).toEqual(expect.arrayContaining(['receive', 'listLots', 'getTransaction', 'getToken']));
    for (const id of ids) expect(id).toMatch(/^[a-z]+([A-Z][a-z]+)*$/);
    const text = JSON.stringify(document);
    expect(text).not.toContain('int64');
    for (const [kind, named] of Object.entries<object>(document.components)) {
      if (kind === 'securitySchemes') continue;
      for (const name of Object.keys(named)) expect(text).toContain(`"#/components/${kind}/${name}"`);
    }
    expect(document.info.license.name).not.toBe('');
    expect(document.externalDocs.url).toBe('/api/v1/docs');
    expect(Object.keys(document.components.schemas.Operation.discriminator.mapping)).toEqual([
      ...['receive', 'move', 'issue', 'count', 'reverse', 'hold'],
    ]);
  });

  test('allows null where the service takes it: every optional field of a body, or where it is a value', () => {
    const ajv = createAjv(document);
    for (const declared of routes.filter(({ body }) => body !== undefined)) {
      const { id, body } = declared.description;
      const { schema } = operationOf(id).requestBody.content['application/json'];
      const validate = ajv.compile(inlined(schema));
      const { required = [], properties } = resolve(document, schema);
      for (const { value } of Object.values(body!)) {
        for (const field of Object.keys(properties)) {
          const sent = { ...(value as object), [field]: null };
          expect(validate(sent), `${nameOf(declared)} ${field}`).toBe(
            declared.takesNull === true || !required.includes(field),
          );
        }
      }
    }
    for (const reference of document.components.schemas.Operation.oneOf) {
      const { required, properties } = resolve(document, reference);
      for (const [field, { type }] of Object.entries<{ type: string | string[] }>(properties)) {
        expect(type.includes('null'), `${reference.$ref} ${field}`).toBe(!required.includes(field));
      }
    }
  });

  test('has every query parameter that a route reads', () => {
    const paging = 'page pageSize sort direction modifiedSince';
    const lots = `${paging} inStock itemID spot serial hold recNo rfidTag serial2 jobID expiresBefore view`;
    const named = {
      'GET /Inventory': lots,
      'GET /Inventory/StockLevels/{wid}': `${paging} itemID partNo partNos belowMinimum view`,
      'GET /Item': `key type Category ${paging} search view`,
      'GET /Item/All': `${paging} search view`,
      'GET /Inventory/Transactions': `${paging} kind itemID wid recNo serial reference clientId deviceID startDate endDate`,
    };
    for (const [name, expected] of Object.entries(named)) {
      const { parameters } = operations.find((each) => each.name === name)!.operation;
      const inQuery = parameters.filter((parameter: { in?: string }) => parameter.in === 'query');
      expect(inQuery.map((parameter: { name: string }) => parameter.name).join(' '), name).toBe(expected);
    }
  });

  test('has Idempotency-Key on the transactions only', () => {
    const keyed = operations.filter(({ operation }) =>
      operation.parameters?.some(({ $ref }: { $ref?: string }) => $ref?.endsWith('/Idempotency-Key')),
    );
    const calls = ['Receive', 'Move', 'Issue', 'Count', 'Reverse', 'Hold', 'Batch'];
    expect(keyed.map(({ name }) => name)).toEqual(calls.map((call) => `POST /Inventory/${call}`));
  });

  test('shows the exception, an unknown outcome, on every write and nowhere else', () => {
    for (const { name, operation } of operations) {
      const { content } = resolve(document, operation.responses[503]) as unknown as {
        content: { 'application/json': { examples: Record<string, { value: { message: string } }> } };
      };
      const shown = Object.values(content['application/json'].examples).map(({ value }) => value.message);
      const isWrite = !name.startsWith('GET') && !['POST /Token', 'POST /Scan'].includes(name);
      expect(shown.includes(messages.unknown), name).toBe(isWrite);
    }
  });

  test('explains the fields of the lists and t of RateLimit', () => {
    const { Lot, StockLevel } = document.components.schemas;
    expect(StockLevel.properties.available.description).toContain('Expired units count');
    expect(Lot.properties.jobName.description).toContain('always null');
    expect(Lot.properties.shipped.description).toContain('emptied by a move to another warehouse');
    expect(document.info.description).toContain('Codes are case-sensitive');
    expect(document.info.description).toContain('Empty fields, null or blank, sort last in both directions');
    expect(operationOf('getItem').description).toContain('a part number, never a ShortID');
    expect(document.components.headers.RateLimit.description).toContain(
      'Requests left (r) in this window, and the seconds until it ends (t)',
    );
  });

  test('tells the limits of a connection as they are', () => {
    const { requestMs, headMs, idleMs } = defaultTimes;
    const { description } = document.info;
    expect(description).toContain(`not complete within ${requestMs / 1000} s of its first byte`);
    expect(description).toContain(`head within ${headMs / 1000} s`);
    expect(description).toContain(`ends ${idleMs / 1000} s after its last answer`);
    // Only time ends a connection.
    expect(description).not.toMatch(/connection takes [\d,]+ requests/);
    const { slow } = document.components.responses.TooSlow.content['application/json'].examples;
    expect(slow.summary).toBe(`After ${requestMs / 1000} s`);
  });

  test('names every kind of operation that a batch takes', () => {
    for (const name of kindNames) expect(operationOf('batch').description).toMatch(`\`${name}\``);
  });

  test('shows an example of every body and every answer, each valid by its schema', () => {
    const ajv = createAjv(document);
    let checked = 0;
    for (const { name, operation } of operations) {
      const contents = [
        ...Object.values(operation.requestBody?.content ?? {}),
        ...Object.values(operation.responses).flatMap((response) =>
          Object.values(resolve(document, response).content),
        ),
        // biome-ignore lint/suspicious/noExplicitAny: the document has its own names.
      ] as any[];
      for (const { schema, examples } of contents) {
        expect(Object.keys(examples ?? {}).length, name).toBeGreaterThan(0);
        const validate = ajv.compile(inlined(schema));
        for (const [title, { value }] of Object.entries<{ value: unknown }>(examples)) {
          expect(validate(value), `${name} ${title}: ${ajv.errorsText(validate.errors)}`).toBe(true);
          checked += 1;
        }
      }
    }
    expect(checked).toBeGreaterThan(80);
  });
});

describe('the check of every answer against the document', () => {
  const { expectDocumented } = createDocumented(document);
  const headers = new Headers({
    'X-API-Version': 'v1',
    'X-Request-Id': 'x',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'RateLimit-Policy': '"default";q=100;w=60',
    RateLimit: '"default";r=99;t=60',
  });
  const check = (status: number, body: unknown, given = headers) =>
    expectDocumented('PUT', '/Item', { status, headers: given, text: JSON.stringify(body), body });
  const updated = { shortID: 'A', status: 'updated' };

  test('accepts a documented answer', () => check(200, updated));

  test.each([
    ['an undocumented status', 201, updated, headers, 'not in the OpenAPI document'],
    ['an undocumented property', 200, { ...updated, recno: 1 }, headers, 'additional properties'],
    ['a missing property', 200, { shortID: 'A' }, headers, 'status'],
    ['a missing header', 200, updated, new Headers(), 'lacks the header X-API-Version'],
  ])('finds %s', (_what, status, body, given, message) => {
    expect(() => check(status, body, given)).toThrow(message);
  });
});
