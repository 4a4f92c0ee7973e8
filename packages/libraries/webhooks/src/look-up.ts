import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { PlainError } from '@inventory/process/plain-error';
import type { Address, LookUp } from './resolve.ts';

/** A name has no address, or its name servers do not say. */
export class UnknownHostError extends PlainError {
  readonly code: string;

  constructor(code: string) {
    super('the name of the receiver has no address');
    this.code = code;
  }
}

// Of each question, which is asked twice. With all of them, an attempt is over.
const questionWithinMs = 2500;
// A name has few. Connecting tries no more.
const addressesMax = 16;

/**
 * Finds the addresses of a name: in the file of hosts, or else by the name servers of this machine, with its
 * search domains. Not by `getaddrinfo`, as other programs do: that occupies one of the four threads of the
 * process for as long as a name server likes, and cannot be ended (docs/decisions/0037).
 */
export const lookUpName: LookUp = async (host, signal) => {
  const name = host.toLowerCase().replace(/\.$/, '');
  const written = addressesIn(await textOf('/etc/hosts'), name);
  if (written.length > 0) return written;
  if (isLocalName(name)) return ['127.0.0.1', '::1'].map(toAddress);
  const resolver = new Resolver({ timeout: questionWithinMs, tries: 2 });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel);
  try {
    let failure = new UnknownHostError('ENOTFOUND');
    for (const candidate of namesToAsk(host, await textOf('/etc/resolv.conf'))) {
      signal.throwIfAborted();
      const found = await ask(resolver, candidate);
      if (Array.isArray(found)) return found.slice(0, addressesMax);
      failure = found;
      if (!/^(?:ENOTFOUND|ENODATA|ESERVFAIL)$/.test(failure.code)) break;
    }
    throw failure;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};

/** Whether a name means this machine, whatever a name server says (RFC 6761). */
export function isLocalName(name: string): boolean {
  return /^(?:.*\.)?localhost\.?$/i.test(name);
}

/** The addresses of a name, or why there are none. */
async function ask(resolver: Resolver, name: string): Promise<Address[] | UnknownHostError> {
  const answers = await Promise.allSettled([resolver.resolve6(name), resolver.resolve4(name)]);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length > 0) return found.map(toAddress);
  const codes = answers.map((answer) => (answer.status === 'rejected' ? String(answer.reason.code) : ''));
  // The worse one of the two: a name that does not exist is nobody's fault.
  const code = codes.find((each) => !/^(?:ENOTFOUND|ENODATA)$/.test(each)) ?? codes[0]!;
  return new UnknownHostError(code);
}

function toAddress(address: string): Address {
  return { address, family: isIP(address) };
}

/** A file that may not be there. */
function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

/** The addresses that a file of hosts has for a name in lower case. */
export function addressesIn(hosts: string, name: string): Address[] {
  const addresses = new Set<string>();
  for (const line of hosts.split('\n')) {
    const [address, ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    if (names.includes(name) && isIP(address!) !== 0) addresses.add(address!);
  }
  return [...addresses].map(toAddress);
}

/** The names to ask for, in order: as resolv.conf(5) says. */
export function namesToAsk(host: string, settings: string): string[] {
  if (host.endsWith('.')) return [host.slice(0, -1)];
  let [search, dotsWanted]: [string[], number] = [[], 1];
  for (const line of settings.split('\n')) {
    const [key, ...values] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/);
    if (key === 'search' || key === 'domain') search = values;
    if (key === 'options') dotsWanted = Number(/\bndots:(\d+)/.exec(values.join(' '))?.[1] ?? dotsWanted);
  }
  const searched = search.filter((domain) => domain !== '.').map((domain) => `${host}.${domain}`);
  return host.split('.').length > dotsWanted ? [host, ...searched] : [...searched, host];
}
