import { type Operation, operationsOf } from './operations.ts';
import type { Json } from './schemas.ts';

const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

/**
 * Makes a collection of requests for Postman (form 2.1), which Bruno and others import, too, from the
 * OpenAPI document. Its first request gets the token for all others.
 */
export function collectionText({ info, tags, paths }: { info: Json; tags: Json[]; paths: Json }): string {
  const operations = operationsOf(paths);
  return JSON.stringify({
    info: { name: info.title, description: info.description, schema },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: 'http://127.0.0.1:3000/api/v1', type: 'string' },
      ...['clientId', 'clientSecret', 'token'].map((key) => ({ key, value: '', type: 'string' })),
    ],
    item: tags.map(({ name, description }) => ({
      ...{ name, description },
      item: operations.filter(({ tag }) => tag === name).map(requestOf),
    })),
  });
}

function requestOf(operation: Operation): Json {
  const { method, summary, description, isKeyed, body } = operation;
  const header = [
    ...(isKeyed ? [{ key: 'Idempotency-Key', value: '{{$guid}}' }] : []),
    ...(body !== null && !body.isForm ? [{ key: 'Content-Type', value: 'application/json' }] : []),
  ];
  const request = { method, description, header, url: urlOf(operation) };
  if (body === null) return { name: summary, request };
  if (body.isForm) return tokenRequest(summary, request, body.example);
  const raw = JSON.stringify(body.example, null, 2);
  const options = { raw: { language: 'json' } };
  return { name: summary, request: { ...request, body: { mode: 'raw', raw, options } } };
}

function urlOf({ path, pathParameters, queryParameters }: Operation): Json {
  const filled = path.replaceAll(/\{(\w+)\}/g, ':$1');
  return {
    raw: `{{baseUrl}}${filled}`,
    host: ['{{baseUrl}}'],
    path: filled.split('/').slice(1),
    // Off, so that a list is whole until the reader chooses.
    query: queryParameters.map(({ name, description }) => ({
      ...{ key: name, value: '', description, disabled: true },
    })),
    variable: pathParameters.map(({ name, example, description }) => ({
      ...{ key: name, value: String(example), description },
    })),
  };
}

function tokenRequest(name: string, request: Json, example: Json): Json {
  const variables: Json = { client_id: '{{clientId}}', client_secret: '{{clientSecret}}' };
  const urlencoded = Object.entries(example).map(([key, value]) => ({
    ...{ key, value: variables[key] ?? value, type: 'text' },
  }));
  const exec = ["pm.collectionVariables.set('token', pm.response.json().access_token);"];
  return {
    name,
    event: [{ listen: 'test', script: { type: 'text/javascript', exec } }],
    request: { ...request, auth: { type: 'noauth' }, body: { mode: 'urlencoded', urlencoded } },
  };
}
