import {
  type Client,
  createFinalURL,
  createQuerySerializer,
  defaultPathSerializer,
  type FetchOptions,
  type Middleware,
  mergeHeaders,
  type ParseAs,
} from 'openapi-fetch';
import type { paths } from '../api/schema.ts';
import { newKey } from './new-key.ts';
import { jsonText } from './quantities.ts';

export type SendCall = (request: Request) => Promise<Response>;

type Init = Omit<FetchOptions<unknown>, 'fetch' | 'params' | 'body'> & {
  params?: {
    header?: Record<string, string>;
    query?: Record<string, unknown>;
    path?: Record<string, unknown>;
  };
  body?: unknown;
  fetch?: SendCall;
};

// Others, which the service does not have, go by `request`.
const methods = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD'];

/**
 * Makes the client of openapi-fetch, with its options and middleware. Its own code is several times as long,
 * and a page loads it: see docs/decisions/0033-the-client.md.
 */
export function createApi(ownUrl: string, send: SendCall): Client<paths> {
  let shared: Middleware[] = [];

  async function call(method: string, schemaPath: string, init: Init = {}) {
    const { params = {}, headers, body, fetch = send, parseAs = 'json', ...rest } = init;
    const { querySerializer: query, pathSerializer = defaultPathSerializer, middleware = [] } = rest;
    const baseUrl = (rest.baseUrl || ownUrl).replace(/\/$/, '');
    const querySerializer = typeof query === 'function' ? query : createQuerySerializer(query);
    const bodySerializer = (rest.bodySerializer as typeof jsonText | undefined) ?? jsonText;
    const options = { baseUrl, fetch, parseAs, querySerializer, bodySerializer, pathSerializer };
    const text = body === undefined ? null : bodySerializer(body);
    const type = text === null ? {} : { 'Content-Type': 'application/json' };
    const ours = { Accept: 'application/json', Prefer: 'handling=strict' };
    let request = new Request(createFinalURL(schemaPath, { ...options, params }), {
      ...(rest as RequestInit),
      ...{ method, body: text, headers: mergeHeaders(type, ours, headers, params.header) },
    });
    const all = [...shared, ...middleware];
    const id = newKey();
    const told = (more: object) => ({ request, schemaPath, params, options, id, ...more }) as never;
    for (const { onRequest } of all) {
      const made = await onRequest?.(told({}));
      // The others do not see it.
      if (made instanceof Response) return read(made, parseAs);
      request = made ?? request;
    }
    all.reverse();
    let response: Response;
    try {
      response = await fetch(request);
    } catch (error) {
      response = await afterError(all, error, told);
    }
    for (const { onResponse } of all) response = (await onResponse?.(told({ response }))) ?? response;
    return read(response, parseAs);
  }

  const calls = methods.map((method) => [method, (path: string, init?: Init) => call(method, path, init)]);
  return {
    ...Object.fromEntries(calls),
    request: (method: string, path: string, init?: Init) => call(method.toUpperCase(), path, init),
    use: (...some: Middleware[]) => void shared.push(...some.filter(Boolean)),
    eject(...some: Middleware[]) {
      shared = shared.filter((each) => !some.includes(each));
    },
  };
}

/** Throws the error, or one that middleware puts in its place; unless it gives an answer instead. */
async function afterError(
  all: readonly Middleware[],
  error: unknown,
  told: (more: object) => never,
): Promise<Response> {
  let failure = error;
  for (const { onError } of all) {
    const made = await onError?.(told({ error: failure }));
    if (made instanceof Response) return made;
    failure = made ?? failure;
  }
  throw failure;
}

async function read(response: Response, parseAs: ParseAs) {
  const { ok } = response;
  if (ok && parseAs === 'stream') return { data: response.body, response };
  if (ok && parseAs !== 'json') return { data: await response[parseAs as 'text'](), response };
  const text = await response.text();
  let body: unknown = text || undefined;
  try {
    body &&= JSON.parse(text);
  } catch (error) {
    if (ok) throw error;
  }
  return ok ? { data: body, response } : { error: body, response };
}
