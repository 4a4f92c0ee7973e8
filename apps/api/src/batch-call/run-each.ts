import { gateNamesOf } from '@inventory/db/batch/gates';
import { isKeyed } from '@inventory/db/requests/idempotency-keys';
import type { QueuedRequest } from '@inventory/domain/stock/request';
import { createPacer } from '@inventory/process/pacer';
import { TooLateError, within } from '@inventory/process/within';
import type { SubmitResult } from '@inventory/queue/submit';
import type { CallTexts } from '../answer-texts.ts';
import type { Sender } from '../sender.ts';
import { createAnswerRoom } from './answer-room.ts';
import { type ReadOutcomes, readKnown } from './keys.ts';
import { isNotApplied, isRepeat } from './results.ts';
import type { BatchTurns } from './turns.ts';

// Of one item, in one envelope: a part of what fits in, so that others have room beside them.
const runMax = 32;
// What has not begun by then, after the batch came, is not applied any more: the last of them takes some
// seconds.
const beginWithinMs = 6000;
// For reading large answers a run keeps its turn so long: others do not wait for room in memory with it.
const readInTurnMs = 200;

/** Until when a batch that came at `arrivedAt` begins operations; both of `performance.now()`. */
export function beginsUntil(arrivedAt: number): number {
  return arrivedAt + beginWithinMs;
}

/**
 * How long Postgres may take to settle what is not sent, of a batch that came at `arrivedAt` of
 * `performance.now()`: there may be many, and some under way; one that has waited for long cannot wait more.
 */
export function settleWithin(arrivedAt: number): number {
  return performance.now() > beginsUntil(arrivedAt) ? 1000 : 2500;
}

/**
 * An operation of an item; `isBetween`: it touches several warehouses. `make`: the request as it travels when
 * its turn has come, at that moment of `performance.now()`.
 */
export type Task = { itemId: string; isBetween: boolean; make: (sentAt: number) => QueuedRequest };

/** `unsent`: the places of those that were not sent for the size of the others' answers. */
export type EachAnswers = { answers: SubmitResult[]; unsent: ReadonlySet<number> };

export type EachOptions = {
  sender: Sender;
  turns: BatchTurns;
  readOutcomes: ReadOutcomes;
  texts: CallTexts;
};

/**
 * Has each of these applied as a transaction of its own; one result for each, in their order. Those of one
 * item go one run after the other, each run in one envelope, so they are decided in the list's order. One
 * between warehouses is a run by itself: while somebody holds one of its gates, what is at the other would be
 * decided before it. When one of them was not applied, for want of time or room, what follows it on its item
 * is not sent, and what follows it in its run at the same gate is not applied: sent again it would come after
 * them. Nothing is sent any more once new answers fill the room that a batch has. Those of earlier sends have
 * a room of their own, and go on without their answers when it is full: a list that is sent whole again gets
 * further each time.
 */
export async function runEach(
  { sender, turns, readOutcomes, texts }: EachOptions,
  clientId: string,
  tasks: readonly Task[],
  arrivedAt: number,
): Promise<EachAnswers> {
  const results = new Map<Task, SubmitResult>();
  const { fresh, keep } = createRooms(texts);
  const size = Math.min(runMax, sender.togetherMax);
  // However many they are, others get their turns of the event loop meanwhile.
  const pace = createPacer();
  const unsent = new Set<Task>();

  /** Sends these; `areDecided`: whether all of them were. `told`: when their answers are there. */
  async function run(some: readonly Task[]): Promise<{ areDecided: boolean; told: Promise<void> }> {
    const now = performance.now();
    const answers = await sender.sendAll(oneAfterAnother(some.map(({ make }) => make(now))), now);
    const told = keepAll(some, answers);
    await within(readInTurnMs, told).catch(unlessLate);
    const areDecided = !answers.some(
      (answer) => isNotApplied(answer) || answer.status === 'unknown' || answer.status === 'failed',
    );
    return { areDecided, told };
  }

  /** For those that are not sent any more. */
  async function settle(some: readonly Task[]): Promise<void> {
    const now = performance.now();
    const requests: QueuedRequest[] = [];
    for (const { make } of some) {
      await pace();
      requests.push(make(now));
    }
    const known = await readKnown(requests.filter(isKeyed), readOutcomes, false);
    const open = requests.filter(({ requestId }) => !known.has(requestId));
    const settled = await sender.settleAll(open, settleWithin(arrivedAt));
    for (const [index, { requestId }] of open.entries()) known.set(requestId, settled[index]!);
    await keepAll(
      some,
      requests.map(({ requestId }) => known.get(requestId)!),
    );
  }

  async function keepAll(some: readonly Task[], answers: readonly SubmitResult[]): Promise<void> {
    const kept = await Promise.all(answers.map(keep));
    for (const [index, task] of some.entries()) results.set(task, kept[index]!);
  }

  /** Those that are not sent any more. */
  async function runItem(ofItem: readonly Task[]): Promise<readonly Task[]> {
    for (let from = 0, to = 0; from < ofItem.length; from = to) {
      const count = ofItem.slice(from, from + size).findIndex(({ isBetween }) => isBetween);
      to = from + (count < 0 ? size : Math.max(count, 1));
      const some = ofItem.slice(from, to);
      const endTurn = await turns.take(clientId, some.length, beginsUntil(arrivedAt));
      if (endTurn === null) return ofItem.slice(from);
      let ran: Awaited<ReturnType<typeof run>>;
      try {
        if (fresh.isFull()) {
          for (const task of ofItem.slice(from)) unsent.add(task);
          return ofItem.slice(from);
        }
        ran = await run(some);
      } finally {
        endTurn();
      }
      await ran.told;
      if (!ran.areDecided) return ofItem.slice(to);
    }
    return [];
  }

  const running: Promise<readonly Task[]>[] = [];
  for (const ofItem of itemsOf(tasks)) {
    await pace();
    const begun = runItem(ofItem);
    // Its failure is told where all are waited for.
    begun.catch(() => {});
    running.push(begun);
  }
  // Together, and none in anybody's way: there may be many, and their callers have waited for long.
  const left = await Promise.all(running);
  await settle(left.flat());
  return {
    answers: tasks.map((task) => results.get(task)!),
    unsent: new Set(tasks.flatMap((task, place) => (unsent.has(task) ? [place] : []))),
  };
}

function unlessLate(error: unknown): void {
  if (!(error instanceof TooLateError)) throw error;
}

function itemsOf(tasks: readonly Task[]): Task[][] {
  const items = new Map<string, Task[]>();
  for (const task of tasks) {
    const ofItem = items.get(task.itemId);
    if (ofItem === undefined) items.set(task.itemId, [task]);
    else ofItem.push(task);
  }
  return [...items.values()];
}

/** Room for new answers, and for those of earlier sends and of repeated keys. */
function createRooms(texts: CallTexts) {
  const [fresh, before] = [createAnswerRoom(texts), createAnswerRoom(texts)];
  return {
    fresh,
    keep(answer: SubmitResult): Promise<SubmitResult> {
      return (isRepeat(answer) ? before : fresh).keep(answer);
    },
  };
}

/** The requests of a run, each with the one that stands before it at its gate. */
function oneAfterAnother(requests: readonly QueuedRequest[]): QueuedRequest[] {
  const last = new Map<string, QueuedRequest>();
  return requests.map((request) => {
    // One between two gates is a run by itself.
    const [gate = ''] = gateNamesOf(request);
    const before = last.get(gate);
    last.set(gate, request);
    if (before === undefined) return request;
    const { requestId, key } = before;
    return { ...request, after: { requestId, ...(key !== undefined && { key }) } };
  });
}
