import { Pool } from 'undici';
import { type Cluster, itemCount } from './cluster.ts';
import { pickOne } from './random.ts';

/** What one caller was told about one request, by the `reference` it put in. */
export type Told = {
  reference: string;
  kind: 'receive' | 'move' | 'issue';
  /** `yes`: 2xx; `no`: any answer that promises it is not applied; `unknown`: an answer that says so; `lost`: no answer. */
  told: 'yes' | 'no' | 'unknown' | 'lost';
  status: number;
  text: string;
  /** Milliseconds since the run began, and how long it took. */
  at: number;
  tookMs: number;
  /** Sent again with the same Idempotency-Key after an unclear answer. */
  resent: boolean;
};

export type Callers = {
  log: Told[];
  stop(): Promise<void>;
};

/** Starts callers that send receives, moves and issues one after another until they are stopped. */
export async function startCallers(
  cluster: Cluster,
  options: { count: number; random: () => number; startedAt: number; pauseMs: number },
): Promise<Callers> {
  const log: Told[] = [];
  const pools = new Map<number, Pool>();
  const poolOf = (port: number) => {
    let pool = pools.get(port);
    if (pool === undefined) {
      pool = new Pool(`http://127.0.0.1:${port}`, {
        connections: options.count,
        pipelining: 1,
        headersTimeout: 8000,
      });
      pools.set(port, pool);
    }
    return pool;
  };
  const token = await getToken(cluster);
  let running = true;

  /** Sends to any api that takes connections, as a load balancer would. */
  async function send(body: object, path: string, key: string | undefined) {
    for (;;) {
      const ports = cluster.apis.map((member) => member.port).filter((port) => port !== 0);
      if (ports.length > 0) {
        const startedAt = performance.now();
        try {
          const answer = await poolOf(pickOne(options.random, ports)).request({
            method: 'POST',
            path: `/api/v1/Inventory/${path}`,
            headers: {
              authorization: `Bearer ${token}`,
              'content-type': 'application/json',
              ...(key === undefined ? {} : { 'idempotency-key': key }),
            },
            body: JSON.stringify(body),
          });
          return {
            status: answer.statusCode,
            text: await answer.body.text(),
            tookMs: performance.now() - startedAt,
          };
        } catch (error) {
          // Refused: nothing was sent, so it goes to another.
          if ((error as { code?: string }).code !== 'ECONNREFUSED') {
            return { status: 0, text: String(error), tookMs: performance.now() - startedAt };
          }
        }
      }
      if (!running) return { status: -1, text: '', tookMs: 0 };
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async function call(caller: number) {
    for (let turn = 0; running; turn++) {
      const reference = `${caller}-${turn}`;
      const { kind, body } = createRequest(options.random, reference);
      const path = { receive: 'Receive', move: 'Move', issue: 'Issue' }[kind];
      const key = options.random() < 0.3 ? reference : undefined;
      let answer = await send(body, path, key);
      let resent = false;
      // A caller with a key sends it again until the answer is clear.
      for (let attempt = 0; key !== undefined && attempt < 20 && isUnclear(answer) && running; attempt++) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        answer = await send(body, path, key);
        resent = true;
      }
      if (answer.status === -1) return;
      const at = performance.now() - options.startedAt - answer.tookMs;
      log.push({ reference, kind, told: toldBy(answer), ...answer, at, resent });
      if (options.pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, options.pauseMs));
    }
  }

  const calls = Array.from({ length: options.count }, (_, caller) => call(caller));
  return {
    log,
    async stop() {
      running = false;
      await Promise.all(calls);
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

function createRequest(random: () => number, reference: string) {
  const kind = pickOne(random, ['receive', 'receive', 'move', 'issue'] as const);
  // A few hot items, so that batches meet.
  const itemID = `ITEM-${Math.floor(random() ** 2 * itemCount)}`;
  const wid = random() < 0.5 ? 1 : 2;
  const units = 1 + Math.floor(random() * 9);
  const common = { itemID, units, wid, reference };
  if (kind === 'move') {
    const body =
      random() < 0.5
        ? { ...common, shipToWid: 3 - wid }
        : { ...common, toSpot: pickOne(random, ['A', 'B', 'C']) };
    return { kind, body };
  }
  return { kind, body: { ...common, reasonCode: 1 } };
}

const isUnclear = (answer: { status: number; text: string }) => answer.status === 0 || answer.status >= 500;

function toldBy({ status, text }: { status: number; text: string }): Told['told'] {
  if (status === 0) return 'lost';
  if (status < 300) return 'yes';
  return text.includes('is not known') ? 'unknown' : 'no';
}

async function getToken(cluster: Cluster): Promise<string> {
  const form = {
    grant_type: 'client_credentials',
    client_id: cluster.clientId,
    client_secret: cluster.secret,
  };
  const answer = await fetch(`http://127.0.0.1:${cluster.apis[0]!.port}/api/v1/Token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}
