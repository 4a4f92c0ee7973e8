import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/**
 * A time in the code on which other times depend. `name`: of the constant, with its block if it is a field.
 */
export type Clock = { name: string; file: string; ms: number; meaning: string };

/** Name, file, and the event after this long, this often, or this long at most. */
const known: readonly (readonly [string, string, string])[] = [
  ['redisWaitMs', 'packages/auth/src/rate-limit.ts', 'a request waits for Redis to count it'],
  [
    'commandTimeoutMs',
    'packages/libraries/redis/src/redis.ts',
    'the api waits for Redis to take an envelope',
  ],
  [
    'producerSilentMs',
    'packages/libraries/redis/src/redis.ts',
    'a connection that owes an answer is replaced',
  ],
  [
    'sendWithinMs',
    'packages/libraries/webhooks/src/send-message.ts',
    'an attempt to send a message of a webhook ends',
  ],
  ['blockMs', 'packages/libraries/redis/src/redis.ts', 'a worker’s blocking read of the queue returns'],
  ['consumerSilentMs', 'packages/libraries/redis/src/redis.ts', 'a silent blocking connection is replaced'],
  ['heartbeatMs', 'packages/libraries/redis/src/redis.ts', 'an idle connection is pinged'],
  ['sweepEveryMs', 'packages/queue/src/submit/submit.ts', 'the timer of the waiters ticks'],
  ['busyFromMs', 'packages/queue/src/submit/lane.ts', 'an answer expected later is refused on arrival'],
  ['dropAfterMs', 'packages/queue/src/submit/waiters.ts', 'a request that has not been sent is refused'],
  [
    'lookAfterMs',
    'packages/queue/src/submit/waiters.ts',
    'Postgres is asked for the outcome of a sent request',
  ],
  ['lookWithinMs', 'apps/api/src/queue.ts', 'this look-up waits for a connection'],
  ['verdictAfterMs', 'packages/queue/src/submit/waiters.ts', 'Postgres settles an undecided request'],
  ['giveUpAfterMs', 'packages/queue/src/submit/waiters.ts', 'the last moment to answer at all'],
  ['verdicts.waitMs', 'apps/api/src/database.ts', 'a verdict waits for a connection'],
  ['verdicts.limitMs', 'apps/api/src/database.ts', 'a verdict ends, begun or not'],
  ['lockTimeoutMs', 'apps/worker/src/database.ts', 'a batch waits for a gate'],
  ['idleInTransactionMs', 'apps/worker/src/database.ts', 'Postgres ends a frozen worker’s transaction'],
  [
    'transactionMs',
    'packages/db/src/batch/batch-pool.ts',
    'Postgres ends it even in the middle of a statement',
  ],
  ['checkClientMs', 'packages/db/src/batch/batch-pool.ts', 'a backend checks that its worker is still there'],
  ['keptMs', 'packages/db/src/batch/batch-pool.ts', 'a transaction begun ahead is ended'],
  ['batchWithinMs', 'apps/worker/src/database.ts', 'a batch’s connections are replaced'],
  ['waitsMaxMs', 'apps/worker/src/held-gates.ts', 'a request for a held gate leaves its lane'],
  [
    'refusedForMs',
    'packages/db/src/requests/idempotency-keys.ts',
    'sends of a refused key no longer count as earlier',
  ],
  [
    'aheadMaxMs',
    'packages/db/src/requests/idempotency-keys.ts',
    'a refusal further ahead is blamed on a wrong clock',
  ],
  ['lockDuration', 'packages/queue/src/consume/serve-shard.ts', 'BullMQ gives up a worker that is silent'],
  [
    'stalledInterval',
    'packages/queue/src/consume/serve-shard.ts',
    'BullMQ looks for envelopes of dead workers',
  ],
  ['leftForMs', 'packages/queue/src/consume/consume.ts', 'an envelope left to others returns'],
  ['checkEveryMs', 'packages/queue/src/consume/service-watch.ts', 'a worker checks that Redis serves it'],
  [
    'unservedAfterMs',
    'packages/queue/src/consume/service-watch.ts',
    'a worker that Redis does not serve ends itself',
  ],
  ['clientMaxAgeMs', 'apps/api/src/http/callers/client-cache.ts', 'a client is read again'],
  ['maxAgeMs', 'apps/api/src/http/callers/token-keys.ts', 'signing keys are read again'],
  ['authenticateWithinMs', 'apps/api/src/http/callers/token-keys.ts', 'authentication fails'],
  [
    'beginWithinMs',
    'apps/api/src/stock/batch-call/run-each.ts',
    'an operation of a batch is no longer begun',
  ],
  ['bodyRoomOptions.waitMs', 'apps/api/src/http/reading/body-room.ts', 'a batch waits, unread, for room'],
  [
    'unreadAnswersOptions.waitMs',
    'apps/api/src/http/unread-answers.ts',
    'a call waits for room for its answer',
  ],
  ['roomWithinMs', 'apps/api/src/stock/answer-texts.ts', 'a large answer of a batch waits for room'],
  ['readWithinMs', 'apps/api/src/http/unread-answers.ts', 'an unread answer gives way to one that waits'],
  ['textWithinMs', 'apps/api/src/stock/stock-calls.ts', 'reading a large answer fails'],
  ['itemWriteLimitMs', 'apps/api/src/database.ts', 'a write of an item fails'],
  ['items.statementTimeoutMs', 'apps/api/src/database.ts', 'Postgres ends a write of an item'],
  ['listTimeoutMs', 'apps/api/src/database.ts', 'Postgres ends a list'],
  ['listLimitMs', 'apps/api/src/database.ts', 'the api ends a list'],
  [
    'askWithinMs',
    'packages/libraries/postgres/src/servers/standing.ts',
    'asking a server whether it is the primary fails',
  ],
  ['goodForMs', 'packages/libraries/postgres/src/servers/primary.ts', 'the primary may be asked for again'],
  [
    'watchEveryMs',
    'packages/libraries/postgres/src/servers/hosts.ts',
    'the primary is asked for without a cause',
  ],
  [
    'lookForMs',
    'packages/db/src/lists/pages/list-reading.ts',
    'no other index is tried for a list with few matches',
  ],
  ['looks.statementTimeoutMs', 'apps/api/src/database.ts', 'Postgres ends such a try'],
  ['looks.limitMs', 'apps/api/src/database.ts', 'the api ends all tries of a list'],
  ['replayWithinMs', 'apps/api/src/lists/replica.ts', 'a list waits for the replica to catch up'],
  ['cheap.limitMs', 'apps/api/src/lists/replica.ts', 'a cheap list goes to the primary instead'],
  [
    'marginMs',
    'packages/db/src/lists/next-modified-since.ts',
    'an open change holds back `X-Next-Modified-Since`',
  ],
  ['readAgainAfterMs', 'apps/api/src/lists/next-modified-since.ts', 'that value is read again'],
  ['answerWithinMs', 'apps/api/src/http/route.ts', 'a request without an answer gets 503'],
  ['silentMs', 'apps/api/src/http/connections/http-server.ts', 'a connection on which nothing moves is cut'],
  [
    'finishWithinMs',
    'packages/queue/src/consume/serve-shard.ts',
    'a stopping worker abandons unfinished work',
  ],
  ['seatMs', 'packages/queue/src/seats.ts', 'a silent worker loses its shards'],
  ['seatEveryMs', 'packages/queue/src/seats.ts', 'a worker renews its seat'],
  ['drainMs', 'packages/queue/src/seats.ts', 'a shard out of use may be released'],
  ['countEveryMs', 'packages/queue/src/submit/lines.ts', 'an api asks how many shards are in use'],
  ['seenWithinMs', 'packages/queue/src/workers-seen.ts', 'a silent worker counts as gone'],
  ['lookAtRedisEveryMs', 'apps/api/src/watch-needs.ts', 'an api checks for Redis and a worker'],
  ['lookAtPostgresEveryMs', 'apps/api/src/watch-needs.ts', 'an api checks for Postgres'],
  ['everyMs', 'apps/api/src/status-page/status-page.ts', 'the status page updates the cause'],
  ['stopWithinMs', 'packages/libraries/process/src/run.ts', 'a stopping process is ended'],
  ['stopWithinMs', 'apps/admin/src/start/supervise.ts', '`start` kills a process that does not stop'],
];

