import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { errorText } from './errors.ts';

const answers: Record<string, [status: number, reason: string, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'The header is too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Payload Too Large', 'The chunk extensions are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request took too long to arrive.'],
};
const malformed = [400, 'Bad Request', 'The request is not well-formed HTTP.'] as const;

/** Answers what Node refuses before the app sees it as the app would: with the error object. */
export function answerMalformed(server: Server, version: string): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Nobody is there any more, or an answer is under way whose bytes this one would tear apart.
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket as Socket)) {
      socket.destroy();
      return;
    }
    const [status, reason, message] = answers[error.code ?? ''] ?? malformed;
    const text = errorText(status, { code: 'bad_request', message });
    const head = [
      `HTTP/1.1 ${status} ${reason}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(text)}`,
      `X-API-Version: ${version}`,
      `X-Request-Id: ${randomUUID()}`,
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
  });
  // An expectation that is none of HTTP's is ignored, as it may be; Node would answer 417 without a body.
  const [handle] = server.listeners('request') as RequestListener[];
  if (handle !== undefined) server.on('checkExpectation', handle);
}

/** Whether an answer's first bytes have gone out on a connection. */
function isAnswering(socket: Socket & { _httpMessage?: { headersSent?: boolean } | null }): boolean {
  return socket._httpMessage?.headersSent === true;
}

/** Whether a request lacks the Host that HTTP/1.1 demands. Node's own answer to it has no body. */
export function lacksHost(request: IncomingMessage): boolean {
  return request.httpVersion === '1.1' && request.headers.host === undefined;
}
