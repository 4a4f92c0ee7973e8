import { runInNewContext } from 'node:vm';
import { openApiText } from '@inventory/api/openapi/document';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { nameOf, requestOf, routes } from '../harness/contract/routes.ts';
import { useService } from '../harness/service/service.ts';

const service = useService({ holds: 'demo', env: { TRUST_PROXY: '1' } });
const document = JSON.parse(openApiText(routes, '/api/v1'));
const declared = ['POST /Token', ...routes.map(nameOf)].map(shapeOf).sort();

const get = (path: string) => fetch(`${service.baseUrl}${path}`);

/** Parameters have different names in routes and documents. */
function shapeOf(name: string): string {
  return name.replaceAll(/:\w+|\{\w+\}/g, '{}');
}

describe('GET /collection.json', () => {
  const text = { type: 'string' };
  const list = (items: object) => ({ type: 'array', items });
  /** An object with these properties and no others. A name that ends in `?` may be missing. */
  const object = (properties: Record<string, object>) => ({
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, value]) => [name.replace('?', ''), value]),
    ),
    required: Object.keys(properties).filter((name) => !name.endsWith('?')),
    additionalProperties: false,
  });
  const variable = object({ key: text, value: text, type: { const: 'string' } });
  const field = object({
    ...{ key: text, value: text, 'description?': text, 'disabled?': { type: 'boolean' } },
    'type?': { enum: ['text', 'file'] },
  });
  const body = {
    anyOf: [
      object({ mode: { const: 'raw' }, raw: text, options: { type: 'object' } }),
      object({ mode: { const: 'urlencoded' }, urlencoded: list(field) }),
    ],
  };
  const url = object({
    ...{ raw: text, host: list(text), path: list(text), query: list(field), variable: list(field) },
  });
  const auth = object({ type: { enum: ['noauth', 'bearer'] }, 'bearer?': list(variable) });
  const request = object({
    method: { enum: ['GET', 'POST', 'PUT', 'DELETE'] },
    ...{ description: text, header: list(field), url, 'body?': body, 'auth?': auth },
  });
  const script = object({ type: { const: 'text/javascript' }, exec: list(text) });
  const event = object({ listen: { enum: ['test', 'prerequest'] }, script });
  const folder = object({
    ...{ name: text, description: text },
    item: list(object({ name: text, 'event?': list(event), request })),
  });
  // The parts of Postman's form 2.1 that are used.
  const form = object({
    info: object({
      ...{ name: text, description: text },
      schema: { const: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
    }),
    ...{ auth, variable: list(variable), item: list(folder) },
  });

  type Field = { key: string; value: string };
  type Call = {
    name: string;
    event?: { listen: 'test' | 'prerequest'; script: { exec: string[] } }[];
    request: {
      method: string;
      header: Field[];
      url: { raw: string; path: string[]; variable: Field[] };
      auth?: { type: 'noauth' | 'bearer' };
      body?: { mode: 'raw'; raw: string } | { mode: 'urlencoded'; urlencoded: Field[] };
    };
  };
  type Collection = { variable: Field[]; item: { item: Call[] }[] };

  async function readCollection() {
    const collection = await (await get('/collection.json')).json();
    const isValid = new Ajv2020().compile(form);
    isValid(collection);
    expect(isValid.errors).toBe(null);
    return collection as Collection;
  }

  test('200: a collection of form 2.1 with one request for every route', async () => {
    const { item: folders, variable: variables } = await readCollection();
    const requests = folders.flatMap((each) => each.item.map((one) => one.request));
    const names = requests.map(({ method, url: { path } }) => shapeOf(`${method} /${path.join('/')}`));
    expect(names.sort()).toEqual(declared);
    expect(variables.map(({ key }) => key)).toEqual(
      expect.arrayContaining(['baseUrl', 'clientId', 'clientSecret', 'token']),
    );
  });

  const addresses: [told: string, headers: Record<string, string>, expected: () => string][] = [
    ['of the caller', {}, () => service.baseUrl],
    [
      'that a trusted proxy tells',
      { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'stock.example.com' },
      () => 'https://stock.example.com/api/v1',
    ],
    ['of the caller, where a proxy tells no host', { 'X-Forwarded-Host': 'x/"y' }, () => service.baseUrl],
  ];
  test.each(addresses)('200: it uses the address %s', async (_, headers, expected) => {
    const answer = await fetch(`${service.baseUrl}/collection.json`, {
      headers,
    });
    const { variable } = (await answer.json()) as Collection;
    expect(variable[0]).toMatchObject({ key: 'baseUrl', value: expected() });
  });

  test('200: run whole and twice, every request succeeds, and everything of the demo stays as it was', async () => {
    const { clientId, secret } = await service.demoClient();
    const standing = (): Promise<unknown> => service.sql`
      select (select jsonb_agg(to_jsonb(item) order by part_no) from item where short_id not like 'TRY-%') as items,
        (select jsonb_agg(to_jsonb(item_alias) order by alias) from item_alias) as aliases,
        (select jsonb_agg(to_jsonb(lot) order by rec_no) from lot
          where part_no in (select part_no from item where short_id not like 'TRY-%')) as lots,
        (select jsonb_agg(to_jsonb(stock_level) order by part_no, wid) from stock_level
          where part_no in (select part_no from item where short_id not like 'TRY-%')) as levels`;
    const before = await standing();
    for (let run = 0; run < 2; run++) await runWhole({ clientId, clientSecret: secret });
    expect(await standing()).toEqual(before);
  });

  /**
   * Does what Postman's runner does: fills in the variables, runs the scripts, and sends one by one. It asks
   * for strict handling, because otherwise a name that no call has would be ignored.
   */
  async function runWhole(given: Record<string, string>): Promise<void> {
    const { variable, item: folders } = await readCollection();
    const values = { ...Object.fromEntries(variable.map(({ key, value }) => [key, value])), ...given };
    const fill = (text: string) =>
      text.replaceAll(/\{\{(\$?\w+)\}\}/g, (_, name: string) =>
        name === '$guid' ? crypto.randomUUID() : values[name]!,
      );
    for (const { name, event = [], request } of folders.flatMap((each) => each.item)) {
      let answer: unknown;
      const run = (listen: string) => {
        for (const each of event.filter((one) => one.listen === listen))
          runInNewContext(each.script.exec.join('\n'), {
            pm: {
              collectionVariables: { set: (key: string, value: unknown) => (values[key] = String(value)) },
              response: { json: () => answer },
            },
            Date,
          });
      };
      run('prerequest');
      const { method, header, url, auth, body } = request;
      const to = url.variable.reduce(
        (at, { key, value }) => at.replace(`:${key}`, () => encodeURIComponent(fill(value))),
        fill(url.raw),
      );
      const response = await fetch(to, {
        method,
        headers: [
          ['Prefer', 'handling=strict'],
          ...header.map(({ key, value }) => [key, fill(value)] as [string, string]),
          ...(auth?.type === 'noauth'
            ? []
            : [['Authorization', fill('Bearer {{token}}')] as [string, string]]),
        ],
        ...(body?.mode === 'raw' ? { body: fill(body.raw) } : {}),
        ...(body?.mode === 'urlencoded'
          ? {
              body: new URLSearchParams(
                body.urlencoded.map(({ key, value }): [string, string] => [key, fill(value)]),
              ),
            }
          : {}),
      });
      const text = await response.text();
      expect([name, response.status, response.ok ? '' : text]).toEqual([
        name,
        expect.toBeOneOf([200, 201]),
        '',
      ]);
      answer = JSON.parse(text);
      for (const { status } of (answer as { results?: { status?: string }[] }).results ?? [])
        expect(status ?? 'applied').toBe('applied');
      run('test');
    }
  }
});

