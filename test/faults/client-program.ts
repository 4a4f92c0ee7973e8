import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import {
  fileStorage,
  InventoryClient,
  type InventoryError,
  type MirrorStore,
  type Operation,
  type OperationResult,
} from '@inventory/client';
import { type ClientLine, type ClientProgram, type ClientSaid, rivalExit } from './client-programs.ts';
import { createRandom } from './random.ts';
import { type Ask, createRequests } from './requests.ts';

// A program that uses the client, to be killed. It says what it was told; a line on its standard input ends
// it in an orderly way.
const { role, name, seed, file, burstMax, ...access }: ClientProgram = JSON.parse(process.argv[2]!);
const patient = new InventoryClient(access);
const random = createRandom(seed);
const requests = createRequests(random);
const callsAtOnce = 4;
const mirrorMaxMs = 20_000;

let isEnding = false;
const told = new AbortController();
process.stdin.once('data', () => {
  isEnding = true;
  told.abort();
});
// Nobody is there any more to hear it.
process.stdin.on('end', () => process.exit(1));

const programs = { scanner, caller, mirror };
await programs[role]();
process.exit(0);

/** Resolves when the line is out. Until then, it may wait in this process, and is lost with it. */
function say(line: ClientLine): Promise<void> {
  return new Promise((resolve) => process.stdout.write(`${JSON.stringify(line)}\n`, () => resolve()));
}

function asOperation({ path, body }: Ask): Operation {
  return { op: path.toLowerCase(), ...body } as Operation;
}

function makeWork(count: number, from: number): Work[] {
  return Array.from({ length: count }, (_, index) => {
    const reference = `${name}/${from + index}`;
    return { ask: requests.next(reference), reference };
  });
}

/** Pushes operations into a queue on the disk. */
async function scanner(): Promise<void> {
  const asked = new Map<string, Ask>();
  const forgotten = new Set<string>();
  const queue = patient.offlineQueue({
    storage: fileStorage(file),
    deviceID: name.split('/')[0]!,
    onDecided({ operation }, result) {
      if (result.status !== 'applied') return;
      const reference = operation.reference!;
      const { transactionNo } = result.body as { transactionNo: number };
      void say({ reference, said: 'applied', transactionNo });
      const ask = asked.get(reference);
      if (ask !== undefined) requests.learn(ask, transactionNo);
    },
    onChange({ refused }) {
      for (const { operation, outcome, statusCode, error } of refused) {
        if (forgotten.has(operation.key)) continue;
        forgotten.add(operation.key);
        const reference = operation.reference!;
        void forget(operation.key, { reference, said: outcome, why: `${statusCode} ${error.message}` });
      }
    },
  });
  /** The file is the only other place that knows of it. */
  async function forget(key: string, line: ClientLine): Promise<void> {
    await say(line);
    // The disk is full now and then.
    while (
      !(await queue.forget(key).then(
        () => true,
        () => false,
      ))
    )
      await pause(50);
  }
  for (let count = 0; !isEnding; ) {
    const works = makeWork(1 + Math.floor(random() ** 2 * burstMax), count);
    count += works.length;
    await Promise.all(
      works.map(async ({ ask, reference }) => {
        asked.set(reference, ask);
        try {
          await queue.push(asOperation(ask));
          void say({ reference, said: 'stored' });
        } catch (error) {
          const { code, message, outcome } = error as { code?: string; message: string; outcome?: 'unknown' };
          if (message.includes('another program uses')) process.exit(rivalExit);
          void say({ reference, said: outcome ?? 'notApplied', why: `not stored: ${code ?? message}` });
        }
      }),
    );
    while (queue.size > 3 * burstMax && !isEnding) await pause(50);
    await pause(random() * 1500);
  }
  await queue.drained();
  while (queue.refused.length > 0) await pause(20);
  await queue.close();
}

type Work = { ask: Ask; reference: string };
type Way = 'alone' | 'each' | 'atomic';

