import { expect } from 'vitest';
import { connectRaw } from '../network/raw-http.ts';
import type { ProbedApi } from '../service/probed-api.ts';
import type { WireRequest } from './held-loop.ts';

/**
 * A place in a request that takes a text: `put` makes a request with this text there, of at most `bytesMax`
 * bytes.
 */
export type ReadPlace = {
  name: string;
  bytesMax: number;
  put: (text: string) => WireRequest;
  /** The limit for twice as many bytes, where a parser that is not ours does most of the work. */
  ratioMax?: number;
};

/** Lengthens the text to this many bytes. */
type Lengthened = (bytes: number) => string;
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
const tries = 5;
const doubtfulTries = 20;
// The smaller sizes first, so that nobody waits at the limit for a text that is slow already there.
const parts = [1 / 16, 1 / 4, 1];

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
  async function limits({ name, bytesMax, put }: ReadPlace) {
    const { workedMs } = usual.get(name) ?? (await least(put('a'.repeat(bytesMax))));
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
    const put = (size: number) => place.put(text(size));
    const once = await measure([put(bytes)]);
    if (once.workedMs <= workMax && once.stretchMs <= stretchMax) return null;
    const isLittle = (cost: Cost) => cost.workedMs <= workMax && cost.stretchMs <= stretchMax;
    const whole = await least(put(bytes), isLittle, doubtfulTries);
    if (isLittle(whole)) return null;
    const half = await least(put(bytes / 2));
    const worked = `${half.workedMs} and ${whole.workedMs} ms for ${bytes / 2} and ${bytes} bytes`;
    if (whole.workedMs > workMax && whole.workedMs > (place.ratioMax ?? ratioMax) * half.workedMs)
      return worked;
    return whole.stretchMs > stretchMax ? `held for ${whole.stretchMs} ms; ${worked}` : null;
  }

  return {
    /** The first of these texts that is read slowly at a place, and how slowly; null when none is. */
    async slowAt<Text extends { length: Lengthened }>(
      place: ReadPlace,
      texts: readonly Text[],
    ): Promise<{ text: Text; slowness: string } | null> {
      const { workMax, stretchMax, harmlessMs } = await limits(place);
      for (const part of parts) {
        const bytes = 2 * Math.floor((place.bytesMax * part) / 2);
        const together = await measure(texts.map(({ length }) => place.put(length(bytes))));
        const usualMs = texts.length * harmlessMs;
        if (together.workedMs <= workMax + usualMs && together.stretchMs <= stretchMax) continue;
        for (const text of texts) {
          const slowness = await judge(place, text.length, bytes);
          if (slowness !== null) return { text, slowness };
        }
      }
      return null;
    },
    close: () => connection.close(),
  };
}
