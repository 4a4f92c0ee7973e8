import type { IncomingMessage, ServerResponse } from 'node:http';

// As much is read past for the sake of a connection that goes on.
const passedOverBytesMax = 64 * 1024;

/** Whether the sender of a body waits with it until it is told to go on (RFC 9110 10.1.1). */
function awaitsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion !== '1.0' && headers.expect?.toLowerCase() === '100-continue';
}

/** Tells the sender of a body that waits to be told: now it is read. */
export function askForBody(request: IncomingMessage, response: ServerResponse): void {
  if (awaitsContinue(request)) response.writeContinue();
}

/**
 * Whether more of a request's body than is passed over may still come, or nobody knows whether any will: its
 * connection ends with the answer, and what still comes is dropped unparsed.
 */
export function leavesMuch(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (request.complete || (length === undefined && coding === undefined)) return false;
  return coding !== undefined || Number(length) > passedOverBytesMax || awaitsContinue(request);
}
