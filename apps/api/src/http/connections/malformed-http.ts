import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { errorText, Refused } from '../errors.ts';
import { jsonHeaders } from '../json-headers.ts';

/** The refusal of a request that did not arrive whole in time. */
export const tooSlow = new Refused(
  { code: 'bad_request', message: 'The request took too long to arrive.' },
  { status: 408, headers: { Connection: 'close' } },
);

const refusals: Record<string, [status: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The header is too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are too large.'],
};
const reasons: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  431: 'Request Header Fields Too Large',
};

/** The refusal for an error of Node's HTTP parser, by the error's code. */
export function refusalOfParser(code: string): Refused {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return tooSlow;
  const [status, message] = refusals[code] ?? [400, 'The request is not well-formed HTTP.'];
  return new Refused({ code: 'bad_request', message }, { status, headers: { Connection: 'close' } });
}

/** Returns a refusal as raw HTTP, for when Node could parse no request to answer. */
export function answerBytes({ status, refusal }: Refused, version: string): string {
  const text = errorText(status, refusal);
  const head = [
    `HTTP/1.1 ${status} ${reasons[status]}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    ...Object.entries(jsonHeaders).map(([name, value]) => `${name}: ${value}`),
    `X-API-Version: ${version}`,
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}

// A path with an optional query, in the characters of a URL only. At any other character, `#` included, Koa's
// URL parser leaves its fast path, and it throws on some targets, such as `//a@[#`.
const target = /^\/[\x21\x22\x24-\x7e]*$/;

const absolute = /^https?:\/\/(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?(?=[/?]|$)/i;

/**
 * Returns the path and query of a target in absolute form (RFC 9112 3.2.2), whatever host it names. Returns
 * any other target unchanged.
 */
export function withoutAuthority(url: string): string {
  const authority = absolute.exec(url)?.[0];
  if (authority === undefined) return url;
  const rest = url.slice(authority.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * Finds what is wrong with a request that Node lets through; null if nothing is. Nothing else of a malformed
 * request may be read.
 */
export function malformationOf(request: IncomingMessage): string | null {
  if (!target.test(request.url ?? '')) {
    return 'The request target must be a path, which begins with / and is percent-encoded.';
  }
  const hosts = countHeader(request, 'host');
  if (hosts === 0 && request.httpVersion === '1.1') return 'The Host header is missing.';
  if (hosts > 1) return 'The Host header must be sent once.';
  // Node takes the first one; a proxy may have taken another.
  if (countHeader(request, 'authorization') > 1) return 'The Authorization header must be sent once.';
  return null;
}

function countHeader({ rawHeaders }: IncomingMessage, wanted: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === wanted.length && name.toLowerCase() === wanted) count += 1;
  }
  return count;
}
