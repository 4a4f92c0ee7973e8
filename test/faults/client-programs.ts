import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { programOf } from '../harness/compiled.ts';
import { type Fault, startHttpFaults } from '../harness/network/http-faults.ts';
import { addCaller } from '../harness/service/caller.ts';
import { endWithThis } from '../harness/service/processes.ts';
import type { Cluster } from './cluster.ts';
import { createRandom, pickOne } from './random.ts';

export type ClientSaid = 'stored' | 'applied' | 'notApplied' | 'unknown';

/** An operation's outcome, as told to a program. `why`: the status and the message of a negative answer. */
export type ClientLine = { reference: string; said: ClientSaid; transactionNo?: number; why?: string };

/**
 * The argument of a program. `name`: the beginning of its references, with a device first. `file`: the queue
 * of a scanner, or the place for the records of a mirror.
 */
export type ClientProgram = {
  role: 'scanner' | 'caller' | 'mirror';
  name: string;
  seed: number;
  file: string;
  /** The most operations that a scanner pushes at once. */
  burstMax: number;
  baseUrl: string;
  clientId: string;
  clientSecret: string;
};

/** The programs, and what they said so far. */
export type ClientPrograms = {
  lines: ClientLine[];
  /** How many operations they stored or called. */
  count(): number;
  killedCount(): number;
  /** How many were refused, because another program had their queue. */
  rivalCount(): number;
  /** How often their disk was full. */
  fullCount(): number;
  /** How many requests met a fault of the network. */
  faultCount(): number;
  /** Programs that ended by themselves, or did not end when they should. */
  problems: string[];
  /** Heals the network and lets the programs finish. Returns the records of the mirror, by kind. */
  finish(): Promise<Record<string, object[]>>;
};

/** A scanner ends with this code if another program has its queue. */
export const rivalExit = 3;

const lifeMaxMs = 12_000;
const diskBytes = 8 * 1024 * 1024;
const finishWithinMs = 120_000;
const spellMaxMs = 3000;
const busy = { refuse: 503, body: '{"statusCode":503,"error":"internal_error","message":"busy"}' };
const limited = { refuse: 429, body: '{"message":"Rate limit"}' };
const faults: readonly Fault[] = [
  ...(['drop', 'lose', 'lose', 'lose', 'cut', { instead: 502 }, { instead: 504 }] as const),
  ...[{ refuse: 503 }, busy, busy, busy, limited, { ...limited, retryAfter: '1' }],
  ...['pass' as const, { delayMs: 500 }, { delayMs: 3000 }],
];

/** The way to any api that is up. */
async function startBadNetwork(cluster: Cluster, random: () => number) {
  let isHealed = false;
  let faultCount = 0;
  // Two faults at a time: a lost answer is often followed by a refusal.
  let spell: { until: number; faults: readonly Fault[] } = { until: 0, faults: [] };
  function target(): URL | null {
    const ports = cluster.apis.map(({ port }) => port).filter((port) => port !== 0);
    return ports.length === 0 ? null : new URL(`http://127.0.0.1:${pickOne(random, ports)}`);
  }
  const { port, close } = await startHttpFaults(target, () => {
    if (isHealed) return 'pass';
    const now = performance.now();
    if (now > spell.until) {
      const isBad = random() < 0.5;
      const some: readonly Fault[] = isBad ? [pickOne(random, faults), pickOne(random, faults)] : ['pass'];
      spell = { until: now + random() * spellMaxMs, faults: some };
    }
    const fault = pickOne(random, spell.faults);
    if (fault !== 'pass') faultCount += 1;
    return fault;
  });
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    close,
    faultCount: () => faultCount,
    heal() {
      isHealed = true;
    },
  };
}

/** `hasRival`: another program is started on the same queue. */
type Program = Omit<ClientProgram, 'seed' | 'baseUrl' | 'burstMax'> & { hasRival?: boolean | undefined };
/**
 * Gives the folder a small disk of its own, and fills it again and again. Without the right to mount one,
 * the disk is never full.
 */
function startFilling(folder: string, random: () => number, isWanted: boolean) {
  const ballast = join(folder, 'ballast');
  const mounting = ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', folder];
  const isSmall = isWanted && spawnSync('mount', mounting, { stdio: 'ignore' }).status === 0;
  let full = 0;
  let running = isSmall;
  const filling = (async () => {
    while (running) {
      await pause(random() * 4000);
      try {
        writeFileSync(ballast, Buffer.alloc(diskBytes));
      } catch {
        full += 1;
      }
      await pause(random() * 1500);
      rmSync(ballast, { force: true });
    }
  })();
  return {
    fullCount: () => full,
    async stop() {
      running = false;
      await filling;
    },
    close() {
      if (isSmall) spawnSync('umount', ['-l', folder]);
    },
  };
}

type Access = Pick<ClientProgram, 'clientId' | 'clientSecret'>;

