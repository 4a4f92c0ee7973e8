import type { Client } from 'openapi-fetch';
import type { paths } from '../api/schema.ts';
import { createApi } from './api.ts';
import type { Answer } from './attempt.ts';
import { formOf, keyHeader, markOf } from './call-form.ts';
import { codeOf } from './outcome.ts';
import { type Persistence, persist, type Sent } from './persist.ts';
import { readBody } from './quantities.ts';
import { keepToken, type TokenAnswer } from './token.ts';

export type TransportOptions = {
  /** The address of the service, with `/api/v1`. */
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  /** Quantities come out as decimal texts, digit for digit, instead of numbers. */
  exact?: boolean | undefined;
  /** For a call with all its tries; 30,000 by default. */
  timeoutMs?: number | undefined;
  /** Instead of the global one. */
  fetch?: typeof fetch | undefined;
};

/** How one call is sent. */
export type How = {
  signal?: AbortSignal | undefined;
  idempotencyKey?: string | undefined;
  isPatient?: boolean | undefined;
  /** Instead of what the request looks like. */
  isResend?: boolean;
  /** See `Persistence`. */
  mark?: string | undefined;
  /** Instead of that of the client. */
  timeoutMs?: number | undefined;
  /** How long the service may wait before it answers, beyond its usual time. */
  waitMs?: number | undefined;
};

export type Transport = {
  /** Every call of the document, with token, retries and errors. */
  api: Client<paths>;
  /** One call of the document. The caller names the type of its answer. */
  call<Body>(
    method: string,
    path: keyof paths,
    init: object,
    how: How,
  ): Promise<{ body: Body; headers: Headers }>;
};

export const timeoutDefaultMs = 30_000;
// The service answers within 12 s, whatever it has to do.
const attemptMaxMs = 13_000;

/** Opens the way to the service. Nothing is sent before the first call. */
export function openTransport(options: TransportOptions): Transport {
  refuseMissing(options);
  const { clientId, clientSecret, exact: isExact = false, timeoutMs = timeoutDefaultMs } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  // Called without an object, as browsers ask.
  const givenFetch = options.fetch ?? ((...call: Parameters<typeof fetch>) => globalThis.fetch(...call));
  const times = { timeoutMs, attemptMs: Math.min(attemptMaxMs, timeoutMs) };

  async function ask(url: string, init: RequestInit, sent: Sent): Promise<Answer> {
    sent.anything = true;
    // The service never redirects, and whatever does must not be sent a secret.
    const response = await givenFetch(url, { ...init, redirect: 'manual' });
    const { status, headers } = response;
    const text = await response.text();
    // The head alone says nothing of a body.
    return { status, headers, text, body: init.method === 'HEAD' ? {} : readBody(text, isExact) };
  }

  const tokens = keepToken(async () => {
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    const { body } = await persist(
      (signal, sent) =>
        ask(`${baseUrl}/Token`, { method: 'POST', body: new URLSearchParams(form), signal }, sent),
      { ...times, kind: 'read', mark: markOf('/Token'), isForToken: true },
    );
    return body as TokenAnswer;
  });

  async function send(request: Request, { waitMs = 0, ...how }: How = {}): Promise<Answer> {
    const { url, method } = request;
    const [path = ''] = url.replace(baseUrl, '').split('?');
    const body = await request.text();
    const headers = new Headers(request.headers);
    const persistence: Persistence = {
      ...{ ...formOf(request, path, headers, body), mark: method === 'HEAD' ? undefined : markOf(path) },
      ...how,
      timeoutMs: (how.timeoutMs ?? times.timeoutMs) + waitMs,
      attemptMs: times.attemptMs + waitMs,
      signal: how.signal ?? request.signal,
    };
    return persist(async (signal, sent) => {
      const askWith = (token: string) => {
        headers.set('Authorization', `Bearer ${token}`);
        return ask(url, { method, headers, body: body || null, signal }, sent);
      };
      const token = await tokens.get();
      const first = await askWith(token);
      if (first.status !== 401) return first;
      // A proxy may have refused what the service had applied.
      const isForeign = codeOf(first) === null;
      sent.isUnsure ||= isForeign;
      const next = await tokens.renew(token);
      return isForeign && persistence.kind === 'once' ? first : askWith(next);
    }, persistence);
  }

  const responseOf = ({ text, ...head }: Answer) => new Response(text || null, head);
  const api = createApi(baseUrl, async (request) => responseOf(await send(request)));

  return {
    api,
    async call<Body>(method: string, path: keyof paths, init: object, how: How) {
      let own: { answer: Answer; response: Response } | undefined;
      const fetch = async (request: Request) => {
        const answer = await send(request, how);
        own = { answer, response: responseOf(answer) };
        return own.response;
      };
      const headers = { [keyHeader]: how.idempotencyKey };
      // It is read already, unless middleware has put another answer in its place.
      const options = { ...init, headers, fetch, parseAs: 'stream' };
      const { response } = await api.request(method as never, path as never, options as never);
      const isOwn = response === own?.response || !response.ok;
      const body = isOwn ? own?.answer.body : readBody(await response.text(), isExact);
      return { body: body as Body, headers: response.headers };
    },
  };
}

/** A setting that is missing would be told much later, and by the service: as a wrong secret. */
function refuseMissing(options: Partial<TransportOptions> = {}): void {
  const missing = (['baseUrl', 'clientId', 'clientSecret'] as const).filter(
    (name) => typeof options[name] !== 'string' || options[name].trim() === '',
  );
  if (missing.length > 0)
    throw new TypeError(`InventoryClient: ${missing.join(', ')} missing or empty; each is a text.`);
}
