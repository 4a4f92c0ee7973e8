import { BatchError } from '@inventory/domain/contract/batch';
import { type Needed, permissionNames, permissionsIn } from '@inventory/domain/permission';
import { noWarehouses, type Route } from '../http/route.ts';
import { withCodeSamples } from './code-samples.ts';
import { tokenDescription } from './descriptions/token.ts';
import { ErrorAnswer, RateLimited } from './error-schemas.ts';
import { answerOf, errorAnswers, headerComponents, sharedAnswers, successHeaders } from './responses.ts';
import { createSchemas, type Json, type Schemas } from './schemas.ts';
import { introduction, tags } from './texts.ts';

/** Makes the OpenAPI 3.1 document of these routes, as JSON text, from the schemas that validate requests. */
export function openApiText(routes: readonly Route[], basePath: string): string {
  const schemas = createSchemas();
  // Schemas that only answers refer to.
  for (const schema of [ErrorAnswer, RateLimited, BatchError]) schemas.answer(schema);
  const paths: Record<string, Json> = { '/Token': { post: tokenDescription(schemas) } };
  const names = pathNames(routes);
  for (const route of routes) {
    const path = names.get(shapeOf(route.path))!;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, path, schemas) };
  }
  const whole = {
    openapi: '3.1.1',
    info: {
      title: 'Inventory Management Service API',
      version: 'v1',
      description: introduction,
      license: { name: 'All rights reserved' },
    },
    externalDocs: {
      description: 'This document as a page, on which calls can be tried out',
      url: `${basePath}/docs`,
    },
    servers: [{ url: basePath }],
    tags,
    security: [{ clientCredentials: [] }, { bearer: [] }],
    paths: withCodeSamples(paths),
    components: {
      schemas: schemas.components,
      responses: sharedAnswers(),
      parameters: headerParameters,
      headers: headerComponents(),
      // The page's dialog shows them in this order: first the credentials, which a reader has, then the token
      // that is made from them.
      securitySchemes: {
        clientCredentials: {
          type: 'oauth2',
          description: 'The client id and secret; the token is fetched from `/Token`.',
          flows: { clientCredentials: { tokenUrl: `${basePath}/Token`, scopes: {} } },
        },
        bearer: { type: 'http', scheme: 'bearer', description: 'An access token from `/Token`.' },
        clientBasic: {
          type: 'http',
          scheme: 'basic',
          description: 'The client id and secret, for `/Token` only.',
        },
      },
    },
  };
  return JSON.stringify({ ...whole, components: usedComponents(whole) });
}

/**
 * Returns the components that the paths refer to, directly or through other components, and all security
 * schemes.
 */
function usedComponents({ paths, components }: { paths: Json; components: Record<string, Json> }): Json {
  const used = new Set<string>();
  const follow = (part: unknown) => {
    for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(
      /"#\/components\/(\w+)\/([\w-]+)"/g,
    )) {
      if (used.has(`${kind}/${name}`)) continue;
      used.add(`${kind}/${name}`);
      follow(components[kind]![name]);
    }
  };
  follow(paths);
  return Object.fromEntries(
    Object.entries(components).map(([kind, named]) => [
      kind,
      kind === 'securitySchemes'
        ? named
        : Object.fromEntries(Object.entries(named).filter(([name]) => used.has(`${kind}/${name}`))),
    ]),
  );
}

/**
 * Replaces each parameter with `{}`: OpenAPI treats routes of the same shape as one path, whatever the names
 * of their parameters.
 */
function shapeOf(path: string): string {
  return path.replace(/:\w+/g, '{}');
}

/**
 * The document's path for each shape. Routes with different parameter names in one place share one name:
 * `{partNoOrShortID}`.
 */
function pathNames(routes: readonly Route[]): Map<string, string> {
  const parameters = new Map<string, Set<string>[]>();
  for (const { path } of routes) {
    const known = parameters.get(shapeOf(path)) ?? [];
    for (const [place, name] of namesIn(path).entries()) known[place] = (known[place] ?? new Set()).add(name);
    parameters.set(shapeOf(path), known);
  }
  return new Map(
    [...parameters].map(([shape, places]) => {
      const names = places
        .map((known) => [...known])
        .map(([first = '', ...others]) => first + others.map((other) => `Or${capital(other)}`).join(''));
      return [shape, names.reduce((path, name) => path.replace('{}', `{${name}}`), shape)];
    }),
  );
}

