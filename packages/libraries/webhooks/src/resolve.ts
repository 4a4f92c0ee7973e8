import { isIP } from 'node:net';
import { PlainError } from '@inventory/process/plain-error';
import { reachOf } from './addresses.ts';

/** An address that may be connected to. */
export type Address = { address: string; family: number };

/** Finds the addresses of a host. Gives up with `signal`. */
export type LookUp = (host: string, signal: AbortSignal) => Promise<Address[]>;

/** A receiver has an address to which nothing may be sent. */
export class AddressRefusedError extends PlainError {}

/**
 * The addresses of the host of a URL, asked for once. Throws AddressRefusedError if one of them is refused,
 * or private and `allowPrivate` is false, or if the address is public and the URL is not encrypted.
 */
export async function resolveReceiver(
  url: URL,
  { allowPrivate, lookUp, signal }: { allowPrivate: boolean; lookUp: LookUp; signal: AbortSignal },
): Promise<Address[]> {
  const host = hostOf(url);
  const family = isIP(host);
  const addresses = family === 0 ? await lookUp(host, signal) : [{ address: host, family }];
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
