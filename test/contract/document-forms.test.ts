import { openApiText } from '@inventory/api/openapi/document';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { nameOf, routes } from '../harness/contract/routes.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();
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
  type Collection = {
    variable: Field[];
    item: {
      item: {
        request: {
          method: string;
          header: Field[];
          url: { raw: string; path: string[] };
          body?: { raw: string; urlencoded: Field[] };
        };
      }[];
    }[];
  };

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
    expect(variables.map(({ key }) => key)).toEqual(['baseUrl', 'clientId', 'clientSecret', 'token']);
  });

  test('200: its requests get a token and receive stock when the variables are filled in', async () => {
    const { clientId, secret } = await service.client();
    const values: Record<string, string> = { baseUrl: service.baseUrl, clientId, clientSecret: secret };
    const fill = (text: string) => text.replaceAll(/\{\{\$?(\w+)\}\}/g, (_, name: string) => values[name]!);
    const requests = (await readCollection()).item.flatMap((each) => each.item.map((one) => one.request));
    const named = (path: string) => requests.find((each) => each.url.path.join('/') === path)!;

    const token = named('Token');
    const fields = token.body!.urlencoded.map(({ key, value }) => [key, fill(value)] as [string, string]);
    const answer = await fetch(fill(token.url.raw), { method: 'POST', body: new URLSearchParams(fields) });
    expect(answer.status).toBe(200);

    values.token = ((await answer.json()) as { access_token: string }).access_token;
    values.guid = crypto.randomUUID();
    const receive = named('Inventory/Receive');
    const itemID = await service.item();
    const received = await fetch(fill(receive.url.raw), {
      method: receive.method,
      headers: [
        ...receive.header.map(({ key, value }) => [key, fill(value)] as [string, string]),
        ['Authorization', fill('Bearer {{token}}')],
      ],
      body: JSON.stringify({ ...JSON.parse(receive.body!.raw), itemID }),
    });
    expect(received.status).toBe(201);
  });
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