/** The names of the parameters in a route's path, in order. */
function namesIn(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
}

function operationOf(route: Route, path: string, schemas: Schemas): Json {
  const shared = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const [status = '200', answer] = Object.entries(route.answer)[0]!;
  return {
    ...(route.isExtension ? { 'x-extension': true } : {}),
    operationId: route.description.id,
    tags: [route.path.split('/')[1]],
    summary: route.summary,
    description: `${route.description.notes.trim()}\n\n${rulesOf(route)}`,
    parameters: [
      ...pathParameters(route, shared, schemas),
      ...queryParameters(route, schemas),
      ...headerParametersOf(route),
    ],
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: route.isBodyOptional !== true,
            content: {
              'application/json': { schema: schemas.body(route.body), examples: route.description.body },
            },
          },
        }),
    responses: {
      [status]: answerOf('Success', schemas.answer(answer), {
        ...successHeaders(route),
        examples: route.description.answer,
        events: route.description.events,
      }),
      ...errorAnswers(route),
    },
  };
}

function rulesOf(route: Route): string {
  return [
    needsNone(route.permission)
      ? `**Permission:** ${route.writes ? 'that of each operation' : 'none; a token is enough'}.`
      : `**Permission:** ${neededText(route.permission)}, else 403.`,
    route.writes ? '**Writes:** a read-only client gets 403.' : '**Reads:** open to read-only clients.',
    route.warehouses === noWarehouses
      ? ''
      : '**Scope:** a warehouse outside the scope of the client gets 403, one that does not exist too.',
  ]
    .filter((rule) => rule !== '')
    .join(' ');
}

const needsNone = (needed: Needed) => Array.isArray(needed) && needed.length === 0;

function neededText(needed: Needed): string {
  const names = permissionsIn(needed).map((each) => `${permissionNames[each]} (${each})`);
  return names.join(typeof needed === 'object' && 'anyOf' in needed ? ' or ' : ' and ');
}

/** `shared`: the names of the parameters in the document's path, in order. */
function pathParameters(route: Route, shared: readonly string[], schemas: Schemas): Json[] {
  if (route.params === undefined) return [];
  const places = namesIn(route.path);
  return propertiesOf(schemas.request(route.params)).map(([own, { description, example, ...schema }]) => ({
    name: shared[places.indexOf(own)],
    in: 'path',
    required: true,
    description,
    schema,
    example,
  }));
}

function queryParameters(route: Route, schemas: Schemas): Json[] {
  if (route.query === undefined) return [];
  const query = schemas.request(route.query);
  const required = new Set(query.required as string[] | undefined);
  return propertiesOf(query).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(required.has(name) ? { required: true, example: schema.example } : {}),
    description,
    ...(String(description).startsWith('Extension:') ? { 'x-extension': true } : {}),
    schema,
  }));
}

/** The headers that a call may have, each a component of {@link headerParameters}. */
function headerParametersOf(route: Route): Json[] {
  const names = [
    ...(route.keyed ? ['Idempotency-Key'] : []),
    ...(route.description.events ? ['Last-Event-ID'] : []),
    ...['Prefer', 'X-Request-Id'],
  ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

function propertiesOf(schema: Json): [string, Json][] {
  return Object.entries((schema.properties ?? {}) as Record<string, Json>);
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

// No examples: the page would send them, and a second transaction with the same key would be refused.
const headerParameters = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Extension: any text of your own, unique per request that should be applied once. With it the request can be sent again: ' +
      'it is applied once, and the stored answer comes back for at least 7 days. 1 to 255 visible ASCII characters, such as a UUID.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  },
  'Last-Event-ID': {
    name: 'Last-Event-ID',
    in: 'header',
    description:
      'Extension: the id of the last event that a reader of server-sent events got; it goes before `after`.',
    schema: { type: 'string' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      'Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else ' +
      'they are ignored, and a mistyped `Spot` says nothing.',
    schema: { type: 'string' },
  },
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    description: 'An id of your own for this request; the answer and our logs carry it.',
    schema: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[!-~]+$' },
  },
};
