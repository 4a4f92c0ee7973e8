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

/** Sends a request of a call whose path in the document is this. */
export type SendCall = (request: Request, path: string) => Promise<Response>;

type Init = Omit<FetchOptions<unknown>, 'fetch' | 'params' | 'body'> & {
  params?: {
    header?: Record<string, string>;
    query?: Record<string, unknown>;
    path?: Record<string, unknown>;
  };
  body?: unknown;
  fetch?: SendCall;
};

const methods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'];

/**
 * Makes the client of openapi-fetch, with its options and middleware. Its own code tells nobody the path of a
 * call in the document, which decides how the call may be sent again; and it is several times as long.
 */
export function createApi(ownUrl: string, send: SendCall): Client<paths> {
  let shared: Middleware[] = [];

  async function call(method: string, schemaPath: string, init: Init = {}) {
    const { params = {}, headers, body, baseUrl = ownUrl, fetch = send, parseAs = 'json', ...rest } = init;
    const { querySerializer: query, pathSerializer = defaultPathSerializer, middleware = [] } = rest;
    const querySerializer = typeof query === 'function' ? query : createQuerySerializer(query);
    const bodySerializer = (rest.bodySerializer as typeof jsonText | undefined) ?? jsonText;
    const options = { baseUrl, parseAs, querySerializer, bodySerializer, pathSerializer };
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
    let response: Response | undefined;
    for (const { onRequest } of all) {
      const made = await onRequest?.(told({}));
      if (made instanceof Response) {
        response = made;
        break;
      }
      request = made ?? request;
    }
    all.reverse();
    try {
      response ??= await fetch(request, schemaPath);
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
    use: (...some: Middleware[]) => void shared.push(...some),
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
  if (parseAs === 'stream') return { data: response.body, response };
  const told = await response[parseAs === 'json' ? 'text' : parseAs]();
  const data = parseAs !== 'json' ? told : told === '' ? undefined : JSON.parse(told as string);
  return response.ok ? { data, response } : { error: data, response };
}
