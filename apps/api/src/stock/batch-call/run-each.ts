import { isKeyed } from '@inventory/db/requests/idempotency-keys';
import { warehousesOf } from '@inventory/domain/kinds/kinds';
import { operationsOf, type QueuedRequest } from '@inventory/domain/request';
import { createPacer } from '@inventory/process/pacer';
import { TooLateError, within } from '@inventory/process/within';
import type { SubmitResult } from '@inventory/queue/submit/submit';
import { type CallTexts, underOf } from '../answer-texts.ts';
import { type ReadOutcomes, readKnown } from '../known-outcomes.ts';
import type { Sender } from '../sender.ts';
import { createAnswerRoom } from './answer-room.ts';
import { isNotApplied, isRepeat } from './results.ts';
import type { BatchTurns } from './turns.ts';

// Operations of one item in one envelope. They do not fill it, so that other requests have room beside them.
const runMax = 32;
// Operations that have not begun this long after the batch came are not applied. The last one may take some
// seconds.
const beginWithinMs = 6000;
// A run keeps its turn this long to read large answers. After that, other batches do not wait while it waits
// for room in memory.
const readInTurnMs = 200;

/**
 * Until when a batch that came at `arrivedAt` may begin operations. Both are times of `performance.now()`.
 */
export function beginsUntil(arrivedAt: number): number {
  return arrivedAt + beginWithinMs;
}

/**
 * How long Postgres may take to settle the unsent operations of a batch that came at `arrivedAt` (of
 * `performance.now()`). There may be many, some of them under way. A batch that has waited for long gets less
 * time.
 */
export function settleWithin(arrivedAt: number): number {
  return performance.now() > beginsUntil(arrivedAt) ? 1000 : 2500;
}

/**
 * An operation of an item, under the name that the item has in the whole list. `isBetween`: it touches
 * several warehouses. `make` creates the queued request when its turn comes, at that time of
 * `performance.now()`.
 */
export type Task = { itemId: string; isBetween: boolean; make: (sentAt: number) => QueuedRequest };

/** `unsent`: the indexes of operations that were not sent because the answers of others were too large. */
export type EachAnswers = { answers: SubmitResult[]; unsent: ReadonlySet<number> };

export type EachOptions = {
  sender: Sender;
  turns: BatchTurns;
  readOutcomes: ReadOutcomes;
  texts: CallTexts;
};

/**
 * Applies each operation as a transaction of its own and returns the results in order. The operations of one
 * item go in runs, one run after the other, each in one envelope, so they are decided in the order of the
 * list. An operation between warehouses is a run by itself: if one of its gates is held, later operations at
 * its other gate would otherwise be decided before it.
 *
 * If an operation is not applied because time or room ran out, the later operations of its item are not sent,
 * and those after it in its run at the same gate are not applied: a resend would come after them.
 *
 * Once new answers fill the room of the batch, nothing more is sent. Answers of earlier sends have a room of
 * their own. When it is full, they are left out and the batch goes on, so a list that is resent as a whole
 * gets further each time.
 */
