import type { IncomingMessage, ServerResponse } from 'node:http';

// Up to this much of an unwanted body is read and dropped, so that its connection can be reused.
const passedOverBytesMax = 64 * 1024;

/** Whether the sender holds the body back until it gets 100 Continue (RFC 9110 10.1.1). */
function awaitsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion !== '1.0' && headers.expect?.toLowerCase() === '100-continue';
}

/** Sends 100 Continue if the sender waits for it. */
export function askForBody(request: IncomingMessage, response: ServerResponse): void {
  if (awaitsContinue(request)) response.writeContinue();
}

/**
 * Whether more of a body may still come than is worth reading, or an unknown amount. Its connection then ends
 * with the answer, and the rest is dropped unparsed.
 */
export function leavesMuch(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (request.complete || (length === undefined && coding === undefined)) return false;
  return coding !== undefined || Number(length) > passedOverBytesMax || awaitsContinue(request);
}