/** Calls directly, half of the time with keys of its own: then it resends while the outcome is unknown. */
async function caller(): Promise<void> {
  // Gives up soon.
  const hasty = new InventoryClient({ ...access, timeoutMs: 2000 });
  let count = 0;
  const callOneByOne = async () => {
    while (!isEnding) {
      const way: Way = random() < 0.7 ? 'alone' : random() < 0.7 ? 'each' : 'atomic';
      let open = makeWork(way === 'alone' ? 1 : 1 + Math.floor(random() * 20), count);
      count += open.length;
      const isKeyed = random() < 0.5;
      for (let tries = 0; open.length > 0; tries++) {
        const inventory = tries < 2 && random() < 0.7 ? hasty : patient;
        const lines = await callOnce(inventory, way, open, isKeyed);
        for (const [index, line] of lines.entries()) {
          void say({ reference: open[index]!.reference, ...line });
          if (line.said !== 'unknown') requests.learn(open[index]!.ask, line.transactionNo ?? null);
        }
        open = open.filter((_, index) => isKeyed && lines[index]!.said === 'unknown');
      }
      await pause(random() * 200);
    }
  };
  await Promise.all(Array.from({ length: callsAtOnce }, callOneByOne));
}

type Heard = Omit<ClientLine, 'reference'>;

/** Sends some work. Returns what was told of each. */
async function callOnce(
  inventory: InventoryClient,
  way: Way,
  works: readonly Work[],
  isKeyed: boolean,
): Promise<Heard[]> {
  const [{ ask, reference }] = works as [Work];
  const idempotencyKey = isKeyed && way !== 'each' ? reference : undefined;
  try {
    if (way === 'alone') {
      const calls = inventory as unknown as Record<string, InventoryClient['receive']>;
      const call = calls[ask.path.toLowerCase()]!.bind(inventory);
      const { transactionNo } = await call(ask.body as never, { idempotencyKey });
      return [{ said: 'applied', transactionNo }];
    }
    const operations = works.map((work) => ({
      ...asOperation(work.ask),
      ...(isKeyed && way === 'each' ? { key: work.reference } : {}),
    }));
    const { results } = await inventory.batch({ mode: way, operations }, { idempotencyKey });
    return results.map(heardFrom);
  } catch (error) {
    const { outcome, status, message, results } = error as InventoryError;
    if (outcome === undefined) throw error;
    const said: ClientSaid = outcome;
    const known = (way === 'each' && (results as OperationResult[] | null)) || [];
    return works.map((_, place) => {
      const result = known.find(({ index }) => index === place);
      return result === undefined ? { said, why: `${status} ${message}` } : heardFrom(result);
    });
  }
}

function heardFrom(result: OperationResult): Heard {
  if (result.status !== 'applied') return { said: 'notApplied', why: `${result.statusCode}` };
  return { said: 'applied', transactionNo: result.body.transactionNo };
}

/** Keeps a mirror, which rests now and then, and writes it into `file` at the end. */
async function mirror(): Promise<void> {
  const copy = { lot: new Map(), item: new Map(), level: new Map(), warehouse: new Map() };
  let at: string | null = null;
  const store: MirrorStore = {
    position: () => at,
    clear() {
      for (const records of Object.values(copy)) records.clear();
      at = null;
    },
    upsert(records, position) {
      for (const { kind, key, record } of records) copy[kind].set(key, record);
      at = position;
    },
  };
  const rest = () => pause(random() * mirrorMaxMs, null, { signal: told.signal }).catch(() => {});
  for (;;) {
    const following = patient.mirror({ store });
    await Promise.race([rest(), following.ended]);
    if (isEnding) await following.caughtUp();
    await following.close();
    if (isEnding) break;
    // More than one page of changes is made.
    await rest();
  }
  const records = Object.entries(copy).map(([kind, each]) => [kind, [...each.values()]]);
  writeFileSync(file, JSON.stringify(Object.fromEntries(records)));
}
