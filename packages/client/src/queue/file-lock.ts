import type { Server } from 'node:net';
import { newKey } from '../http/new-key.ts';
import { pause } from '../http/pauses.ts';
import { builtin } from './node.ts';

// Two that begin at once both step back, and begin again at other moments.
const triesMax = 12;
const pauseMaxPerTryMs = 50;
// The addresses of sockets are short: 107 bytes with Linux, 103 with macOS.
const addressBytesMax = 100;
// The types by which `statfs` names NFS, SMB (three of them), 9P, FUSE, Ceph, AFS, OCFS2 and GFS2.
const networks = [
  ...[0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997],
  ...[0x65735546, 0x00c36400, 0x5346414f, 0x7461636f, 0x01161970],
];

const held = new Set<string>();

/**
 * Takes a file for this program alone. Returns the function that gives it back.
 *
 * A program says that it is there by a socket beside the file, and then looks for others: of two, the later
 * one sees the earlier one, and steps back. A socket ends with its program, however that ends, and is heard
 * from every container of the machine. Each has a name of its own, so nobody removes what another has.
 */
export async function lockFile(place: string): Promise<() => Promise<void>> {
  if (held.has(place)) throw new Error(`${place} is open in this program already`);
  held.add(place);
  try {
    const leave = await becomeOnlyOne(place);
    return () => leave().finally(() => held.delete(place));
  } catch (error) {
    held.delete(place);
    throw error;
  }
}

async function becomeOnlyOne(place: string): Promise<() => Promise<void>> {
  const before = `${builtin('node:path').basename(place)}.lock-`;
  const folder = builtin('node:path').dirname(place);
  const machine = await nameOfMachine();
  for (let tries = 1; ; tries++) {
    // A new one each time: somebody may be about to remove the last one.
    const own = `${before}${machine}-${newKey().slice(0, 16)}`;
    let leave = async () => {};
    let why: unknown;
    try {
      leave = await announce(folder, own);
      const others = await findOthers(folder, before, own, machine);
      if (others.length === 0) return leave;
      why = new Error(`another program uses this queue; ${folder}/${others[0]} says so`);
    } catch (error) {
      why = error;
    }
    await leave();
    if (tries === triesMax) throw why;
    await pause(Math.random() * pauseMaxPerTryMs * tries);
  }
}

/** Says that this program is there. Returns how to leave. */
async function announce(folder: string, name: string): Promise<() => Promise<void>> {
  const fs = builtin('node:fs/promises');
  const shown = `${folder}/${name}`;
  const server = await (isWindows() ? listen(pipeOf(name)) : withAddress(folder, `${name}~`, listen));
  try {
    // It is shown only once it listens, so one that does not answer has ended.
    if (isWindows()) await fs.writeFile(shown, '');
    else await fs.rename(`${shown}~`, shown);
  } catch (error) {
    server.close();
    throw error;
  }
  return async () => {
    await new Promise((resolve) => server.close(resolve));
    await fs.rm(shown, { force: true });
  };
}

/** The names of others that are there. Removes what programs that have ended left. */
async function findOthers(folder: string, before: string, own: string, machine: string): Promise<string[]> {
  const fs = builtin('node:fs/promises');
  const found: string[] = [];
  for (const name of await fs.readdir(folder)) {
    if (!name.startsWith(before)) continue;
    const isHere = name.startsWith(`${before}${machine}-`);
    if (await hasEnded(folder, name, isHere)) await fs.rm(`${folder}/${name}`, { force: true });
    // Others with `~` have yet to look around.
    else if (!name.endsWith('~')) found.push(name);
  }
  if (!found.includes(own)) throw new Error(`no lock holds in ${folder}: use another folder for the queue`);
  return found.filter((name) => name !== own);
}

/** Whether the program with this socket has ended. In doubt it has not. */
async function hasEnded(folder: string, name: string, isHere: boolean): Promise<boolean> {
  const code = isWindows() ? await call(pipeOf(name)) : await withAddress(folder, name, call);
  if (code !== 'ENOENT' && code !== 'ECONNREFUSED') return false;
  // A program on another machine is not heard from here. A folder that other machines do not have tells of an
  // earlier start of this one.
  return isHere || !(await isShared(folder));
}

/** Listens for calls, as long as the program runs. It does not keep the program running. */
function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = builtin('node:net').createServer((socket) => socket.destroy());
    server.once('error', reject);
    // Programs of other users have to hear it, too.
    server.listen({ path, readableAll: true, writableAll: true }, () => resolve(server.unref()));
  });
}

/** Calls a socket. Returns null if it is heard, or the code of the error. */
function call(path: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = builtin('node:net').connect({ path });
    socket.once('error', ({ code }: { code?: string }) => resolve(code ?? ''));
    socket.once('connect', () => {
      socket.destroy();
      resolve(null);
    });
  });
}

/** Uses the address of a socket in a folder, also where its path would be too long for one. */
async function withAddress<Result>(
  folder: string,
  name: string,
  use: (address: string) => Promise<Result>,
): Promise<Result> {
  const path = `${folder}/${name}`;
  if (new TextEncoder().encode(path).length <= addressBytesMax || process.platform !== 'linux')
    return use(path);
  const opened = await builtin('node:fs/promises').open(folder, 'r');
  try {
    return await use(`/proc/self/fd/${opened.fd}/${name}`);
  } finally {
    await opened.close();
  }
}

const isWindows = () => process.platform === 'win32';
// Windows has its sockets apart from its files; a file of this name says that there is one.
const pipeOf = (name: string) => `\\\\.\\pipe\\inventory-${name}`;

/** Of this machine since its start, the same in all of its containers; elsewhere of the machine. */
async function nameOfMachine(): Promise<string> {
  const start = await builtin('node:fs/promises')
    .readFile('/proc/sys/kernel/random/boot_id', 'utf8')
    // A digest, because the names of machines may differ only at their ends.
    .catch(() =>
      builtin('node:crypto').createHash('sha256').update(builtin('node:os').hostname()).digest('hex'),
    );
  return start.slice(0, 8);
}

/** Whether other machines may have this folder, too. */
async function isShared(folder: string): Promise<boolean> {
  if (isWindows()) return folder.startsWith('\\\\');
  const told = await builtin('node:fs/promises').statfs?.(folder);
  return networks.includes(told?.type);
}
