import { expect } from 'vitest';
import type { Lengthened } from '../contract/slow-texts.ts';
import { openRawCaller } from '../network/raw-connection.ts';
import type { ProbedApi } from '../service/probed-api.ts';

/** A request as it is sent. */
export type WireRequest = { head: string; body?: string };

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
type Limits = { harmlessMs: number; workMax: number; stretchMax: number };

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
const together = 4;

/** The cost of requests to an api. */
function createMeter(api: ProbedApi) {
  const caller = openRawCaller(api.port);

  const send = (requests: readonly WireRequest[]) =>
    caller.sendAll(requests.map(({ head, body = '' }) => Buffer.from(head + body)));

  /**
   * The least of several tries, or the first that is `little`: nothing makes a request cheaper than it is,
   * and a busy machine makes it dearer.
   */
  async function least(request: WireRequest, little: (cost: Cost) => boolean, triesMax = tries) {
    const found: Cost = { workedMs: Number.POSITIVE_INFINITY, stretchMs: Number.POSITIVE_INFINITY };
    for (let count = 0; count < triesMax && !little(found); count++) {
      await api.measure();
      await send([request]);
      const { heldMs, workedMs, stretchMs } = await api.measure();
      found.workedMs = Math.min(found.workedMs, workedMs);
      // Other programs hold the loop as well, and garbage collection runs beside it.
      found.stretchMs = Math.min(found.stretchMs, heldMs, stretchMs);
    }
    return found;
  }

  /** The processor time that they take together. */
  async function workedFor(requests: readonly WireRequest[]): Promise<number> {
    await api.workedMs();
    await send(requests);
    return api.workedMs();
  }

  return { least, workedFor, close: () => caller.close() };
}

/** Sends texts of a size and of twice that size to an api, and compares the processor time. */
export function createLinearWatch(api: ProbedApi) {
  const { least, workedFor, close } = createMeter(api);
  const usual = new Map<string, Limits>();

  /** The limits for a text at a place, from the cost of a harmless one there. */
  async function limitsOf({ name, bytesMax, put, harmless = 'a'.repeat(bytesMax) }: ReadPlace) {
    const known = usual.get(name);
    if (known !== undefined) return known;
    // Less changes no limit.
    const { workedMs } = await least(put(harmless), (cost) => harmlessTimes * cost.workedMs <= floorMs);
    const limits = {
      harmlessMs: workedMs,
      workMax: Math.max(floorMs, harmlessTimes * workedMs),
      stretchMax: Math.max(stretchMs, stretchHarmlessTimes * workedMs),
    };
    usual.set(name, limits);
    return limits;
  }

  /**
   * The texts that cost much at a size: a group is halved until one is left or it costs little. No stretch is
   * longer than all the work, so one that costs little is short.
   */
  async function findDear(
    place: ReadPlace,
    texts: readonly Lengthened[],
    bytes: number,
  ): Promise<Lengthened[]> {
    const { harmlessMs, workMax } = await limitsOf(place);
    const worked = await workedFor(texts.map((text) => place.put(text.length(bytes))));
    if (worked <= workMax + (texts.length - 1) * harmlessMs) return [];
    if (texts.length === 1) return [...texts];
    const half = texts.length >> 1;
    const first = await findDear(place, texts.slice(0, half), bytes);
    return [...first, ...(await findDear(place, texts.slice(half), bytes))];
  }

  /** A text alone, which is dear at this size. */
  async function expectOneLinear(place: ReadPlace, text: Lengthened, bytes: number): Promise<void> {
    const { workMax, stretchMax } = await limitsOf(place);
    const put = (size: number) => place.put(text.length(size));
    const half = await least(put(bytes / 2), () => false);
    const most = Math.max(workMax, (place.ratioMax ?? ratioMax) * half.workedMs);
    const isLinear = (cost: Cost) => cost.workedMs <= most && cost.stretchMs <= stretchMax;
    const whole = await least(put(bytes), isLinear, doubtfulTries);
    const worked = `${half.workedMs} and ${whole.workedMs} ms for ${bytes / 2} and ${bytes} bytes`;
    const seen = `${place.name}: held for ${whole.stretchMs} ms; ${worked}: ${text.length(100)}`;
    expect(isLinear(whole), seen).toBe(true);
  }

  return {
    /**
     * Fails when one of these texts is read slowly at a place. `parts`: the sizes, the smaller ones first, so
     * that nobody waits at the limit for a text that is slow already there.
     */
    async expectLinear(place: ReadPlace, texts: readonly Lengthened[], parts = [1 / 16, 1]): Promise<void> {
      for (const part of parts) {
        const bytes = 2 * Math.floor((place.bytesMax * part) / 2);
        for (let from = 0; from < texts.length; from += together) {
          const dear = await findDear(place, texts.slice(from, from + together), bytes);
          for (const text of dear) await expectOneLinear(place, text, bytes);
        }
      }
    },
    close,
  };
}
