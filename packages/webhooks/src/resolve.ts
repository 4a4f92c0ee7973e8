import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { PlainError } from '@inventory/process/plain-error';
import { reachOf } from './addresses.ts';

/** An address that may be connected to. */
export type Address = { address: string; family: number };

/** Finds all addresses of a host. */
export type LookUp = (host: string) => Promise<Address[]>;

/** A receiver has an address to which nothing may be sent. */
export class AddressRefusedError extends PlainError {}

// A look-up occupies one of the four threads of the process, for as long as the name servers take. Others
// are needed to connect to Postgres and Redis again.
const lookUpsAtOnce = 2;
let underWay = 0;
const waiting: (() => void)[] = [];

/** Asks the system, as every other program does, but few names at a time. */
export const lookUpBySystem: LookUp = async (host) => {
  if (underWay >= lookUpsAtOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  else underWay += 1;
  try {
    return await lookup(host, { all: true });
  } finally {
    const next = waiting.shift();
    if (next === undefined) underWay -= 1;
    else next();
  }
};

/**
 * The addresses of the host of a URL, asked for once. Throws AddressRefusedError if one of them is refused,
 * or private and `allowPrivate` is false, or if the address is public and the URL is not encrypted.
 */
export async function resolveReceiver(
  url: URL,
  { allowPrivate, lookUp }: { allowPrivate: boolean; lookUp: LookUp },
): Promise<Address[]> {
  const host = hostOf(url);
  const family = isIP(host);
  const addresses = family === 0 ? await lookUp(host) : [{ address: host, family }];
  for (const { address } of addresses) {
    if (!mayReach(address, { allowPrivate, isEncrypted: url.protocol === 'https:' }))
      throw new AddressRefusedError('the address is refused');
  }
  return addresses;
}

/** Whether an address may be connected to. */
export function mayReach(
  address: string,
  { allowPrivate, isEncrypted }: { allowPrivate: boolean; isEncrypted: boolean },
): boolean {
  const reach = reachOf(address);
  return reach === 'private' ? allowPrivate : reach === 'public' && isEncrypted;
}

/** The host of a URL, without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}
