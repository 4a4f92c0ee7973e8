import { expect } from 'vitest';
import type { ProbedApi } from './probed-api.ts';
import { connectRaw } from './raw-http.ts';

/** A request as it goes over the wire. */
export type WireRequest = { head: string; body?: string | Uint8Array };

/** Requests at one place, and a harmless one of the same size there. */
export type Place = { name: string; harmless: WireRequest; hostile: readonly WireRequest[] };

// On a machine where the loop turns again after 2 ms with 64 KB of harmless text, this is the 50 ms of the promise.
const ratioMax = 25;
const rounds = 5;
// At once, while nothing is suspected.
const connectionCount = 4;

/** Sends requests to an api and watches for how long each holds its event loop. */
export function createLoopWatch(api: ProbedApi) {
  const connections = Array.from({ length: connectionCount }, () => connectRaw(api.port));
  const usual = new Map<string, number>();

  async function send({ head, body }: WireRequest, connection = connections[0]!) {
    const answer = await connection.send([head, ...(body === undefined ? [] : [body])]);
    // A loop that is held for seconds has no time left for an answer.
    expect(answer?.status ?? 'no answer', `${head.slice(0, 200)}: ${answer?.text}`).toBeLessThan(500);
  }

  async function heldBy(request: WireRequest): Promise<number> {
    await api.heldMs();
    await send(request);
    return api.heldMs();
  }

  /** Several times, in turns with the harmless one: what else the machine does meanwhile is to harm both. */
  async function judge(place: Place, request: WireRequest): Promise<string | null> {
    const [harmless, hostile]: number[][] = [[], []];
    for (let round = 0; round < rounds; round++) {
      harmless!.push(await heldBy(place.harmless));
      hostile!.push(await heldBy(request));
      if (hostile!.at(-1)! <= ratioMax * median(harmless!)) return null;
    }
    const start = `${request.head.slice(0, 200)} ${String(request.body ?? '').slice(0, 100)}`;
    return `${place.name}: held for ${Math.min(...hostile!)} ms, by a harmless one ${median(harmless!)} ms: ${start}`;
  }

  return {
    /** The first request at a place that held the loop for longer than many harmless ones would; null when none did. */
    async slowAt(place: Place): Promise<string | null> {
      if (!usual.has(place.harmless.head)) {
        const all: number[] = [];
        for (let round = 0; round < rounds; round++) all.push(await heldBy(place.harmless));
        usual.set(place.harmless.head, median(all));
      }
      await api.heldMs();
      const left = [...place.hostile];
      await Promise.all(
        connections.map(async (connection) => {
          for (let next = left.pop(); next !== undefined; next = left.pop()) await send(next, connection);
        }),
      );
      if ((await api.heldMs()) <= ratioMax * usual.get(place.harmless.head)!) return null;
      // One of them, or the machine.
      for (const request of place.hostile) {
        const slow = await judge(place, request);
        if (slow !== null) return slow;
      }
      return null;
    },
    close() {
      for (const connection of connections) connection.close();
    },
  };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}
