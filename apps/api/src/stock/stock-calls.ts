import { createRateLimiter } from '@inventory/auth/rate-limit';
import { tryOut, tryOutTogether } from '@inventory/db/batch/dry-run';
import { findNamedItems } from '@inventory/db/catalog/named-items';
import type { SentRequest } from '@inventory/db/requests/idempotency-keys';
import { readAnswers, readLeftOut } from '@inventory/db/requests/large-answers';
import { readOutcomes, settle } from '@inventory/db/requests/settle';
import { readLotSubjects, readOriginals } from '@inventory/db/requests/subjects';
import type { Sql } from '@inventory/postgres/pool';
import { NeverBegunError, type StatementPool, type Wait } from '@inventory/postgres/statement-pool';
import type { Tracing } from '@inventory/process/telemetry/tracing';
import type { RedisConnection } from '@inventory/redis/redis-cluster';
import { askAgain } from '@inventory/turns/ask-again';
import { gather } from '@inventory/turns/gather';
import { soon } from '@inventory/turns/soon';
import type { Database } from '../database.ts';
import { lateAsBusy } from '../http/as-busy.ts';
import type { UnreadAnswers } from '../http/unread-answers.ts';
import type { ApiQueue } from '../queue.ts';
import { createAnswerTexts } from './answer-texts.ts';
import { type BatchCalls, createBatchCalls } from './batch-call/batch-calls.ts';
import { createItemNames } from './batch-call/item-names.ts';
import { type BatchTurns, createBatchTurns } from './batch-call/turns.ts';
import type { ReadOutcomes } from './known-outcomes.ts';
import { createSender, type Sender } from './sender.ts';
import type { FindSubjects } from './subjects.ts';
import { createStock, type Stock } from './transactions.ts';

// Batch operations under way at once: one full envelope beside single transactions, all envelopes without.
const batchOperationsMax = { beside: 64, alone: 256 };
// When a connection ends or a statement takes too long (`verdicts`), outcomes are read again on another
// connection: a machine that is busy for a second must not cause a doubtful answer.
const readAgainForMs = 1500;
// The second half is kept for the read itself.
const readBesideMs = 1000;
// A large answer that is not read by then is answered with its number, or as unknown. The last half second is
// for the read itself.
const textWithinMs = 2000;
// Without them, operations under names that this process does not know wait for each other.
const namesWithinMs = 500;

/** The stock transactions of callers, single and in batches. */
export type StockCalls = Stock & BatchCalls;

type Neighbours = {
  database: Database;
  redis: RedisConnection;
  queue: ApiQueue;
  answers: UnreadAnswers;
  /** The clock of Postgres, in milliseconds since 1970. */
  now: () => number;
  /** null: traces are off. */
  tracing: Tracing | null;
};

/** Creates the handlers of the calls of stock, which go through the queue or are dry runs. */
export function createStockCalls(
  config: { OPERATION_LIMIT: number; QUEUE_PREFIX: string },
  { database, redis, queue: { submitter, needs }, answers, now, tracing }: Neighbours,
): StockCalls {
  const sender = createSender({ submitter, settle: settleTogether(database.verdicts), now, tracing });
  const turns = createBatchTurns(batchOperationsMax);
  const { findSubjects, readDecided, texts } = readingFrom(database, () => needs.hangingCommits() > 0);
  const shared = {
    findSubjects,
    readOutcomes: readDecided,
    answerTexts: createAnswerTexts(texts, answers),
    whyUnanswered: needs.whyUnanswered,
  };
  const inTrial = <T>(clientId: string, work: (sql: Sql) => Promise<T>, wait: Wait) =>
    database.trials.run(clientId, work, wait).catch((error) => {
      throw lateAsBusy(error);
    });
  return {
    ...createStock({
      ...shared,
      sender: notingSingles(sender, turns),
      tryOut: (request, clientId, wait) => inTrial(clientId, (sql) => tryOut(sql, request, clientId), wait),
    }),
    ...createBatchCalls({
      ...shared,
      sender,
      limiter: createRateLimiter(redis, { prefix: config.QUEUE_PREFIX, what: 'operations' }),
      operationLimit: config.OPERATION_LIMIT,
      turns,
      tryOut: (requests, clientId, decided, wait) =>
        inTrial(clientId, (sql) => tryOutTogether(sql, requests, clientId, decided), wait),
      itemNames: createItemNames((names) =>
        database.reads.run((sql) => findNamedItems(sql, names), soon(namesWithinMs)),
      ),
      now,
    }),
  };
}

/** Reads what is stored of transactions. `commitsHang`: whether commits wait for a standby that is away. */
function readingFrom({ verdicts, reads }: Database, commitsHang: () => boolean) {
  // Verdicts wait for locks and may occupy all of their connections. Plain reads do not wait for a
  // connection.
  const readSoon = <T>(read: (sql: Sql) => Promise<T>, mayHang: () => boolean) =>
    verdicts.run(read).catch((error) => {
      if (!(error instanceof NeverBegunError) || mayHang()) throw error;
      return reads.run(read, soon(readBesideMs));
    });
  const readAgain = <T>(read: (sql: Sql) => Promise<T>, mayHang = () => false) =>
    askAgain(performance.now() + readAgainForMs, () => readSoon(read, mayHang));
  const readText = <T>(read: (sql: Sql) => Promise<T>) =>
    askAgain(performance.now() + readAgainForMs, () => reads.run(read, soon(textWithinMs)));
  const findSubjects: FindSubjects = ({ transactionNos, recNos }) =>
    readAgain(async (sql) => {
      const [transactions, lots] = await Promise.all([
        transactionNos.length === 0 ? new Map() : readOriginals(sql, transactionNos),
        recNos.length === 0 ? new Map() : readLotSubjects(sql, recNos),
      ]);
      return { transactions, lots };
    });
  // This read waits until a standby has its result. While a standby is away, it stays off the connections of
  // the lists.
  const readDecided: ReadOutcomes = (requests) =>
    readAgain((sql) => readOutcomes(sql, requests), commitsHang);
  const texts = {
    read: (requestIds: readonly string[]) => readText((sql) => readAnswers(sql, requestIds)),
    leftOut: (requestIds: readonly string[]) => readAgain((sql) => readLeftOut(sql, requestIds)),
  };
  return { findSubjects, readDecided, texts };
}

/** Settles the requests of many callers in one statement. */
function settleTogether(verdicts: StatementPool) {
  return gather(verdicts, async (sql, requests: readonly SentRequest[]) => {
    const outcomes = await settle(sql, requests);
    return requests.map(({ requestId }) => outcomes.get(requestId)!);
  });
}

/** Tells the batches that single transactions are sent, which go first. */
function notingSingles(sender: Sender, turns: BatchTurns): Sender {
  return {
    ...sender,
    sendAll(requests, arrivedAt) {
      turns.noteSingle();
      return sender.sendAll(requests, arrivedAt);
    },
  };
}