/** Relations that must hold, of names and milliseconds. */
export const relations: readonly string[] = [
  'redisWaitMs + commandTimeoutMs <= 1200',
  'commandTimeoutMs < producerSilentMs',
  'blockMs < consumerSilentMs',
  'busyFromMs < dropAfterMs',
  'lookAfterMs < dropAfterMs',
  'dropAfterMs < verdictAfterMs',
  'verdictAfterMs + verdicts.waitMs <= giveUpAfterMs',
  'idleInTransactionMs < verdictAfterMs',
  'keptMs < idleInTransactionMs',
  'checkClientMs < lockTimeoutMs',
  'idleInTransactionMs < marginMs',
  'lockTimeoutMs < idleInTransactionMs',
  'verdictAfterMs < batchWithinMs',
  'stalledInterval < lockDuration',
  'leftForMs < lookAfterMs',
  'lockDuration + stalledInterval < unservedAfterMs',
  'checkEveryMs < unservedAfterMs',
  'seatEveryMs < seatMs',
  'seatMs + seatEveryMs < lockDuration',
  'seatMs + seatEveryMs < verdictAfterMs',
  'countEveryMs < drainMs',
  'verdictAfterMs < drainMs',
  'items.statementTimeoutMs < itemWriteLimitMs',
  'itemWriteLimitMs < answerWithinMs',
  'listTimeoutMs < listLimitMs',
  'lookForMs + looks.statementTimeoutMs < looks.limitMs',
  'replayWithinMs < cheap.limitMs',
  'cheap.limitMs + cheap.limitMs < answerWithinMs',
  'listLimitMs < answerWithinMs',
  'batchWithinMs < finishWithinMs',
  'answerWithinMs < stopWithinMs',
  'answerWithinMs + bodyRoomOptions.waitMs < silentMs',
  'seenWithinMs + lookAtRedisEveryMs + everyMs <= 15000',
  'commandTimeoutMs + lookAtRedisEveryMs + everyMs <= 15000',
  'verdicts.limitMs + lookAtPostgresEveryMs + everyMs <= 15000',
];

