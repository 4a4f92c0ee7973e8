import { setTimeout } from 'node:timers/promises';
import { messages } from '@inventory/api/http/errors';
import { expectDocumented } from '../contract/expect-documented.ts';
import { parseJson } from '../network/raw-connection.ts';

/** An answer, read whole. `body` is parsed JSON if the text is JSON; `text` keeps the digits as they came. */
// biome-ignore lint/suspicious/noExplicitAny: a test compares a body with what it expects.
export type ApiAnswer<Body = any> = { status: number; headers: Headers; text: string; body: Body };

export type ApiClient = {
  clientId: string;
  token: string;
  get(path: string): Promise<ApiAnswer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
  put(path: string, body: unknown): Promise<ApiAnswer>;
  delete(path: string): Promise<ApiAnswer>;
  /** Any request, with the token. A string as body is sent as it is. */
  send(
    method: string,
    path: string,
    options?: { headers?: Record<string, string>; body?: unknown },
  ): Promise<ApiAnswer>;
};

/**
 * Sends one request below the base path and reads the whole answer, which must be in the OpenAPI document.
 */
export async function send(
  baseUrl: string,
  method: string,
  path: string,
  options: { headers?: Record<string, string>; body?: unknown } = {},
): Promise<ApiAnswer> {
  const { body } = options;
  const json: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const response = await fetch(baseUrl + path, {
    method,
    headers: { ...json, ...options.headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer = { status: response.status, headers: response.headers, text, body: parseJson(text) };
  await expectDocumented(baseUrl, method, path, answer);
  return answer;
}

/** Asks for a token with the credentials in the form, however long a busy machine takes. */
export function askToken(...asked: Parameters<typeof askTokenOnce>): Promise<ApiAnswer> {
  return untilAnswered(() => askTokenOnce(...asked));
}

/** The same, but a 503 is returned as well. */
export function askTokenOnce(
  baseUrl: string,
  { clientId, secret }: { clientId: string; secret: string },
  headers: Record<string, string> = {},
): Promise<ApiAnswer> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
  return send(baseUrl, 'POST', '/Token', {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  });
}

/** The first answer other than 503, which a busy machine gives. */
export async function untilAnswered<Answer extends { status: number }>(
  ask: () => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
  }
}

/** A token for these credentials. */
export async function takeToken(
  baseUrl: string,
  credentials: { clientId: string; secret: string },
): Promise<string> {
  const { status, text, body } = await askToken(baseUrl, credentials);
  if (status !== 200) throw new Error(`no token: ${text}`);
  return body.access_token;
}

// A machine may be busy with other things for this long before the test takes it for an error.
const busyMaxMs = 180_000;
const againAfterMs = 50;
const busyMessages: ReadonlySet<string> = new Set([
  messages.unavailable,
  messages.unreachable,
  messages.partly,
]);

/**
 * A client that sends its token with every request. A request refused as busy, or because a database did not
 * answer in time, is sent again, as the answer asks: nothing was applied, and most tests are about something
 * else. `isPatient: false` returns such answers.
 */
export function createApiClient(
  baseUrl: string,
  clientId: string,
  token: string,
  { isPatient }: { isPatient: boolean } = { isPatient: true },
): ApiClient {
  const call: ApiClient['send'] = async (method, path, options = {}) => {
    const headers = { Authorization: `Bearer ${token}`, ...options.headers };
    for (const begunAt = performance.now(); ; await setTimeout(againAfterMs)) {
      const answer = await send(baseUrl, method, path, { ...options, headers });
      const isBusy = answer.status === 503 && busyMessages.has(answer.body?.message);
      if (!isBusy || !isPatient || performance.now() - begunAt > busyMaxMs) return answer;
    }
  };
  return {
    clientId,
    token,
    get: (path) => call('GET', path),
    post: (path, body, headers) =>
      call('POST', path, { body, ...(headers === undefined ? {} : { headers }) }),
    put: (path, body) => call('PUT', path, { body }),
    delete: (path) => call('DELETE', path),
    send: call,
  };
}
