import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { networkOf } from './network.ts';

/**
 * The parts of a request that are read here. Node joins repeated X-Forwarded-For lines with commas, in order.
 */
export type AddressedRequest = {
  headers: IncomingHttpHeaders;
  socket: { remoteAddress?: string | undefined };
};

// The longest form of an address with a port. A longer entry is no address and is not parsed.
const charactersMax = 64;

/**
 * Returns the caller's address as limits count it: an IPv4 address, or the /64 of an IPv6 address, within
 * which a caller can pick any address. `proxies`: the number of our proxies in front; each appends its
 * caller's address to X-Forwarded-For. Only those last entries are trusted, because the caller may have
 * written the others. An entry that is missing or no IP address is skipped: the one to its right counts, in
 * the end the address of the connection.
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
