import type { Fault } from './fault.ts';
import type { BadEnd, FailedStart } from './member.ts';
import { isTransaction, type Read, type Told } from './told.ts';

/** When a fault struck, milliseconds since the run began. */
export type Strike = { fault: Fault; from: number; until: number };

/**
 * The limits of a run; times in milliseconds. They far exceed the promises, because everything runs on two
 * cores that may be three times slower at any moment.
 */
export const limits = {
  /** Until writes and reads succeed again once everything is back; 2 s are promised. */
  recoveryMaxMs: 10_000,
  /** How long the harm of a fault that is over excuses a failure. */
  harmMs: 5000,
  /** A transaction is answered after 3.5 s. */
  answerMaxMs: 3500 + 1500,
  /** Operations of a batch begin within 6 s. */
  batchAnswerMaxMs: 6000 + 3500 + 1500,
  /** The share of requests that may fail by the machine alone, with no fault that excuses it. */
  strayMax: { writes: 0.005, reads: 0.01 },
};

type Timed = { at: number; tookMs: number };

/**
 * The faults that were active between a request's sending and its answer. `graceMs`: how long the harm of a
 * fault outlasts it.
 */
function metBy({ at, tookMs }: Timed, strikes: readonly Strike[], graceMs = 0): Strike[] {
  return strikes.filter(({ fault, from, until }) => {
    return at <= until + Math.max(graceMs, fault.healsWithinMs ?? 0) && at + tookMs >= from;
  });
}

const namesOf = (met: readonly Strike[]) => met.map(({ fault }) => fault.name).join(', ') || 'nothing broken';

/**
 * Failures that none of the faults around them excuses: one line for each kind, with its first example.
 * `areFew`: a machine that stands still for a moment explains them.
 */
export function findUnexcused(
  log: readonly Told[],
  reads: readonly Read[],
  strikes: readonly Strike[],
): { lines: string[]; areFew: boolean } {
  const { harmMs, strayMax } = limits;
  const found = new Map<string, { count: number; first: string }>();
  const unlucky = { writes: 0, reads: 0 };
  const say = (what: string, name: string, each: Timed & { status: number; text: string }) => {
    unlucky[what === 'reads failed' ? 'reads' : 'writes'] += 1;
    const way = `${what} (${namesOf(metBy(each, strikes, harmMs))})`;
    const first =
      `${name} at ${(each.at / 1000).toFixed(1)} s, ${each.status} after ${each.tookMs.toFixed(0)} ms: ` +
      each.text.slice(0, 250);
    const known = found.get(way);
    if (known === undefined) found.set(way, { count: 1, first });
    else known.count += 1;
  };
  for (const each of log) {
    const name = `${each.kind} ${each.reference}`;
    const hasHungUp = each.status === 0 && each.told !== 'lost';
    const isRefused = (each.status === 0 && !hasHungUp) || each.status >= 500;
    // Unanswered large issues are reported where they are sent.
    if (isRefused && each.kind !== 'large issue') {
      const met = metBy(each, strikes, harmMs);
      if (!met.some(({ fault }) => fault.hurts)) say('failed', name, each);
    }
    const hides = ({ fault }: Strike) =>
      fault.hidesDatabase === true || (fault.losesAnswers === true && !isTransaction(each));
    // A killed server takes a while until it answers again.
    if (each.told === 'unknown' && !metBy(each, strikes, harmMs).some(hides)) {
      say('left in doubt while Postgres could be asked', name, each);
    }
    const answerMaxMs = each.batch === null ? limits.answerMaxMs : limits.batchAnswerMaxMs;
    const isLate = each.tookMs > answerMaxMs && lateMs(each, strikes) > answerMaxMs;
    if (each.told !== 'lost' && isLate && isTransaction(each)) {
      say('answered late', name, each);
    }
  }
  for (const each of reads) {
    if (!each.failed) continue;
    const met = metBy(each, strikes, harmMs);
    if (!met.some(({ fault }) => fault.hurtsReads)) say('reads failed', each.path, each);
  }
  return {
    lines: [...found].map(([way, { count, first }]) => `${count} ${way}: ${first}`),
    areFew: unlucky.writes <= log.length * strayMax.writes && unlucky.reads <= reads.length * strayMax.reads,
  };
}

/** The wait for an answer, without the time for which an api was frozen. */
function lateMs(each: Told, strikes: readonly Strike[]): number {
  const stoodStill = metBy(each, strikes).filter(({ fault }) => fault.stopsApi);
  return each.tookMs - stoodStill.reduce((sum, { from, until }) => sum + until - from, 0);
}

/** Unexpected exits, and starts that failed with nothing broken. */
export function findBadEnds(
  badEnds: readonly BadEnd[],
  failedStarts: readonly FailedStart[],
  strikes: readonly Strike[],
): string[] {
  const starts = failedStarts.filter(({ from, until }) => {
    const met = metBy({ at: from, tookMs: until - from }, strikes);
    return !met.some(({ fault }) => fault.hindersStart);
  });
  return [
    ...badEnds.map(({ name, at, what, lastWords }) => {
      const met = metBy({ at, tookMs: 0 }, strikes, limits.harmMs);
      return `EXIT ${name} ${what} at ${(at / 1000).toFixed(1)} s (${namesOf(met)})\n${indent(lastWords)}`;
    }),
    ...starts.map(({ name, from, why }) => {
      return `${name} could not be started again at ${(from / 1000).toFixed(1)} s\n${indent(why)}`;
    }),
  ];
}

const indent = (text: string) => text.replace(/^/gm, '        ');
