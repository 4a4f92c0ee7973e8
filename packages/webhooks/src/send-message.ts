import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import {
  AddressRefusedError,
  hostOf,
  type LookUp,
  lookUpBySystem,
  mayReach,
  resolveReceiver,
} from './resolve.ts';
import { retryAfterMs } from './retries.ts';
import { signatureHeaders } from './sign.ts';

export type Message = { messageId: string; body: string };

export type SendOptions = {
  url: string;
  allowPrivate: boolean;
  /** The current one first; at least one. */
  secrets: readonly Uint8Array[];
  /** Milliseconds since 1970. */
  at: number;
  /** By default the system's. */
  lookUp?: LookUp;
  /** Gives the attempt up early. */
  signal?: AbortSignal;
};

/**
 * The result of an attempt. `outcome`: the status of the answer, or a word for what went wrong before one
 * came. `answer`: the beginning of its body, or the code of the error.
 */
export type Sent = {
  outcome: string;
  arrived: boolean;
  answer: string;
  tookMs: number;
  /** The receiver asks not to be tried again before. */
  retryAfterMs: number | null;
};

/** For everything: look-up, connection, sending and the answer. */
export const sendWithinMs = 15_000;
// The status decides, so nobody waits long for the rest of the answer.
const bodyWithinMs = 2000;
const bodyBytesMax = 65_536;
const bodyBytesKept = 1024;

/**
 * Sends a message once, to an address that was checked, without redirects and without a proxy. Never throws:
 * whatever happens is the outcome.
 */
export async function sendMessage(message: Message, options: SendOptions): Promise<Sent> {
  const startedAt = performance.now();
  const limit = AbortSignal.timeout(sendWithinMs);
  const signal = options.signal === undefined ? limit : AbortSignal.any([limit, options.signal]);
  const took = () => Math.round(performance.now() - startedAt);
  try {
    const { status, answer, retryAfter } = await send(message, options, signal);
    return {
      outcome: String(status),
      arrived: status >= 200 && status < 300,
      answer,
      tookMs: took(),
      retryAfterMs: retryAfterMs(retryAfter, options.at),
    };
  } catch (error) {
    const outcome = limit.aborted ? 'timeout' : outcomeOf(error);
    return { outcome, arrived: false, answer: codeOf(error), tookMs: took(), retryAfterMs: null };
  }
}

type Answer = { status: number; answer: string; retryAfter: string | undefined };

/** A look-up cannot be ended, so it is left alone when the time is over. */
async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function send(
  { messageId, body }: Message,
  options: SendOptions,
  signal: AbortSignal,
): Promise<Answer> {
  const { secrets, allowPrivate, at, lookUp = lookUpBySystem } = options;
  const url = new URL(options.url);
  const isEncrypted = url.protocol === 'https:';
  const addresses = await unlessAborted(signal, resolveReceiver(url, { allowPrivate, lookUp }));
  const bytes = Buffer.from(body, 'utf8');
  const host = hostOf(url);
  const request = (isEncrypted ? httpsRequest : httpRequest)({
    method: 'POST',
    host,
    port: url.port === '' ? undefined : Number(url.port),
    path: url.pathname + url.search,
    headers: {
      'content-type': 'application/json',
      'content-length': bytes.length,
      'accept-encoding': 'identity',
      'user-agent': 'inventory-webhooks',
      ...signatureHeaders({ messageId, at, body }, secrets),
    },
    // A connection of its own.
    agent: false,
    // The addresses that were checked. The name is never looked up again.
    lookup: (_host, { all }, done) => {
      if (all) done(null, addresses);
      else done(null, addresses[0]!.address, addresses[0]!.family);
    },
    // Whatever the environment says.
    ...(isEncrypted && { rejectUnauthorized: true, ...(isIP(host) === 0 && { servername: host }) }),
    signal,
  });
  const onConnect = (socket: Socket) => {
    if (mayReach(socket.remoteAddress ?? '', { allowPrivate, isEncrypted })) request.end(bytes);
    else request.destroy(new AddressRefusedError('the address is refused'));
  };
  request.once('socket', (socket) =>
    socket.once(isEncrypted ? 'secureConnect' : 'connect', () => onConnect(socket)),
  );
  return readAnswer(request);
}

function readAnswer(request: ClientRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // Also after the answer, whose status then counts.
    request.on('error', reject);
    request.once('response', (response) => {
      const { statusCode: status = 0, headers } = response;
      readBeginning(response).then((answer) => {
        request.destroy();
        resolve({ status, answer, retryAfter: headers['retry-after'] });
      });
    });
  });
}

/** The beginning of a body, as text for people. Ends early when the body is large or slow, or breaks off. */
function readBeginning(response: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const end = () => {
      clearTimeout(timer);
      const kept = Buffer.concat(chunks).subarray(0, bodyBytesKept);
      // Postgres stores no NUL.
      resolve(kept.toString('utf8').replaceAll('\u0000', ''));
    };
    const timer = setTimeout(end, bodyWithinMs);
    response.on('data', (chunk: Buffer) => {
      if (length < bodyBytesKept) chunks.push(chunk);
      length += chunk.length;
      if (length >= bodyBytesMax) end();
    });
    for (const event of ['end', 'close', 'error']) response.on(event, end);
  });
}

/** The code of an error, such as ECONNREFUSED; never a text that contains the address. */
function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: { code?: unknown }[] };
  const found = code ?? errors?.[0]?.code;
  return typeof found === 'string' && /^[A-Z_0-9]{1,60}$/.test(found) ? found : '';
}

function outcomeOf(error: unknown): string {
  if (error instanceof AddressRefusedError) return 'addressRefused';
  const code = codeOf(error);
  if (/^(?:ENOTFOUND|EAI_|ENODATA|ESERVFAIL)/.test(code)) return 'unknownHost';
  if (/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|ETIMEDOUT)$/.test(code))
    return 'unreachable';
  if (/CERT|TLS|SSL|SIGNED|EPROTO|UNABLE_TO|CRL|CHAIN/.test(code)) return 'tls';
  return 'brokenOff';
}
