import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectByTls, DEFAULT_CIPHERS, type TLSSocket } from 'node:tls';
import { PlainError } from '@inventory/process/plain-error';
import { AnswerTooLargeError, BoundedConnection } from './bounded-connection.ts';
import { lookUpName, UnknownHostError } from './look-up.ts';
import { AddressRefusedError, hostOf, type LookUp, mayReach, resolveReceiver } from './resolve.ts';
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
  /** By default by the files and name servers of this machine. */
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
const bodyBytesKept = 1024;
// Of everything that a receiver sends.
const bytesMax = 65_536;
const headBytesMax = 16_384;
// Answers such as `100 Continue`, before the one that counts.
const informationMax = 10;

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

async function send(message: Message, options: SendOptions, signal: AbortSignal): Promise<Answer> {
  const { allowPrivate, lookUp = lookUpName } = options;
  const sendBy = performance.now() + sendWithinMs;
  const url = new URL(options.url);
  const isEncrypted = url.protocol === 'https:';
  const host = hostOf(url);
  const addresses = await untilAborted(signal, resolveReceiver(url, { allowPrivate, lookUp, signal }));
  const connection = new BoundedConnection({
    host,
    port: Number(url.port || (isEncrypted ? 443 : 80)),
    addresses,
    mayReach: (address) => mayReach(address, { allowPrivate, isEncrypted }),
    bytesMax,
    signal,
  });
  try {
    await once(connection, 'connect', { signal });
    const stream = isEncrypted ? await encrypt(connection, host, signal) : connection;
    // In a process that was frozen, this comes before the signal.
    if (performance.now() > sendBy) throw new PlainError('too late');
    return await exchange(stream, message, options, signal);
  } catch (error) {
    // Its own failure tells more than that the next step found it closed.
    throw connection.errored ?? error;
  } finally {
    connection.destroy();
  }
}

/** The same work, or a failure as soon as `signal` is aborted, whatever the work does. */
async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const done = new AbortController();
  const aborted = once(signal, 'abort', { signal: done.signal }).then(() => Promise.reject(signal.reason));
  try {
    return (await Promise.race([work, aborted])) as T;
  } finally {
    aborted.catch(() => {});
    done.abort();
  }
}

/** TLS on a connection: the certificate must be for the host, whatever the environment says. */
async function encrypt(connection: Duplex, host: string, signal: AbortSignal): Promise<TLSSocket> {
  const socket = connectByTls({
    socket: connection,
    host,
    ...(isIP(host) === 0 && { servername: host }),
    rejectUnauthorized: true,
    // With the group that a receiver chooses, Diffie-Hellman without curves holds the process for long.
    ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
    ecdhCurve: 'X25519:P-256:P-384:P-521',
  });
  // Also when nobody waits for it any more.
  socket.on('error', () => {});
  await once(socket, 'secureConnect', { signal });
  return socket;
}

/** Sends the request and reads the beginning of its answer. */
function exchange(
  stream: Duplex,
  { messageId, body }: Message,
  { url, secrets, at }: SendOptions,
  signal: AbortSignal,
): Promise<Answer> {
  const { host, pathname, search } = new URL(url);
  const bytes = Buffer.from(body, 'utf8');
  const request = httpRequest({
    method: 'POST',
    path: pathname + search,
    headers: {
      host,
      connection: 'close',
      'content-type': 'application/json',
      'content-length': bytes.length,
      'accept-encoding': 'identity',
      'user-agent': 'inventory-webhooks',
      ...signatureHeaders({ messageId, at, body }, secrets),
    },
    createConnection: () => stream,
    maxHeaderSize: headBytesMax,
    signal,
  });
  const answered = new Promise<Answer>((resolve, reject) => {
    // After the head of the answer, its status counts, whatever happens.
    let isAnswered = false;
    request.on('error', (error) => {
      if (!isAnswered) reject(error);
    });
    // Node ends the request without a word.
    request.once('upgrade', () => reject(new PlainError('the receiver speaks another protocol')));
    let before = 0;
    request.on('information', () => {
      before += 1;
      if (before > informationMax) request.destroy(new AnswerTooLargeError('the receiver does not answer'));
    });
    request.once('response', (response) => {
      isAnswered = true;
      const { statusCode: status = 0, headers } = response;
      readBeginning(response).then((answer) => {
        request.destroy();
        resolve({ status, answer, retryAfter: headers['retry-after'] });
      });
    });
  });
  request.end(bytes);
  return untilAborted(signal, answered);
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
  if (error instanceof UnknownHostError) return 'unknownHost';
  if (/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|ETIMEDOUT)$/.test(code))
    return 'unreachable';
  if (/CERT|TLS|SSL|SIGNED|EPROTO|UNABLE_TO|CRL|CHAIN/.test(code)) return 'tls';
  return 'brokenOff';
}