/** Makes the function that starts a program. `heard` is called with each of its lines. */
function createStart(
  means: Pick<ClientProgram, 'baseUrl' | 'burstMax'> & { random: () => number; problems: string[] },
  heard: (line: ClientLine) => void,
) {
  return (program: Program) => {
    const { baseUrl, burstMax, random, problems } = means;
    const given = { ...program, seed: Math.floor(random() * 2 ** 31), baseUrl, burstMax };
    const file = join(import.meta.dirname, 'client-program.ts');
    const child = endWithThis(
      spawn(process.execPath, [...programOf(file), JSON.stringify(given)], {
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    );
    child.stdin.on('error', () => {});
    createInterface({ input: child.stdout }).on('line', (line) => {
      // The last line of a program that is killed may be half a line.
      if (line.endsWith('}')) heard(JSON.parse(line));
    });
    const closed = once(child, 'close');

    async function untilEnded(due: string | number): Promise<boolean> {
      await closed;
      const end = child.signalCode ?? child.exitCode!;
      const isRival = program.hasRival === true && end === rivalExit;
      if (end !== due && !isRival) problems.push(`${program.name} ended with ${end}`);
      return isRival;
    }

    return {
      /** Kills it. Returns whether it had ended, because another program has its queue. */
      async kill() {
        child.kill('SIGKILL');
        return untilEnded('SIGKILL');
      },
      async finish() {
        const late = setTimeout(() => child.kill('SIGKILL'), finishWithinMs);
        child.stdin.write('finish\n');
        const isRival = await untilEnded(0);
        clearTimeout(late);
        return isRival;
      },
    };
  };
}

/**
 * Starts programs that use the client, on a bad network: scanners with their queues on disk, which are killed
 * again and again, a caller, and a mirror of warehouse 1. `isHarsh`: a second program often starts on the
 * queue of another, and their disk is full again and again.
 */
export async function startClientPrograms(
  cluster: Cluster,
  options: { folder: string; seed: number; scannerCount: number; burstMax: number; isHarsh: boolean },
): Promise<ClientPrograms> {
  const { folder, seed, scannerCount, burstMax, isHarsh } = options;
  const random = createRandom(seed);
  const place = join(folder, 'clients');
  // Of a run that was killed.
  spawnSync('umount', ['-l', place], { stdio: 'ignore' });
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place);
  const disk = startFilling(place, random, isHarsh);
  const lines: ClientLine[] = [];
  const problems: string[] = [];
  const network = await startBadNetwork(cluster, random);
  const { baseUrl } = network;
  const start = createStart({ baseUrl, burstMax, random, problems }, (line) => lines.push(line));
  const ending = new AbortController();
  let killed = 0;
  let rivals = 0;

  async function liveAgainAndAgain(device: string, access: Access): Promise<void> {
    for (let life = 0; ; life++) {
      const program = { role: 'scanner' as const, file: join(place, device), ...access };
      const hasRival = isHarsh && random() < 0.3;
      const names = [`${device}/${life}`, ...(hasRival ? [`${device}/${life}-rival`] : [])];
      const started = names.map((name) => start({ ...program, name, hasRival }));
      await pause(random() * lifeMaxMs, null, { signal: ending.signal }).catch(() => {});
      const isLast = ending.signal.aborted;
      const ended = await Promise.all(started.map((each) => (isLast ? each.finish() : each.kill())));
      const refused = ended.filter((isRival) => isRival).length;
      // Of two that end at once, one may end before the other begins.
      if (refused === names.length || (!isLast && refused > 1))
        problems.push(`${refused} of ${names.join(' and ')} were kept out of their queue`);
      rivals += refused;
      if (isLast) return;
      killed += names.length - refused;
    }
  }

  const accessOf = async (clientId: string, warehouses: number) => ({
    clientId,
    clientSecret: await addCaller(cluster.sql, clientId, warehouses),
  });
  const all = await accessOf('clients', 2);
  const one = await accessOf('clients-1', 1);
  const devices = Array.from({ length: scannerCount }, (_, index) => `scanner-${index}`);
  const accesses = await Promise.all(devices.map((device) => accessOf(device, 2)));
  const scanners = accesses.map((access) => liveAgainAndAgain(access.clientId, access));
  const caller = start({ role: 'caller', name: 'caller', file: '', ...all });
  // Not on the small disk.
  const records = join(folder, 'mirror.json');
  const mirror = start({ role: 'mirror', name: 'mirror', file: records, ...one });

  return {
    lines,
    count: () => new Set(lines.map(({ reference }) => reference)).size,
    killedCount: () => killed,
    rivalCount: () => rivals,
    fullCount: disk.fullCount,
    faultCount: network.faultCount,
    problems,
    async finish() {
      network.heal();
      await disk.stop();
      ending.abort();
      await Promise.all([...scanners, caller.finish()]);
      await mirror.finish();
      network.close();
      disk.close();
      return JSON.parse(readFileSync(records, 'utf8'));
    },
  };
}
