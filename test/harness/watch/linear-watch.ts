import { expect } from 'vitest';
import type { Lengthened } from '../contract/slow-texts.ts';
import { connectRaw } from '../network/raw-http.ts';
import type { ProbedApi } from '../service/probed-api.ts';

/** A request as it is sent. */
export type WireRequest = { head: string; body?: string | Uint8Array };

/**
 * A place in a request that takes a text: `put` makes a request with this text there, of at most `bytesMax`
 * bytes.
 */
export type ReadPlace = {
  name: string;
  bytesMax: number;
  put: (text: string) => WireRequest;
  /** A text that costs as little as any. */
  harmless?: string;
  /** The limit for twice as many bytes, where a parser that is not ours does most of the work. */
  ratioMax?: number;
};

type Cost = { workedMs: number; stretchMs: number };

// Twice as many bytes may cost three times as much.
const ratioMax = 3;
const stretchMs = 50;
// A smaller cost, or less than this many times that of a harmless text, proves nothing: it may be the
// machine's.
const floorMs = 12;
const harmlessTimes = 4;
// On a machine where a harmless text takes longer than a tenth of the limit, a stretch may be longer, too.
const stretchHarmlessTimes = 10;
const tries = 3;
const doubtfulTries = 20;
// So many are sent before the processor's time is asked for: most of them are as quick as they should be.
const together = 12;

/** Sends texts of a size and of twice that size to an api, and compares the processor time. */
export function createLinearWatch(api: ProbedApi) {
  const connection = connectRaw(api.port);
  const usual = new Map<string, Pick<Cost, 'workedMs'>>();

  async function measure(requests: readonly WireRequest[]): Promise<Cost> {
    await api.measure();
    for (const { head, body } of requests) {
      const answer = await connection.send([head, ...(body === undefined ? [] : [body])]);
      expect(answer, `no answer: ${head.slice(0, 200)}`).not.toBeNull();
    }
    const { heldMs, workedMs, stretchMs } = await api.measure();
    // Other programs hold the loop as well, and garbage collection runs beside it.
    return { workedMs, stretchMs: Math.min(heldMs, stretchMs) };
  }

  /**
   * The least of several tries, or the first that is `little`: nothing makes a request cheaper than it is,
   * and a busy machine makes it dearer.
   */
  async function least(
    request: WireRequest,
    little = (_cost: Cost) => false,
    triesMax = tries,
  ): Promise<Cost> {
    let found = await measure([request]);
    for (let count = 1; count < triesMax && !little(found); count++) {
      const { workedMs, stretchMs } = await measure([request]);
      found = {
        workedMs: Math.min(found.workedMs, workedMs),
        stretchMs: Math.min(found.stretchMs, stretchMs),
      };
    }
    return found;
  }

  /** The limit for a text at a place, from the cost of a harmless one there. */
  async function limits({ name, bytesMax, put, harmless = 'a'.repeat(bytesMax) }: ReadPlace) {
    const { workedMs } = usual.get(name) ?? (await least(put(harmless)));
    usual.set(name, { workedMs });
    return {
      harmlessMs: workedMs,
      workMax: Math.max(floorMs, harmlessTimes * workedMs),
      stretchMax: Math.max(stretchMs, stretchHarmlessTimes * workedMs),
    };
  }

  /** A text alone, at one size. */
  async function judge(place: ReadPlace, text: Lengthened, bytes: number): Promise<string | null> {
    const { workMax, stretchMax } = await limits(place);
    const isWithin = (most: number) => (cost: Cost) => cost.workedMs <= most && cost.stretchMs <= stretchMax;
    const put = (size: number) => place.put(text.length(size));
    if (isWithin(workMax)(await measure([put(bytes)]))) return null;
    const half = await least(put(bytes / 2));
    const isLinear = isWithin(Math.max(workMax, (place.ratioMax ?? ratioMax) * half.workedMs));
    const whole = await least(put(bytes), isLinear, doubtfulTries);
    if (isLinear(whole)) return null;
    const worked = `${half.workedMs} and ${whole.workedMs} ms for ${bytes / 2} and ${bytes} bytes`;
    return `${place.name}: held for ${whole.stretchMs} ms; ${worked}: ${text.length(100)}`;
  }

  return {
    /**
     * Fails when one of these texts is read slowly at a place. `parts`: the sizes, the smaller ones first, so
     * that nobody waits at the limit for a text that is slow already there.
     */
    async expectLinear(place: ReadPlace, texts: readonly Lengthened[], parts = [1 / 16, 1]): Promise<void> {
      const { workMax, stretchMax, harmlessMs } = await limits(place);
      for (const part of parts) {
        const bytes = 2 * Math.floor((place.bytesMax * part) / 2);
        for (let from = 0; from < texts.length; from += together) {
          const some = texts.slice(from, from + together);
          const cost = await measure(some.map((text) => place.put(text.length(bytes))));
          const most = workMax + some.length * harmlessMs;
          if (cost.workedMs <= most && cost.stretchMs <= stretchMax) continue;
          for (const text of some) expect(await judge(place, text, bytes)).toBeNull();
        }
      }
    },
    close: () => connection.close(),
  };
}
