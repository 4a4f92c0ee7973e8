import { expect } from 'vitest';
import { connectRaw } from '../network/raw-http.ts';
import type { ProbedApi } from '../service/probed-api.ts';

/** A request as it is sent. */
export type WireRequest = { head: string; body?: string | Uint8Array };

/** Requests at one place, and a harmless one of the same size there. */
export type Place = { name: string; harmless: WireRequest; hostile: readonly WireRequest[] };

// A harmless request of 64 KB takes 1 to 2 ms of a processor, where the promise is 50 ms. A request known to
// be slow here takes ten times as long as a harmless one, and a backtracking pattern fifty times and more.
const ratioMax = 30;
const rounds = 5;
// This many at once, while nothing is suspected.
const connectionCount = 4;

/** Sends requests to an api and measures how long each holds its event loop. */
export function createLoopWatch(api: ProbedApi) {
  const connections = Array.from({ length: connectionCount }, () => connectRaw(api.port));
  const usual = new Map<string, number>();

  async function send({ head, body }: WireRequest, connection = connections[0]!) {
    const answer = await connection.send([head, ...(body === undefined ? [] : [body])]);
    // Another test checks the answer: a loop held for seconds only has time for 503.
    expect(answer, `no answer: ${head.slice(0, 200)}`).not.toBeNull();
  }

  async function measure(request: WireRequest) {
    await api.measure();
    await send(request);
    return api.measure();
  }

  /** The processor time of a harmless request. No request may hold the loop for many times that. */
  async function usualMs({ harmless }: Place): Promise<number> {
    const known = usual.get(harmless.head);
    if (known !== undefined) return known;
    const all: number[] = [];
    for (let round = 0; round < rounds; round++) all.push((await measure(harmless)).workedMs);
    usual.set(harmless.head, median(all));
    return median(all);
  }

  /**
   * One request, several times: other programs on the machine hold the loop as well, but do no work for it.
   */
  async function judge(place: Place, request: WireRequest): Promise<string | null> {
    const most = ratioMax * (await usualMs(place));
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round++) {
      const { heldMs, workedMs } = await measure(request);
      least = Math.min(least, heldMs, workedMs);
      if (least <= most) return null;
    }
    const start = `${request.head.slice(0, 200)} ${String(request.body ?? '').slice(0, 100)}`;
    return `${place.name}: held for ${least} ms, more than ${most} ms: ${start}`;
  }

  return {
    /**
     * The first request at a place that held the loop longer than many harmless ones would; null when none
     * did.
     */
    async slowAt(place: Place): Promise<string | null> {
      const most = ratioMax * (await usualMs(place));
      await api.measure();
      const left = [...place.hostile];
      await Promise.all(
        connections.map(async (connection) => {
          for (let next = left.pop(); next !== undefined; next = left.pop()) await send(next, connection);
        }),
      );
      if ((await api.measure()).heldMs <= most) return null;
      // The cause is one of them, or the machine.
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
