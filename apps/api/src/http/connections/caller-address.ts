import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { networkOf } from './network.ts';

/** The parts of a request that are read. Node joins several lines of a header with commas, in their order. */
export type AddressedRequest = {
  headers: IncomingHttpHeaders;
  socket: { remoteAddress?: string | undefined };
};

// The longest form of an address with a port; anything longer is none, and need not be looked at.
const charactersMax = 64;

/**
 * The address a request comes from, as the key that limits go by: an IPv4 address, or the /64 of an IPv6
 * address, within which a caller chooses its address as it likes. `proxies`: how many proxies of ours are
 * before us, each of which adds the address of its caller at the right end of X-Forwarded-For. Only these
 * entries are believed; the caller wrote all that stands to their left. An entry that is no IP address, or is
 * missing, is not used: then it is the nearest one to its right, in the end the address of the connection.
 */
export function callerAddress(request: AddressedRequest, proxies: number): string {
  let caller = addressKey(request.socket.remoteAddress ?? '') ?? 'unknown';
  const header = request.headers['x-forwarded-for'] ?? '';
  const text = Array.isArray(header) ? header.join(',') : header;
  // From the right, so that a long header costs no more than a short one.
  for (let count = 0, end = text.length; count < proxies && end > 0; count++) {
    const start = text.lastIndexOf(',', end - 1);
    caller = addressKey(text.slice(start + 1, end)) ?? caller;
    end = start;
  }
  return caller;
}

/** The key of an address, which may have a port, brackets or a zone; null for anything else. */
function addressKey(entry: string): string | null {
  if (entry.length > charactersMax) return null;
  const text = entry.trim();
  const [, bracketed, beforePort] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/.exec(text) ?? [];
  const [address = ''] = (bracketed ?? beforePort ?? text).split('%');
  const family = isIP(address);
  if (family === 0 || (bracketed !== undefined && family !== 6)) return null;
  const network = networkOf(address);
  return isIP(network) === 4 ? network : `${network}::/64`;
}