export async function runEach(
  { sender, turns, readOutcomes, texts }: EachOptions,
  clientId: string,
  tasks: readonly Task[],
  arrivedAt: number,
): Promise<EachAnswers> {
  // Tasks are known by their places in the list.
  const { answers, keep, isFull } = keepAnswers(texts);
  const size = Math.min(runMax, sender.togetherMax);
  // Lists may be long, so the event loop is yielded.
  const pace = createPacer();
  const unsent: number[] = [];

  /**
   * Sends a run. `areDecided`: whether all of its operations were. `kept` resolves when their answers are
   * there; null: they are.
   */
  async function run(
    some: readonly number[],
  ): Promise<{ areDecided: boolean; kept: Promise<unknown> | null }> {
    const now = performance.now();
    const requests = some.map((place) => tasks[place]!.make(now));
    const got = await sender.sendAll(oneAfterAnother(requests), now);
    const kept = keep(some, got);
    if (kept !== null) await within(readInTurnMs, kept).catch(unlessLate);
    const areDecided = !got.some(
      (answer) => isNotApplied(answer) || answer.status === 'unknown' || answer.status === 'failed',
    );
    return { areDecided, kept };
  }

  /** Settles operations that will not be sent. */
  async function settle(some: readonly number[]): Promise<void> {
    const now = performance.now();
    const requests: QueuedRequest[] = [];
    for (const place of some) {
      await pace();
      requests.push(tasks[place]!.make(now));
    }
    const known: Map<string, SubmitResult> = await readKnown(requests.filter(isKeyed), readOutcomes, false);
    const open = requests.filter(({ requestId }) => !known.has(requestId));
    const settled = await sender.settleAll(open, settleWithin(arrivedAt));
    for (const [index, { requestId }] of open.entries()) known.set(requestId, settled[index]!);
    await keep(
      some,
      requests.map(({ requestId }) => known.get(requestId)!),
    );
  }

  /** Runs the operations of one item. Returns the ones that will not be sent. */
  async function runItem(ofItem: readonly number[]): Promise<readonly number[]> {
    for (let from = 0, to = 0; from < ofItem.length; from = to) {
      const count = ofItem.slice(from, from + size).findIndex((place) => tasks[place]!.isBetween);
      to = from + (count < 0 ? size : Math.max(count, 1));
      const some = ofItem.slice(from, to);
      const endTurn = await turns.take(clientId, some.length, beginsUntil(arrivedAt));
      if (endTurn === null) return ofItem.slice(from);
      let ran: Awaited<ReturnType<typeof run>>;
      try {
        if (isFull()) {
          unsent.push(...ofItem.slice(from));
          return ofItem.slice(from);
        }
        ran = await run(some);
      } finally {
        endTurn();
      }
      await ran.kept;
      if (!ran.areDecided) return ofItem.slice(to);
    }
    return [];
  }

  const running: Promise<readonly number[]>[] = [];
  for (const ofItem of itemsOf(tasks)) {
    await pace();
    const begun = runItem(ofItem);
    // Its failure is reported where all runs are awaited.
    begun.catch(() => {});
    running.push(begun);
  }
  // All together, after the runs: there may be many, and their callers have waited for long.
  const left = await Promise.all(running);
  await settle(left.flat());
  return { answers, unsent: new Set(unsent.sort((one, other) => one - other)) };
}

function unlessLate(error: unknown): void {
  if (!(error instanceof TooLateError)) throw error;
}

/** The places of the operations of each item. */
function itemsOf(tasks: readonly Task[]): number[][] {
  const items = new Map<string, number[]>();
  for (const [place, { itemId }] of tasks.entries()) {
    const ofItem = items.get(itemId);
    if (ofItem === undefined) items.set(itemId, [place]);
    else ofItem.push(place);
  }
  return [...items.values()];
}

/**
 * Keeps answers by their places in the list. There is one room for new answers, and one for answers of
 * earlier sends and repeated keys.
 */
function keepAnswers(texts: CallTexts) {
  const answers: SubmitResult[] = [];
  const [fresh, before] = [createAnswerRoom(texts), createAnswerRoom(texts)];

  async function keepLarge(place: number, answer: SubmitResult): Promise<void> {
    answers[place] = await (isRepeat(answer) ? before : fresh).keep(answer);
  }

  return {
    answers,
    /** Whether new answers fill their room. */
    isFull: fresh.isFull,
    /** Keeps the answers of these places. Null if their texts were all there; otherwise a promise of them. */
    keep(places: readonly number[], got: readonly SubmitResult[]): Promise<unknown> | null {
      const reading: Promise<void>[] = [];
      for (const [index, answer] of got.entries()) {
        const place = places[index]!;
        if (underOf(answer) === null) answers[place] = answer;
        else reading.push(keepLarge(place, answer));
      }
      return reading.length === 0 ? null : Promise.all(reading);
    },
  };
}

/**
 * Links each request of a run to the one before it at the same gate: in the same warehouse, whatever name the
 * item has in them.
 */
function oneAfterAnother(requests: readonly QueuedRequest[]): readonly QueuedRequest[] {
  if (requests.length === 1) return requests;
  const last = new Map<number, QueuedRequest>();
  return requests.map((request) => {
    // A request between two gates is a run by itself.
    const [wid = 0] = operationsOf(request).flatMap(warehousesOf);
    const before = last.get(wid);
    last.set(wid, request);
    if (before === undefined) return request;
    const { requestId, key } = before;
    return { ...request, after: { requestId, ...(key !== undefined && { key }) } };
  });
}
