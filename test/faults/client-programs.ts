import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { programOf } from '../harness/compiled.ts';
import { type Fault, startHttpFaults } from '../harness/network/http-faults.ts';
import { addCaller } from '../harness/service/caller.ts';
import type { Cluster } from './cluster.ts';
import { createRandom, pickOne } from './random.ts';

export type ClientSaid = 'stored' | 'applied' | 'notApplied' | 'unknown';

/** What a program was told of an operation. `why`: the status and the message of an answer that was no. */
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
  /** How many requests met a fault of the network. */
  faultCount(): number;
  /** Programs that ended by themselves, or did not end when they should. */
  problems: string[];
  /** Heals the network and lets the programs finish. Returns the records of the mirror, by kind. */
  finish(): Promise<Record<string, object[]>>;
};

const lifeMaxMs = 12_000;
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

type Program = Omit<ClientProgram, 'seed' | 'baseUrl' | 'burstMax'>;
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
    const child = spawn(process.execPath, [...programOf(file), JSON.stringify(given)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.on('error', () => {});
    createInterface({ input: child.stdout }).on('line', (line) => {
      // The last line of a program that is killed may be half a line.
      if (line.endsWith('}')) heard(JSON.parse(line));
    });
    const closed = once(child, 'close');

    async function untilEnded(due: string | number): Promise<void> {
      await closed;
      const end = child.signalCode ?? child.exitCode!;
      if (end !== due) problems.push(`${program.name} ended with ${end}`);
    }

    return {
      async kill() {
        child.kill('SIGKILL');
        await untilEnded('SIGKILL');
      },
      async finish() {
        const late = setTimeout(() => child.kill('SIGKILL'), finishWithinMs);
        child.stdin.write('finish\n');
        await untilEnded(0);
        clearTimeout(late);
      },
    };
  };
}

/**
 * Starts programs that use the client, on a bad network: scanners with their queues on disk, which are killed
 * again and again, a caller, and a mirror of warehouse 1.
 */
export async function startClientPrograms(
  cluster: Cluster,
  options: { folder: string; seed: number; scannerCount: number; burstMax: number },
): Promise<ClientPrograms> {
  const { folder, seed, scannerCount, burstMax } = options;
  const random = createRandom(seed);
  const place = join(folder, 'clients');
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place);
  const lines: ClientLine[] = [];
  const problems: string[] = [];
  const network = await startBadNetwork(cluster, random);
  const { baseUrl } = network;
  const start = createStart({ baseUrl, burstMax, random, problems }, (line) => lines.push(line));
  const ending = new AbortController();
  let killed = 0;

  async function liveAgainAndAgain(device: string, access: Access): Promise<void> {
    for (let life = 0; ; life++) {
      const file = join(place, device);
      const program = start({ role: 'scanner', name: `${device}/${life}`, file, ...access });
      await pause(random() * lifeMaxMs, null, { signal: ending.signal }).catch(() => {});
      if (ending.signal.aborted) return program.finish();
      killed += 1;
      await program.kill();
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
  const records = join(place, 'mirror.json');
  const mirror = start({ role: 'mirror', name: 'mirror', file: records, ...one });

  return {
    lines,
    count: () => new Set(lines.map(({ reference }) => reference)).size,
    killedCount: () => killed,
    faultCount: network.faultCount,
    problems,
    async finish() {
      network.heal();
      ending.abort();
      await Promise.all([...scanners, caller.finish()]);
      await mirror.finish();
      network.close();
      return JSON.parse(readFileSync(records, 'utf8'));
    },
  };
}