/** The clocks with their values, as the code has them now. */
export function readClocks(): Clock[] {
  return known.map(([name, file, meaning]) => ({ name, file, meaning, ms: msIn(name, file) }));
}

function msIn(name: string, file: string): number {
  const [field, ...blocks] = name.split('.').reverse();
  const text = readFileSync(join(root, file), 'utf8');
  // A field in a block is the first of its name after the block's beginning.
  const from = blocks.length === 0 ? 0 : text.search(new RegExp(`\\b${blocks[0]}(?:: \\w+ =|:) \\{`));
  const found = new RegExp(`\\b${field}\\b(?:: number)?(?: =|:) ([\\d_]+)`).exec(text.slice(from));
  if (from < 0 || found === null) throw new Error(`no clock ${name} in ${file}`);
  return Number(found[1]!.replaceAll('_', ''));
}

/** The relations that these clocks break. */
export function brokenRelations(clocks: readonly Clock[]): string[] {
  const msOf = (name: string) => {
    if (/^\d+$/.test(name)) return Number(name);
    const found = clocks.find((clock) => clock.name === name);
    if (found === undefined) throw new Error(`no clock ${name}`);
    return found.ms;
  };
  const sumOf = (side: string) => side.split(' + ').reduce((sum, name) => sum + msOf(name.trim()), 0);
  return relations.filter((relation) => {
    const [left, right] = relation.split(/ <=? /).map(sumOf);
    return relation.includes('<=') ? left! > right! : left! >= right!;
  });
}