const withExamples = routes.flatMap((declared) =>
  Object.entries(declared.description.body ?? {}).map(([title, { value }]) => {
    return { name: `${nameOf(declared)}, ${title}`, declared, value };
  }),
);

test.each(withExamples)('every name in the example is known: $name', async ({ declared, value }) => {
  const client = await service.client();
  const { method, path } = requestOf(declared, { itemID: 'WIDGET-100' });
  const sent = { headers: { Prefer: 'handling=strict' }, body: value };
  const answer = await client.send(method, path, sent);
  expect(answer.headers.get('Preference-Applied')).toBe('handling=strict');
  expect(answer.text).not.toContain('is unknown');
});

test('GET /llms.txt, 200: every operation, the promises, and links that lead somewhere', async () => {
  const answer = await get('/llms.txt');
  expect(answer.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
  const text = await answer.text();
  const named = [...text.matchAll(/^- `(\w+ \/[^`]*)`: ./gm)].map(([, name]) => shapeOf(name!));
  expect(named.sort()).toEqual(declared);
  expect(text).toContain('Applied and durable.');
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, to]) => to!);
  expect(links).toEqual(expect.arrayContaining(['docs/scanners.md', 'docs/integrations.md']));
  for (const to of links) expect((await get(`/${to}`)).status, to).toBe(200);
});

test('every operation has samples for curl and the client, with its path and a body from its examples', () => {
  for (const [path, methods] of Object.entries<Record<string, object>>(document.paths)) {
    for (const operation of Object.values(methods)) {
      const { 'x-codeSamples': samples } = operation as { 'x-codeSamples': Record<string, string>[] };
      expect(samples.map(({ label }) => label)).toEqual(['curl', '@inventory/client']);
      expect(samples[0]!.source).toContain(`"$BASE_URL${path.split('{')[0]}`);
      expect(samples[1]!.source).toMatch(/\binventory\b/);
      for (const { source } of samples) expect(source).not.toMatch(/undefined|\{\w+\}"|\$wid/);
    }
  }
  // A list of mode `each` with this header is refused.
  const { post } = document.paths['/Inventory/Batch'];
  expect(post['x-codeSamples'][0].source).not.toContain('Idempotency-Key');
});
