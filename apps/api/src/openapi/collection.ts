import { type Operation, operationsOf, queryOf } from './operations.ts';
import type { Json } from './schemas.ts';

const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

// A run of the whole collection must leave what is there as it is: calls that write use an item of their own,
// which the collection creates first, and its stock. Everything else uses the examples of the document.
const ownItem = { itemID: '{{itemID}}', wid: '{{wid}}' };
const bodies: Record<string, Json> = {
  createItem: { shortID: '{{itemID}}', description: 'Made by the collection of requests' },
  updateItem: { shortID: '{{itemID}}', description: 'Changed by the collection of requests' },
  receive: { ...ownItem, units: 40, spot: 'TRY-1', reasonCode: 3 },
  move: { ...ownItem, units: 10, toSpot: 'TRY-2' },
  issue: { ...ownItem, units: 5, spot: 'TRY-1', reasonCode: 9 },
  count: { ...ownItem, spot: 'TRY-2', counted: 9, expected: 10, reasonCode: 5 },
  reverse: { transactionNo: '{{transactionNo}}', remark: 'wrong order' },
  hold: { recno: '{{recNo}}', hold: true, reason: 'label is wet' },
  batch: {
    mode: 'each',
    operations: [
      { op: 'receive', key: '{{$guid}}', ...ownItem, units: 5, reasonCode: 1 },
      { op: 'issue', key: '{{$guid}}', ...ownItem, units: 2, reasonCode: 2 },
    ],
  },
};
const pathValues: Record<string, Json> = {
  discontinueItem: { partNoOrShortID: '{{itemID}}' },
  setMinimum: { wid: '{{wid}}', partNo: '{{partNo}}' },
  teachAlias: { partNo: '{{partNo}}', alias: '{{itemID}}-BOX' },
  removeAlias: { partNo: '{{partNo}}', alias: '{{itemID}}-BOX' },
};
const numbers = /"(\{\{(?:wid|transactionNo|recNo)\}\})"/g;

const events: Record<string, Json> = {
  getToken: keep('token', 'access_token'),
  createItem: keep('partNo', 'partNo'),
  receive: keep('recNo', 'recNo'),
  issue: keep('transactionNo', 'transactionNo'),
};
const nameItem = "pm.collectionVariables.set('itemID', 'TRY-' + Date.now());";

/**
 * Makes a collection of requests for Postman (form 2.1), which Bruno and others import, too, from the
 * OpenAPI document. Its first request gets the token for all others. Run whole, it changes nothing but an
 * item that it creates. `baseUrl`: where the service answers, with the base path.
 */
export function collectionText(
  { info, tags, paths }: { info: Json; tags: Json[]; paths: Json },
  baseUrl: string,
): string {
  const operations = operationsOf(paths);
  const empty = ['clientId', 'clientSecret', 'token', 'itemID', 'partNo', 'recNo', 'transactionNo'];
  return JSON.stringify({
    info: { name: info.title, description: info.description, schema },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: baseUrl, type: 'string' },
      { key: 'wid', value: '1', type: 'string' },
      ...empty.map((key) => ({ key, value: '', type: 'string' })),
    ],
    item: tags.toSorted(byFirstUse).map(({ name, description }) => ({
      ...{ name, description },
      item: operations.filter(({ tag }) => tag === name).map(requestOf),
    })),
  });
}

// The item is created before stock of it moves.
const byFirstUse = (one: Json, other: Json) =>
  Number(one.name === 'Inventory') - Number(other.name === 'Inventory');

function keep(variable: string, field: string): Json {
  return script('test', `pm.collectionVariables.set('${variable}', pm.response.json().${field});`);
}

function script(listen: string, line: string): Json {
  return { listen, script: { type: 'text/javascript', exec: [line] } };
}

function requestOf(operation: Operation): Json {
  const { id, method, summary, description, isKeyed, body } = operation;
  const header = [
    ...(isKeyed ? [{ key: 'Idempotency-Key', value: '{{$guid}}' }] : []),
    ...(body !== null && !body.isForm ? [{ key: 'Content-Type', value: 'application/json' }] : []),
  ];
  const event = [
    ...(id === 'createItem' ? [script('prerequest', nameItem)] : []),
    ...(id in events ? [events[id]] : []),
  ];
  const named = { name: summary, ...(event.length > 0 ? { event } : {}) };
  const request = { method, description, header, url: urlOf(operation) };
  if (body === null) return { ...named, request };
  if (body.isForm) return { ...named, request: tokenRequest(request, body.example) };
  const raw = JSON.stringify(bodies[id] ?? body.example, null, 2).replaceAll(numbers, '$1');
  const options = { raw: { language: 'json' } };
  return { ...named, request: { ...request, body: { mode: 'raw', raw, options } } };
}

function urlOf(operation: Operation): Json {
  const { id, path, pathParameters, queryParameters } = operation;
  const filled = path.replaceAll(/\{(\w+)\}/g, ':$1');
  return {
    raw: `{{baseUrl}}${filled}${queryOf(operation)}`,
    host: ['{{baseUrl}}'],
    path: filled.split('/').slice(1),
    // Off, so that a list is whole until the reader chooses.
    query: queryParameters.map(({ name, description, required, example }) => ({
      ...{ key: name, value: required ? String(example) : '', description, disabled: !required },
    })),
    variable: pathParameters.map(({ name, example, description }) => ({
      ...{ key: name, value: String(pathValues[id]?.[name] ?? example), description },
    })),
  };
}

function tokenRequest(request: Json, example: Json): Json {
  const variables: Json = { client_id: '{{clientId}}', client_secret: '{{clientSecret}}' };
  const urlencoded = Object.entries(example).map(([key, value]) => ({
    ...{ key, value: variables[key] ?? value, type: 'text' },
  }));
  return { ...request, auth: { type: 'noauth' }, body: { mode: 'urlencoded', urlencoded } };
}
