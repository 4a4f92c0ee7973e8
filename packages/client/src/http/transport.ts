import createClient, { type Client } from 'openapi-fetch';
import type { paths } from '../api/schema.ts';
import type { Answer } from './attempt.ts';
import type { CallKind } from './outcome.ts';
import { type Persistence, persist, type Sent } from './persist.ts';
import { jsonText, parseJson } from './quantities.ts';
import { keepToken } from './token.ts';

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
  /** Instead of what the request looks like. */
  kind?: CallKind | undefined;
  isPatient?: boolean | undefined;
  isResend?: boolean | undefined;
  /** Instead of that of the client. */
  timeoutMs?: number | undefined;
  /** How long the service may wait before it answers, beyond its usual time. */
  waitMs?: number | undefined;
};

export type Transport = {
  /** Every call of the document, with token, retries and errors. */
  api: Client<paths>;
  /** The options of a call of `api` whose answer is read with `read`. */
  how(how: How): { parseAs: 'text'; headers: Record<string, string>; fetch: typeof fetch };
  /** The answer of such a call. The caller names its type. */
  read<Body>(
    call: Promise<{ data?: unknown; response: Response }>,
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
  const times = { timeoutMs, attemptMs: Math.min(attemptMaxMs, timeoutMs), isExact };

  async function ask(url: string, init: RequestInit, sent: Sent): Promise<Answer> {
    sent.anything = true;
    // The service never redirects, and whatever does must not be sent a secret.
    const response = await givenFetch(url, { ...init, redirect: 'manual' });
    // The head alone says nothing of a body.
    const text = init.method === 'HEAD' ? '{}' : await response.text();
    return { status: response.status, headers: response.headers, text };
  }

  const tokens = keepToken(async () => {
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    const { text } = await persist(
      (signal, sent) =>
        ask(`${baseUrl}/Token`, { method: 'POST', body: new URLSearchParams(form), signal }, sent),
      { ...times, kind: 'read', isForToken: true },
    );
    return JSON.parse(text);
  });

  async function send(request: Request, { waitMs = 0, ...how }: How = {}): Promise<Response> {
    const { url, method } = request;
    const isRead = method === 'GET' || method === 'HEAD';
    const body = isRead ? null : (await request.text()) || null;
    const headers = new Headers(request.headers);
    const persistence: Persistence = {
      ...how,
      kind: how.kind ?? (isRead ? 'read' : headers.has('Idempotency-Key') ? 'keyed' : 'unkeyed'),
      timeoutMs: (how.timeoutMs ?? times.timeoutMs) + waitMs,
      attemptMs: times.attemptMs + waitMs,
      ...{ isExact, signal: how.signal ?? request.signal },
    };
    const answer = await persist(async (signal, sent) => {
      const askWith = (token: string) => {
        headers.set('Authorization', `Bearer ${token}`);
        return ask(url, { method, headers, body, signal }, sent);
      };
      const token = await tokens.get();
      const first = await askWith(token);
      return first.status === 401 ? askWith(await tokens.renew(token)) : first;
    }, persistence);
    return new Response(answer.text || null, { status: answer.status, headers: answer.headers });
  }

  const api = createClient<paths>({
    baseUrl,
    fetch: send as typeof fetch,
    headers: { Accept: 'application/json', Prefer: 'handling=strict' },
    bodySerializer: (body) => jsonText(body),
  });

  return {
    api,
    how: (how) => ({
      parseAs: 'text',
      headers: how.idempotencyKey === undefined ? {} : { 'Idempotency-Key': how.idempotencyKey },
      fetch: ((request: Request) => send(request, how)) as typeof fetch,
    }),
    async read<Body>(call: Promise<{ data?: unknown; response: Response }>) {
      const { data, response } = await call;
      return { body: parseJson(data as string, isExact) as Body, headers: response.headers };
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
