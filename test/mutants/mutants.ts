/** A known way of breaking the code, and the test that must notice. */
export type Mutant = {
  name: string;
  edits: { file: string; search: string; replace: string }[];
  /**
   * A file below `test/`, with words that occur only in the title of the named test, or without them the
   * whole file. Or a fault of `test/faults/`, struck this many times.
   */
  test: { file: string; title?: string } | { fault: string; rounds: number };
};

const describeError = 'packages/process/src/log/describe-error.ts';
const knownTexts = 'packages/process/src/log/known-texts.ts';
const outlets = 'packages/process/src/log/outlets.ts';
const token = 'packages/auth/src/token.ts';
const tokenKeys = 'apps/api/src/http/callers/token-keys.ts';
const signingKeys = 'packages/db/src/access/signing-keys.ts';
const clients = 'packages/db/src/access/clients.ts';
const compareStock = 'packages/db/src/audit/compare-stock.ts';
const backgroundAudit = 'operating/background-audit.test.ts';
const applyBatch = 'packages/db/src/batch/apply-batch.ts';
const allocate = 'packages/domain/src/stock/allocate.ts';
const batchTransaction = 'packages/db/src/batch/batch-pool.ts';
const batcher = 'apps/worker/src/batcher.ts';
const connection = 'apps/api/src/http/connections/connection.ts';
const httpServer = 'apps/api/src/http/connections/http-server.ts';
const connections = 'apps/api/src/http/connections/connections.ts';
const gates = 'packages/db/src/batch/gates.ts';
const idempotency = 'packages/db/src/requests/idempotency-keys.ts';
const malformed = 'apps/api/src/http/connections/malformed-http.ts';
const pickStatements = 'packages/db/src/batch/picks/pick-statements.ts';
const items = 'packages/db/src/catalog/items.ts';
const changes = 'packages/db/schema/02-changes.sql';
const lane = 'packages/queue/src/submit/lane.ts';
const listTurns = 'apps/api/src/lists/list-turns.ts';
const statementPool = 'packages/db/src/postgres/statement-pool.ts';
const dbClient = 'packages/db/src/postgres/pool.ts';
const replica = 'packages/db/src/postgres/servers/replica.ts';
const strangers = 'apps/api/src/http/callers/strangers.ts';
const answers = 'packages/queue/src/answer-streams.ts';
const seats = 'packages/queue/src/seats.ts';
const leftBehind = 'packages/db/src/postgres/left-behind.ts';
const submit = 'packages/queue/src/submit/submit.ts';
const backup = 'packages/db/src/backup/backup.ts';
const backupFile = 'packages/db/src/backup/backup-file.ts';
const backupTables = 'packages/db/src/backup/backup-tables.ts';
const identity = 'packages/db/src/backup/identity.ts';
const restoring = 'packages/db/src/backup/restore.ts';
const rights = 'packages/db/schema/12-rights.sql';
const ledger = 'packages/db/schema/06-ledger.sql';
const runMigrationFile = 'packages/db/src/migrate/run-migration.ts';
const upkeep = 'packages/db/schema/11-upkeep.sql';
const signature = 'packages/queue/src/signature.ts';
const consume = 'packages/queue/src/consume/consume.ts';
const redisRights = 'packages/queue/src/redis/redis-rights.ts';
const waiters = 'packages/queue/src/submit/waiters.ts';
const caddyfile = 'docker/proxy/Caddyfile';
const heldGates = 'apps/worker/src/held-gates.ts';
const lotCounts = 'packages/db/schema/09-lot-counts.sql';
const readTransactionPage = 'packages/db/src/lists/pages/read-transaction-page.ts';
const transactionRecord = 'packages/db/src/lists/transaction-record.ts';
const writeBatch = 'packages/db/src/batch/write-batch.ts';

const unbalancedMove = {
  file: 'packages/domain/src/stock/move.ts',
  search: 'delta: units, balance: to.units }',
  replace: 'delta: units / 2n, balance: to.units }',
};

// Each search text occurs exactly once in its file; a mutant that no longer fits the code fails the run.
export const mutants: readonly Mutant[] = [
  {
    name: 'no request claim',
    edits: [
      {
        file: writeBatch,
        search: 'plain(({ transaction }) => transaction.request.requestId)',
        replace: 'plain(() => crypto.randomUUID())',
      },
    ],
    test: { file: 'concurrency/same-request.test.ts' },
  },
  {
    name: 'no abandoned row in the verdict',
    edits: [
      {
        file: 'packages/db/src/requests/settle.ts',
        search: 'order by 1) as asked',
        replace: 'order by 1) as asked where false',
      },
      {
        file: 'packages/db/src/requests/settle.ts',
        search: 'return readOutcomes(sql, requests);',
        replace: `const found = await readOutcomes(sql, requests);
  return new Map(
    requests.map(({ requestId: id }) => [id, found.get(id) ?? { status: 'abandoned', result: null }]),
  );`,
      },
    ],
    test: { file: 'concurrency/batch.test.ts', title: 'given up while its batch waited' },
  },
  {
    name: 'answer from a failed event',
    edits: [
      {
        file: submit,
        search: 'if (envelope !== undefined) void waiters.settle(envelope);',
        replace: `if (envelope !== undefined) {
          waiters.complete(envelope, envelope.requestIds.map(() => ['abandoned', null]));
        }`,
      },
    ],
    test: { file: 'concurrency/answers.test.ts', title: 'reported as failed after it was applied' },
  },
  {
    name: 'lost completions are not looked up',
    edits: [{ file: waiters, search: 'void look(toLook)', replace: 'void 0' }],
    test: { file: 'concurrency/answers.test.ts', title: 'completion never arrives' },
  },
  {
    name: 'a process that stood still gives up without asking Postgres',
    edits: [{ file: waiters, search: 'if (now - sweptAt >= stoodStillMs) {', replace: 'if (now < 0) {' }],
    test: { file: 'concurrency/answers.test.ts', title: 'stood still for its whole time' },
  },
  {
    name: 'waitUntilFinished with removeOnComplete',
    edits: [
      {
        file: submit,
        search: "import { jobIdOf, type Told } from '../answer-streams.ts';",
        replace:
          "import { QueueEvents } from 'bullmq';\nimport type { Told } from './answer-streams.ts';\nlet ends: any;",
      },
      {
        file: submit,
        search: 'jobId: jobIdOf(lines.reader, ++jobCount),',
        replace: 'jobId: `${++jobCount}-${crypto.randomUUID()}`,',
      },
      {
        file: submit,
        search: `await queue.add('envelope', signed, { jobId, ...jobOptions });`,
        replace: `ends ??= new QueueEvents(shard.queue.name, {
        connection: producer.duplicate({ maxRetriesPerRequest: null, commandTimeout: undefined }) as any,
        prefix,
      });
      const job = await queue.add('envelope', signed, { jobId, ...jobOptions });
      job.waitUntilFinished(ends, 2500).then(
        (result: any) => waiters.complete(envelope, openAnswer(options.keys, { queue: shard.queue.qualifiedName, jobId }, result)!),
        () => waiters.complete(envelope, envelope.requestIds.map(() => ['abandoned', null])),
      );`,
      },
    ],
    test: { file: 'concurrency/answers.test.ts', title: '201 for every request' },
  },
  {
    name: 'answers of a Redis whose clock is behind are skipped',
    edits: [{ file: answers, search: "consumer.on('ready', startOver);", replace: '' }],
    test: { file: 'concurrency/answers-apart.test.ts', title: 'whose clock is behind' },
  },
  {
    name: 'a silent worker keeps its seat',
    edits: [{ file: seats, search: 'tonumber(expires) <= now', replace: 'tonumber(expires) <= 0' }],
    test: { file: 'concurrency/shards.test.ts', title: 'a seat expires by itself' },
  },
  {
    name: 'a shard out of use is left with its jobs',
    edits: [{ file: seats, search: 'for shard = count, largest do', replace: 'for shard = count, -1 do' }],
    test: { file: 'concurrency/shards.test.ts', title: 'held until it is empty' },
  },
  {
    name: 'a worker without Postgres keeps its shards',
    edits: [
      {
        file: seats,
        search: "if isAble == '1' then table.insert(able, seats[index]) end",
        replace: 'table.insert(able, seats[index])',
      },
    ],
    test: { file: 'concurrency/shards.test.ts', title: 'cannot do its work' },
  },
  {
    name: 'shards out of use are never searched for work',
    edits: [
      {
        file: 'packages/queue/src/consume/share-shards.ts',
        search: 'if (served.has(0) && rounds % looksEvery === 0) found = await findWork();',
        replace: '',
      },
    ],
    test: { file: 'concurrency/shards.test.ts', title: 'not in use, of an api that does not know' },
  },
  {
    name: 'enableOfflineQueue: true',
    edits: [
      {
        file: 'packages/queue/src/redis/redis.ts',
        search: 'enableOfflineQueue: false',
        replace: 'enableOfflineQueue: true',
      },
    ],
    test: { file: 'concurrency/redis-away.test.ts', title: 'a command fails at once' },
  },
  {
    name: 'commands are queued until Redis is back',
    edits: [
      { file: submit, search: `if (producer.status !== 'ready') return false;`, replace: '' },
      {
        file: 'packages/queue/src/redis/redis.ts',
        search: 'enableOfflineQueue: false',
        replace: 'enableOfflineQueue: true',
      },
      {
        file: 'packages/queue/src/redis/redis.ts',
        search: 'maxRetriesPerRequest: 0,\n    commandTimeout: commandTimeoutMs',
        replace: 'maxRetriesPerRequest: null,\n    commandTimeout: commandTimeoutMs',
      },
    ],
    test: { file: 'concurrency/redis-away.test.ts', title: '200 for reads, 503 for writes within 1000 ms' },
  },
  {
    name: 'synchronous_commit = off accepted',
    edits: [
      {
        file: 'packages/db/src/postgres/wrong-settings.ts',
        search: `synchronous_commit: { isRight: (value) => value !== 'off', wanted: 'on' },`,
        replace: '',
      },
    ],
    test: { file: 'concurrency/start-up.test.ts', title: 'synchronous_commit = off' },
  },
  {
    name: 'gates unsorted',
    edits: [
      {
        file: gates,
        search: `order by part_no, wid
    for no key update`,
        replace: `order by part_no \${tx.unsafe(Math.random() < 0.5 ? 'asc' : 'desc')}, wid
    for no key update`,
      },
    ],
    test: { file: 'concurrency/gates.test.ts', title: 'opposite directions' },
  },
  {
    name: 'gate created inside the transaction, in order of arrival',
    edits: [
      {
        file: applyBatch,
        search: 'let own = await makeGates(pool.sql, unique, parts).catch(',
        replace: 'let own = parts; void (',
      },
      {
        file: applyBatch,
        search: 'const gateIds = gateIdsOf(requests, parts);',
        replace: `await makeGates(tx as unknown as Sql, requests, parts);
  const gateIds = gateIdsOf(requests, parts);`,
      },
      {
        file: gates,
        search: `order by part_no, wid
    on conflict do nothing`,
        replace: 'on conflict do nothing',
      },
    ],
    test: { file: 'concurrency/gates.test.ts', title: 'first to touch the same items' },
  },
  {
    name: 'SKIP LOCKED on gates',
    edits: [{ file: gates, search: 'of stock_level`', replace: 'of stock_level skip locked`' }],
    test: { file: 'concurrency/batch.test.ts', title: '20 of 20 units are seen' },
  },
  {
    name: 'lots locked with SKIP LOCKED instead of gates',
    edits: [
      { file: gates, search: 'for no key update of stock_level`', replace: '`' },
      {
        file: pickStatements,
        search: 'return `${part(false)} union all ${part(true)} limit ${limit}`;',
        replace: 'return part(false);',
      },
      {
        file: pickStatements,
        search: `          limit \${limit}
        )\`;`,
        replace: `          limit \${limit} for update of lot skip locked
        )\`;`,
      },
    ],
    test: { file: 'concurrency/batch.test.ts', title: '20 of 20 units are seen' },
  },
  {
    name: 'lots read before the gate',
    edits: [
      {
        file: applyBatch,
        search: `  const gateIds = gateIdsOf(requests, parts);
  // Sent at once`,
        replace: `  const gateIds = gateIdsOf(requests, parts);
  const early = await pickCandidates(tx, requests, parts, Promise.resolve({ now: new Date(), outcomes: new Map() }));
  // Sent at once`,
      },
      {
        file: applyBatch,
        search: 'pickCandidates(tx, requests, parts, facts))',
        replace: 'Promise.resolve(early))',
      },
    ],
    test: { file: 'concurrency/batch.test.ts', title: '20 of 20 units are seen' },
  },
  {
    name: 'batch without running balances',
    edits: [
      {
        file: 'packages/domain/src/stock/allocate.ts',
        search: 'const taken = lot.units < missing ? lot.units : missing;',
        replace: `if (!unitsRead.has(lot)) unitsRead.set(lot, lot.units);
    const taken = unitsRead.get(lot)! < missing ? unitsRead.get(lot)! : missing;`,
      },
      {
        file: 'packages/domain/src/stock/allocate.ts',
        search: 'export type Taking =',
        replace: `const unitsRead = new WeakMap<LotState, Quantity>();
export type Taking =`,
      },
    ],
    test: { file: 'concurrency/batch.test.ts', title: 'for 60 of 100 units' },
  },
  {
    name: 'lots taken in the order of their numbers',
    edits: [
      {
        file: 'packages/domain/src/stock/batch.ts',
        search: 'a.received - b.received ||',
        replace: '',
      },
    ],
    test: { file: 'concurrency/ledger-order.test.ts' },
  },
  {
    name: 'float sums',
    edits: [
      {
        file: 'packages/db/src/lists/list-stock-levels.ts',
        search: `inStock: 'sum(in_stock)'`,
        replace: `inStock: 'sum(in_stock::float8)::numeric'`,
      },
    ],
    test: { file: 'contract/stock-levels.test.ts', title: 'more than 15 digits' },
  },
  {
    name: 'rights cached for ever',
    edits: [
      {
        file: 'apps/api/src/http/callers/client-cache.ts',
        search: 'const clientMaxAgeMs = 500;',
        replace: 'const clientMaxAgeMs = Number.POSITIVE_INFINITY;',
      },
    ],
    test: { file: 'contract/scope.test.ts', title: 'a change of the scope holds within a second' },
  },
  {
    name: 'rights not checked again when a request is applied',
    edits: [
      {
        file: applyBatch,
        search: 'return denial === null ? null :',
        replace: 'return denial !== undefined ? null :',
      },
    ],
    test: { file: 'concurrency/revoked-rights.test.ts' },
  },
  {
    name: 'scope missing in a total',
    edits: [
      {
        file: 'packages/db/src/lists/pages/read-page.ts',
        search: `select count(*) from \${counted} where \${list.where}\`,`,
        replace: `select count(*) from \${counted}\`,`,
      },
    ],
    test: { file: 'contract/scope.test.ts', title: 'changes not a byte of any list' },
  },
  {
    name: 'scope missing in the counts of lots',
    edits: [
      {
        file: 'packages/db/src/lists/pages/read-lot-page.ts',
        search: `const scope = piece\`wid = any((select wids from asked)::integer[])\`;`,
        replace: `const scope = sql\`wid is not null\`;`,
      },
    ],
    test: { file: 'contract/scope.test.ts', title: 'changes not a byte of any list' },
  },
  {
    name: 'sort column interpolated',
    // Either guard alone is enough, so both go.
    edits: [
      {
        file: 'packages/paging/src/page-query.ts',
        search: 'sort !== undefined && sortColumns.includes(sort) ? sort : undefined',
        replace: 'sort',
      },
      {
        file: 'packages/db/src/lists/pages/read-page.ts',
        search: 'query.sort === undefined ? undefined : list.sortColumns[query.sort]',
        replace: 'query.sort === undefined ? undefined : { by: query.sort, emptyLast: false }',
      },
    ],
    test: { file: 'contract/paging.test.ts', title: 'an unknown sort is ignored' },
  },
  {
    name: 'refusals of unknown callers do not wait their turn',
    edits: [{ file: strangers, search: 'else await wait(ctx, payer);', replace: '' }],
    test: { file: 'security/strangers.test.ts', title: '401 waits its turn' },
  },
  {
    name: 'secret compared with ===',
    edits: [
      {
        file: 'packages/auth/src/secret.ts',
        search: 'if (timingSafeEqual(given, digests[index] ?? nobody) &&',
        replace: `if (given.toString('hex') === Buffer.from(digests[index] ?? nobody).toString('hex') &&`,
      },
    ],
    test: { file: 'security/secret-comparison.test.ts' },
  },
  {
    name: 'a right secret refused because of wrong ones',
    edits: [
      {
        file: 'apps/api/src/routes/token.ts',
        search: 'if (!isSecretOf(secret, digests)) {',
        replace: `const isRight = isSecretOf(secret, digests);
    const spent = isRight && !(await guesses.count(ctx.state.address, clientId)).allowed;
    if (!isRight || spent) {`,
      },
    ],
    test: { file: 'contract/token.test.ts', title: 'whatever wrong ones came' },
  },
  {
    name: 'a client with one secret costs one comparison',
    edits: [
      {
        file: 'packages/auth/src/secret.ts',
        search: 'index < Math.max(liveSecretsMax, digests.length)',
        replace: 'index < Math.max(1, digests.length)',
      },
    ],
    test: { file: 'security/secret-comparison.test.ts', title: 'costs two comparisons' },
  },
  {
    name: 'authentication skipped',
    edits: [
      {
        file: 'packages/auth/src/token.ts',
        search: 'const { payload, protectedHeader } = await jwtVerify(',
        replace: 'const { payload, protectedHeader } = await readUnverified(',
      },
      {
        file: 'packages/auth/src/token.ts',
        search: 'async function importKey(',
        replace: `async function readUnverified(token: string, ..._checks: unknown[]) {
  const [protectedHeader, payload] = token.split('.').map((part, index) => (index < 2 ? JSON.parse(Buffer.from(part, 'base64url').toString()) : null));
  return { payload, protectedHeader };
}
async function importKey(`,
      },
    ],
    test: { file: 'security/tokens.test.ts', title: 'changed in any part' },
  },
  {
    name: 'a failed write and its commit not awaited',
    edits: [
      { file: batchTransaction, search: 'Promise.all([begin, written])', replace: 'begin' },
      { file: batchTransaction, search: `if (command !== 'COMMIT') throw`, replace: 'if (false) throw' },
    ],
    test: { file: 'concurrency/batch.test.ts', title: 'when Postgres chokes' },
  },
  {
    name: 'answer sent before the commit',
    edits: [
      {
        file: batchTransaction,
        search: 'const { command } = await untilClosed(connection, committed);',
        replace: `const command: string = 'COMMIT';`,
      },
    ],
    test: { file: 'concurrency/batch.test.ts', title: 'whose commit itself fails' },
  },
  {
    name: 'a transaction begun ahead outlives its connection',
    edits: [
      {
        file: batchTransaction,
        search: 'if (connection.isOpen()) return connection;',
        replace: 'return connection;',
      },
      { file: batchTransaction, search: 'if (connection.isOpen() && !ended)', replace: 'if (!ended)' },
    ],
    test: { file: 'concurrency/batch.test.ts', title: 'ended the connection that waited' },
  },
  {
    name: "the commit's tag not checked",
    edits: [
      { file: batchTransaction, search: `if (command !== 'COMMIT') throw`, replace: 'if (false) throw' },
    ],
    test: { file: 'concurrency/lost-backends.test.ts', title: 'a pooler on the way' },
  },
  {
    name: "batches at the database's default isolation",
    edits: [
      {
        file: batchTransaction,
        search: 'begin isolation level read committed',
        replace: 'begin',
      },
    ],
    test: { file: 'concurrency/lost-backends.test.ts', title: 'read committed' },
  },
  {
    name: 'every error with a code counts as an outage',
    edits: [
      {
        file: 'packages/db/src/postgres/pool.ts',
        search:
          'return error instanceof postgres.PostgresError ? unavailable.test(code) : unreachable.has(code);',
        replace: 'return unreachable.has(code) || code.length === 5;',
      },
    ],
    test: { file: 'concurrency/lost-backends.test.ts', title: 'an outage is' },
  },
  {
    name: 'no limit of lots for one transaction',
    edits: [
      {
        file: allocate,
        search: 'if (parts.length <= lotsPerTransactionMax) return parts;',
        replace: 'if (parts.length > 0) return parts;',
      },
    ],
    test: { file: 'concurrency/large-issues.test.ts', title: 'an issue of 1,000 lots' },
  },
  {
    name: 'lots taken ahead of lots not yet read',
    edits: [{ file: allocate, search: 'order(lot, horizon) > 0', replace: 'lot.recNo < 0' }],
    test: { file: 'concurrency/large-issues.test.ts', title: 'the first lots in order' },
  },
  {
    name: 'available lots counted before the batch took some',
    edits: [
      {
        file: allocate,
        search: ' || batch.touched.has(gateKey(pick.partNo, pick.wid))',
        replace: '',
      },
    ],
    test: { file: 'concurrency/large-issues.test.ts', title: 'than the request before it left' },
  },
  {
    name: 'requests decided ahead of one left for the next batch',
    edits: [{ file: applyBatch, search: 'entriesMax || needsAny(request, left)', replace: 'entriesMax' }],
    test: { file: 'concurrency/large-issues.test.ts', title: 'in as many batches as it takes' },
  },
  {
    name: 'a whole batch waits for a held gate',
    edits: [{ file: batcher, search: 'if (gates !== null) {', replace: 'if (gates !== null && false) {' }],
    test: { file: 'concurrency/held-gates.test.ts', title: 'while somebody holds another gate' },
  },
  {
    name: 'deltas not balanced',
    edits: [unbalancedMove],
    test: { file: 'concurrency/gates.test.ts', title: 'opposite directions' },
  },
  {
    name: 'deadline not checked',
    edits: [
      {
        file: applyBatch,
        search: 'if (now > request.deadline)',
        replace: 'if (now < 0)',
      },
    ],
    test: { file: 'concurrency/batch.test.ts', title: 'whose deadline has passed' },
  },
  {
    name: 'a batch that fails is not cut',
    edits: [
      {
        file: batcher,
        search: 'else await applyInPieces(others, others.length >> 1, outcomes);',
        replace: 'else for (const each of others) outcomes.set(each.requestId, await fail(each));',
      },
    ],
    test: { file: 'concurrency/batch.test.ts', title: 'when Postgres chokes' },
  },
  {
    name: 'the second half of a batch that fails goes first',
    edits: [
      {
        file: batcher,
        search: 'const piece = requests.slice(from, from + size);',
        replace: `const rest = requests.length - from - size;
      const piece = requests.slice(Math.max(0, rest), rest + size);`,
      },
    ],
    test: { file: 'concurrency/batch.test.ts', title: 'when Postgres chokes' },
  },
  {
    name: 'no admission control',
    edits: [{ file: lane, search: '+ lane.roundTripMs > busyFromMs', replace: '< 0' }],
    test: { file: 'concurrency/overload.test.ts', title: 'arrive in one turn' },
  },
  {
    name: 'the time of lost answers is not learnt',
    edits: [
      {
        file: lane,
        search: 'lane.roundTripMs += (',
        replace: 'if (now - envelope.sentAt < 125) lane.roundTripMs += (',
      },
    ],
    test: { file: 'concurrency/overload.test.ts', title: 'arrive in one turn' },
  },
  {
    name: 'admission ignores requests waiting for the end of the turn',
    edits: [
      {
        file: lane,
        search:
          'const ahead = lane.waiting.length - (limits.inFlightMax - lane.sent.size) * limits.envelopeMax;',
        replace: 'const ahead = lane.sent.size < limits.inFlightMax ? -1 : lane.waiting.length;',
      },
    ],
    test: { file: 'concurrency/overload.test.ts', title: 'arrive in one turn' },
  },
  {
    name: 'synchronous_commit = off, as the fault harness sees it',
    edits: [
      {
        file: 'packages/db/src/postgres/wrong-settings.ts',
        search: `synchronous_commit: { isRight: (value) => value !== 'off', wanted: 'on' },`,
        replace: '',
      },
      {
        file: 'packages/db/src/postgres/connection-settings.ts',
        search: `TimeZone: 'UTC',`,
        replace: `TimeZone: 'UTC', synchronous_commit: 'off',`,
      },
    ],
    test: { fault: 'postgres kill -9', rounds: 2 },
  },
  {
    name: 'no request claim, as the fault harness sees it',
    edits: [
      {
        file: writeBatch,
        search: 'plain(({ transaction }) => transaction.request.requestId)',
        replace: 'plain(() => crypto.randomUUID())',
      },
      { file: applyBatch, search: 'if (now > request.deadline)', replace: 'if (now < 0)' },
    ],
    test: { fault: 'worker kill -9', rounds: 40 },
  },
  {
    name: 'answer from the clock alone, as the fault harness sees it',
    edits: [
      {
        file: 'packages/db/src/requests/settle.ts',
        search: 'order by 1) as asked',
        replace: 'order by 1) as asked where false',
      },
      {
        file: 'packages/db/src/requests/settle.ts',
        search: 'return readOutcomes(sql, requests);',
        replace: `return new Map(requests.map(({ requestId: id }) => [id, { status: 'abandoned', result: null }]));`,
      },
      { file: applyBatch, search: 'if (now > request.deadline)', replace: 'if (now < 0)' },
      { file: waiters, search: 'void look(toLook)', replace: 'void 0' },
    ],
    test: { fault: 'worker kill -9', rounds: 16 },
  },
  {
    name: 'a silently dead connection of the api is kept',
    edits: [
      { file: 'packages/queue/src/redis/redis.ts', search: 'socketTimeout: producerSilentMs,', replace: '' },
    ],
    test: { file: 'concurrency/redis-silent.test.ts', title: 'of the submitter' },
  },
  {
    name: 'a silently dead connection of the worker is kept',
    edits: [
      { file: 'packages/queue/src/redis/redis.ts', search: 'socketTimeout: consumerSilentMs,', replace: '' },
    ],
    test: { file: 'concurrency/redis-silent.test.ts', title: 'of the consumer' },
  },
  {
    name: 'an idle connection is not probed',
    edits: [
      { file: 'packages/queue/src/redis/redis.ts', search: 'redis.ping()', replace: 'Promise.reject()' },
    ],
    test: { file: 'concurrency/redis-silent.test.ts', title: 'that nobody uses' },
  },
  {
    name: 'a replica counts as the server',
    edits: [{ file: 'packages/queue/src/redis/redis.ts', search: '(READONLY|', replace: '(' }],
    test: { file: 'concurrency/redis-silent.test.ts', title: 'after a failover' },
  },
  {
    name: 'large answers travel through Redis',
    edits: [
      { file: 'packages/queue/src/envelope.ts', search: 'if (isStored && (', replace: 'if (!isStored && (' },
    ],
    test: {
      file: 'concurrency/large-answers.test.ts',
      title: 'carries only a note that the answer is stored',
    },
  },
  {
    name: 'the canary concludes nothing from silence',
    edits: [
      {
        file: 'packages/queue/src/consume/service-watch.ts',
        search: `return name === 'ReplyError' ||`,
        replace: 'return true ||',
      },
    ],
    test: { file: 'concurrency/redis-silent.test.ts', title: 'answers nothing' },
  },
  {
    name: 'the canary takes a full Redis for a broken connection',
    edits: [
      {
        file: 'packages/queue/src/consume/service-watch.ts',
        search: `return name === 'ReplyError' ||`,
        replace: 'return false ||',
      },
    ],
    test: { file: 'concurrency/redis-silent.test.ts', title: 'a Redis that is full' },
  },
  {
    name: 'a missing answer becomes null',
    edits: [
      {
        file: 'packages/db/src/batch/write-batch.ts',
        search: "case when json_typeof(result) <> 'null' then result end",
        replace: 'result',
      },
    ],
    test: { file: 'concurrency/batch.test.ts', title: 'a request whose deadline has passed' },
  },
  {
    name: 'a key not claimed by its batch',
    edits: [
      {
        file: 'packages/db/src/batch/write-batch.ts',
        search: 'const keys = keyed.length === 0 ?',
        replace: 'const keys = keyed.length < 1e9 ?',
      },
    ],
    test: { file: 'concurrency/idempotency-under-kills.test.ts' },
  },
  {
    name: 'keys shared by all clients',
    edits: [
      {
        file: idempotency,
        search: 'return `${key.digest} ${clientId}`;',
        replace: 'return key.digest + clientId.slice(99);',
      },
    ],
    test: { file: 'concurrency/keys.test.ts', title: 'of another client' },
  },
  {
    name: 'another request under a key accepted in one batch',
    edits: [
      { file: idempotency, search: 'first.key.fingerprint === request.key.fingerprint', replace: 'true' },
    ],
    test: { file: 'concurrency/keys.test.ts', title: 'three times in one batch' },
  },
  {
    name: 'keys claimed in order of arrival',
    edits: [
      {
        file: idempotency,
        search: `order by client_id collate "C", decode(digest, 'base64')`,
        replace: '',
      },
    ],
    test: { file: 'concurrency/keys.test.ts', title: 'two items to two workers' },
  },
  {
    name: 'keys refused in order of arrival',
    edits: [
      {
        file: idempotency,
        search: 'order by client_id collate "C", key_digest',
        replace: 'order by max(asked_at), random()',
      },
    ],
    test: { file: 'concurrency/keys.test.ts', title: 'each in another order' },
  },
  {
    name: 'a key claimed after it was refused for its send',
    edits: [
      {
        file: idempotency,
        search: 'when key.request_id is null and ${isOpen} then',
        replace: 'when key.request_id is null then',
      },
    ],
    test: { file: 'concurrency/keys.test.ts', title: 'while its batch waited' },
  },
  {
    name: 'a refused key not checked',
    edits: [
      {
        file: idempotency,
        search: `return isRefused(row, key.askedAt) ? { status: 'abandoned', result: null } : null;`,
        replace: 'return null;',
      },
    ],
    test: { file: 'concurrency/keys.test.ts', title: 'came before another send' },
  },
  {
    name: 'a verdict on one send, not on its key',
    edits: [
      {
        file: 'packages/db/src/requests/settle.ts',
        search: 'others.length > 0 && abandon(sql, others),',
        replace: 'requests.length > 0 && abandon(sql, requests),',
      },
      {
        file: 'packages/db/src/requests/settle.ts',
        search: 'keyed.length > 0 && refuseKeys(sql, keyed),',
        replace: '',
      },
    ],
    test: { file: 'concurrency/keys.test.ts', title: 'came before another send' },
  },
  {
    name: 'a request refused by the queue not settled',
    edits: [
      {
        file: 'apps/api/src/stock/sender.ts',
        search: `if (answer.status !== 'busy' || !isKeyed(request)) return answer;`,
        replace: 'if (Date.now() > 0 || !isKeyed(request)) return answer;',
      },
    ],
    test: { file: 'concurrency/keys.test.ts', title: 'the other process has under way' },
  },
  {
    name: 'requests in doubt after a connection ended while settling',
    edits: [
      {
        file: 'apps/api/src/stock/insist.ts',
        search: 'performance.now() + againAfterMs > untilMs',
        replace: 'performance.now() > 0',
      },
    ],
    test: { file: 'concurrency/keys.test.ts', title: 'a request that the queue refuses' },
  },
  {
    name: 'a connection that swallows statements is kept',
    edits: [
      {
        file: 'packages/db/src/postgres/statement-pool.ts',
        search: 'late = setImmediate(() => suspectSince(connection, startedAt));',
        replace: 'late = undefined;',
      },
    ],
    test: { file: 'concurrency/statement-pool.test.ts', title: 'others are served beside it' },
  },
  {
    name: 'a process that stood still throws its connections away',
    edits: [
      {
        file: 'packages/db/src/postgres/statement-pool.ts',
        search: 'late = setImmediate(() => suspectSince(connection, startedAt));',
        replace: 'suspectSince(connection, startedAt);',
      },
    ],
    test: { file: 'concurrency/statement-pool.test.ts', title: 'nor taken for hanging' },
  },
  {
    name: 'a schema of another version accepted',
    edits: [
      {
        file: 'packages/db/src/migrate/migrate.ts',
        search: 'if (version < known) {',
        replace: 'if (version < 0) {',
      },
    ],
    test: { file: 'concurrency/start-up.test.ts', title: 'it must be migrated' },
  },
  {
    name: 'a process accepts tables that are too new',
    edits: [
      {
        file: 'packages/db/src/migrate/migrate.ts',
        search: 'if (compatible!.oldest > known) refuseNewer(version, known);',
        replace: '',
      },
    ],
    test: { file: 'concurrency/start-up.test.ts', title: 'it needs a newer version' },
  },
  {
    name: 'a process refuses newer tables that still suit it',
    edits: [
      {
        file: 'packages/db/src/migrate/migrate.ts',
        search: 'compatible!.oldest > known',
        replace: 'version > known',
      },
    ],
    test: { file: 'concurrency/start-up.test.ts', title: 'is still good for this version' },
  },
  {
    name: 'a migration applied without its note',
    edits: [
      {
        file: runMigrationFile,
        search: '${timeoutMs};\\n${script}`);',
        replace: '${timeoutMs};\\n${script}\\ncommit;`);',
      },
    ],
    test: { file: 'concurrency/migrations.test.ts', title: 'broken off before it is noted' },
  },
  {
    name: 'workers remove transactions whose key is left',
    edits: [{ file: upkeep, search: 'if not round.has_left then', replace: 'if true then' }],
    test: { file: 'concurrency/retention.test.ts', title: 'never before its key' },
  },
  {
    name: 'workers remove transactions as young as keys',
    edits: [
      {
        file: upkeep,
        search: "transactions := remove_undone_transactions(round.keys_until - interval '1 day', count_max)",
        replace: 'transactions := remove_undone_transactions(round.keys_until, count_max)',
      },
    ],
    test: { file: 'concurrency/retention.test.ts', title: 'workers remove' },
  },
  {
    name: 'applied transactions removed with refused ones',
    edits: [
      {
        file: upkeep,
        search: "where status <> 'applied' and at < least(until, clock_timestamp() - interval '8 days')",
        replace: "where at < least(until, clock_timestamp() - interval '8 days')",
      },
    ],
    test: { file: 'concurrency/retention.test.ts', title: 'workers remove' },
  },
  {
    name: 'old keys are never removed',
    edits: [{ file: 'packages/process/src/run-again.ts', search: '  wait(firstMs);\n', replace: '' }],
    test: { file: 'concurrency/retention.test.ts', title: 'workers remove' },
  },
  {
    name: 'requests waiting for a gate are lost with their lane',
    edits: [
      {
        file: heldGates,
        search: 'if (own.length > 0) laneOf(name).waiting.unshift(...own);',
        replace: 'held.waiting.unshift(...own);',
      },
    ],
    test: { file: 'concurrency/held-gates.test.ts', title: 'held in turn' },
  },
  {
    name: 'an outage drops requests waiting for a gate',
    edits: [
      {
        file: heldGates,
        search: 'await putBack(name, free);',
        replace: 'options.report(error as Error, name);',
      },
    ],
    test: { file: 'concurrency/held-gates.test.ts', title: 'a connection that ends' },
  },
  {
    name: 'NUL reaches Postgres',
    edits: [
      {
        file: 'packages/domain/src/contract/fields.ts',
        search: "!value.includes('\\u0000') && value.isWellFormed()",
        replace: 'value.isWellFormed()',
      },
    ],
    test: { file: 'security/malformed-input.test.ts', title: 'never a 5xx' },
  },
  {
    name: 'errors of Postgres logged with their text',
    edits: [
      {
        file: knownTexts,
        search: 'if (speaking.has(code)) return message;',
        replace: `if (code !== '') return message;`,
      },
    ],
    test: { file: 'security/errors-in-logs.test.ts', title: 'a value not of its type' },
  },
  {
    name: 'commands of Redis logged with their arguments',
    edits: [
      {
        file: describeError,
        search: 'matching((error.command as { name?: unknown } | undefined)?.name, /^[A-Za-z]{1,32}$/)',
        replace: 'JSON.stringify(error.command)',
      },
    ],
    test: { file: 'security/secrets-in-logs.test.ts', title: 'Redis refuses the password' },
  },
  {
    name: 'messages of any error logged',
    edits: [
      {
        file: describeError,
        search: 'return knownBeginning(message) ?? (',
        replace: 'return message ?? (',
      },
    ],
    test: { file: 'security/errors-in-logs.test.ts', title: 'that quote their input' },
  },
  {
    name: 'libraries print directly',
    edits: [
      {
        file: outlets,
        search: 'of consoleMethods) {',
        replace: 'of consoleMethods.slice(9)) {',
      },
    ],
    test: { file: 'security/secrets-in-logs.test.ts', title: 'libraries print' },
  },
  {
    name: 'a job that fails keeps the error in Redis',
    edits: [
      {
        file: 'packages/queue/src/consume/consume.ts',
        search: `throw new EnvelopeError('an envelope was not applied', { cause: error });`,
        replace: 'throw error;',
      },
    ],
    test: { file: 'security/errors-in-logs.test.ts', title: 'an envelope that fails' },
  },
  {
    name: 'a signing key verifies for ever',
    edits: [
      {
        file: token,
        search: 'known.until <= now.getTime()',
        replace: 'known.until <= 0',
      },
      {
        file: signingKeys,
        search: 'and (retired is null or retired > now() -',
        replace: 'and (true or retired > now() -',
      },
    ],
    test: { file: 'security/signing-keys.test.ts', title: 'whose last token has ended' },
  },
  {
    name: 'a token is cached without its signing key',
    edits: [
      {
        file: tokenKeys,
        search: 'return ring.verifying.has(claims.kid) ? found : null;',
        replace: 'return found;',
      },
    ],
    test: { file: 'security/signing-keys.test.ts', title: 'that was withdrawn' },
  },
  {
    name: 'signing keys read four times a minute',
    edits: [
      {
        file: tokenKeys,
        search: 'const maxAgeMs = 500;',
        replace: 'const maxAgeMs = 15_000;',
      },
    ],
    test: { file: 'security/signing-keys.test.ts', title: 'that was withdrawn' },
  },
  {
    name: 'an unknown signing key is not looked up',
    edits: [
      {
        file: tokenKeys,
        search: 'await within(authenticateWithinMs, readSince(performance.now()));',
        replace: 'void readSince;',
      },
    ],
    test: { file: 'security/signing-keys.test.ts', title: 'made a moment ago' },
  },
  {
    name: 'a new signing key signs at once',
    edits: [
      {
        file: signingKeys,
        search: 'await insertKey(tx, key, keySettleSeconds);',
        replace: 'await insertKey(tx, key, 0);',
      },
    ],
    test: { file: 'security/tokens.test.ts', title: 'trusted at once and signs later' },
  },
  {
    name: 'the private half of a signing key is deleted at rotation',
    edits: [
      {
        file: signingKeys,
        search: 'where retired <= clock_timestamp() or',
        replace: 'where retired is not null or',
      },
    ],
    test: { file: 'security/signing-keys.test.ts', title: 'and no other' },
  },
  {
    name: 'the private half of a retired signing key stays',
    edits: [
      {
        file: signingKeys,
        search: 'where retired <= clock_timestamp() or',
        replace: 'where',
      },
    ],
    test: { file: 'security/signing-keys.test.ts', title: 'and no other' },
  },
  {
    name: 'any token type accepted',
    edits: [
      {
        file: token,
        search: `typ !== 'JWT' || `,
        replace: '',
      },
    ],
    test: { file: 'security/tokens.test.ts', title: 'the type in small letters' },
  },
  {
    name: "b64 in a token's header accepted",
    edits: [
      {
        file: token,
        search: ' || crit !== undefined || b64 !== undefined',
        replace: '',
      },
    ],
    test: { file: 'security/tokens.test.ts', title: 'b64' },
  },
  {
    name: 'a token of any lifetime accepted',
    edits: [
      {
        file: token,
        search: 'exp - iat > tokenLifetimeSeconds || ',
        replace: '',
      },
    ],
    test: { file: 'security/tokens.test.ts', title: 'a life of more than an hour' },
  },
  {
    name: 'a token issued in the future accepted',
    edits: [
      {
        file: token,
        search: ' || iat * 1000 > now.getTime() + leewaySeconds * 1000',
        replace: '',
      },
    ],
    test: { file: 'security/tokens.test.ts', title: 'a time of issue in the future' },
  },
  {
    name: 'a token id that is no text accepted',
    edits: [
      {
        file: token,
        search: ` || typeof jti !== 'string' || jti === ''`,
        replace: '',
      },
    ],
    test: { file: 'security/tokens.test.ts', title: 'an id that is a number' },
  },
  {
    name: 'secrets never expire',
    edits: [
      {
        file: clients,
        search: 'and not disabled and (expires is null or expires > now())',
        replace: 'and not disabled',
      },
    ],
    test: { file: 'security/signing-keys.test.ts', title: 'an expired secret' },
  },
  {
    name: 'the api may delete rows it may change',
    edits: [
      {
        file: rights,
        search: 'grant insert on item_arrival to inventory_api;',
        replace: 'grant insert, delete on item_arrival to inventory_api;',
      },
    ],
    test: { file: 'security/database-rights.test.ts', title: 'has exactly these rights on each table' },
  },
  {
    name: 'the api may write whole transactions',
    edits: [
      {
        file: rights,
        search: 'grant insert (request_id, status) on stock_transaction to inventory_api;',
        replace: 'grant insert on stock_transaction to inventory_api;',
      },
    ],
    test: { file: 'security/database-rights.test.ts', title: 'has exactly these rights on each table' },
  },
  {
    name: 'the owner deletes transactions',
    edits: [
      {
        file: ledger,
        search: `old.status = 'applied' or old.at > clock_timestamp() - interval '8 days'`,
        replace: 'false',
      },
    ],
    test: { file: 'security/database-rights.test.ts', title: 'delete from stock_transaction' },
  },
  {
    name: 'Redis without passwords',
    edits: [
      {
        file: redisRights,
        search: 'user default off resetchannels -@all',
        replace: 'user default on nopass ~* &* +@all',
      },
    ],
    test: { file: 'local/stack.test.ts', title: 'Redis refuses connections without a name' },
  },
  {
    name: 'the worker may touch all keys of the service in Redis',
    edits: [
      {
        file: redisRights,
        search: 'worker: (prefix) => [`~${prefix}:{stock-*`]',
        replace: "worker: (prefix) => [`~${prefix}:{stock-*`, '~*']",
      },
    ],
    test: { file: 'local/stack.test.ts', title: 'Redis refuses connections without a name' },
  },
  {
    name: 'an unsigned job is applied',
    edits: [
      {
        file: signature,
        search: 'if (key === null || !isSignedBy(key, `envelope ${version}`, place, text, mac)) return null;',
        replace: '',
      },
    ],
    test: { file: 'security/forged-jobs.test.ts', title: 'no api signed for this very job' },
  },
  {
    name: 'a worker drops requests of an unknown kind',
    edits: [
      {
        file: 'packages/queue/src/envelope.ts',
        search: 'if (!Object.hasOwn(versionSince, kind)) return false;',
        replace: '',
      },
    ],
    test: {
      file: 'concurrency/envelope-versions.test.ts',
      title: 'with an unknown kind of request',
    },
  },
  {
    name: 'the version of an envelope is not signed',
    edits: [
      {
        file: signature,
        search: 'sign(keys.signing(), `envelope ${version}`, place, text)',
        replace: 'sign(keys.signing(), `envelope 1`, place, text)',
      },
      {
        file: signature,
        search: 'isSignedBy(key, `envelope ${version}`, place, text, mac)',
        replace: 'isSignedBy(key, `envelope 1`, place, text, mac)',
      },
    ],
    test: { file: 'concurrency/envelope-versions.test.ts', title: 'that no api signed is refused, not left' },
  },
  {
    name: 'an unknown envelope circulates for ever',
    edits: [{ file: consume, search: 'if (job.attemptsStarted > leftTimesMax) return false;', replace: '' }],
    test: { file: 'concurrency/envelope-versions.test.ts', title: 'is dropped in the end' },
  },
  {
    name: 'a signature is good for every job',
    edits: [
      {
        file: signature,
        search: 'JSON.stringify([kind, queue, jobId])',
        replace: 'JSON.stringify([kind, queue])',
      },
    ],
    test: { file: 'security/forged-jobs.test.ts', title: 'no api signed for this very job' },
  },
  {
    name: 'a signature is good for every queue',
    edits: [
      {
        file: signature,
        search: 'JSON.stringify([kind, queue, jobId])',
        replace: 'JSON.stringify([kind, jobId])',
      },
    ],
    test: { file: 'security/forged-jobs.test.ts', title: 'no api signed for this very job' },
  },
  {
    name: 'an unsigned answer is accepted',
    edits: [
      {
        file: signature,
        search: `isSignedBy(key, 'answer', place, textOf(results), mac) ? results : null`,
        replace: `isSignedBy(key, 'answer', place, '', mac) || true ? results : null`,
      },
    ],
    test: { file: 'security/forged-jobs.test.ts', title: 'no worker signed for this job' },
  },
  {
    name: 'an answer is signed without the bounds of its texts',
    edits: [
      {
        file: signature,
        search: "typeof result === 'string' ? result.length : [result]",
        replace: "''",
      },
    ],
    test: { file: 'security/forged-jobs.test.ts', title: 'no worker signed for this job' },
  },
  {
    name: 'a refused job is tried again',
    edits: [
      {
        file: consume,
        search: 'if (reopened === null) refusals.note();',
        replace: `if (reopened === null) throw new Error('refused');`,
      },
    ],
    test: { file: 'security/forged-jobs.test.ts', title: 'no api signed for this very job' },
  },
  {
    name: 'an unreadable job is retried for ever',
    edits: [
      {
        file: 'packages/queue/src/consume/serve-shard.ts',
        search: 'mendUnreadable(worker, queue, producer);',
        replace: '',
      },
    ],
    test: { file: 'security/forged-jobs.test.ts', title: 'no api signed for this very job' },
  },
  {
    name: 'the api container sees the password of the owner',
    edits: [
      {
        file: 'docker-compose.yml',
        search: '- secrets-api:/secrets:ro',
        replace: '- secrets:/secrets:ro',
      },
    ],
    test: { file: 'docker/containers.test.ts', title: 'its own secrets alone' },
  },
  {
    name: 'Postgres on a network with a route out',
    edits: [
      {
        file: 'docker-compose.yml',
        search: 'networks: [inside]\n    restart: unless-stopped\n    stop_grace_period: 60s',
        replace: 'networks: [inside, outside]\n    restart: unless-stopped\n    stop_grace_period: 60s',
      },
    ],
    test: { file: 'docker/containers.test.ts', title: 'has no route out' },
  },
  {
    name: 'a list goes on after its caller left',
    edits: [{ file: statementPool, search: 'onGone?.(giveUp)', replace: 'onGone?.(() => {})' }],
    test: { file: 'concurrency/statement-pool.test.ts', title: 'ends in Postgres when its caller goes' },
  },
  {
    name: 'a connection is used again after a cancel',
    edits: [{ file: statementPool, search: 'gaveUp || cancelled || suspect', replace: 'gaveUp || suspect' }],
    test: { file: 'concurrency/statement-pool.test.ts', title: 'a cancel that comes late' },
  },
  {
    name: 'a broken transaction goes on, on another connection',
    edits: [{ file: statementPool, search: '(cancels && isOutage(error))', replace: 'false' }],
    test: { file: 'concurrency/statement-pool.test.ts', title: 'the rest of a transaction' },
  },
  {
    name: 'the rows of finished statements are kept',
    edits: [
      {
        file: 'packages/db/src/postgres/cancellable.ts',
        search: 'statements.delete(each);',
        replace: 'void each;',
      },
    ],
    test: { file: 'concurrency/statement-pool.test.ts', title: 'rows that were read are not kept' },
  },
  {
    name: 'one client may run all costly lists',
    edits: [
      {
        file: listTurns,
        search: 'costly: { perClient: 1, total: 2 }',
        replace: 'costly: { perClient: 2, total: 2 }',
      },
    ],
    test: { file: 'concurrency/list-turns.test.ts', title: 'two at once in Postgres' },
  },
  {
    name: 'lists are served in order of arrival, not by client',
    edits: [
      {
        file: 'apps/api/src/turns/fair-line.ts',
        search: 'if (places.delete(name)) places.set(name, own);',
        replace: '',
      },
    ],
    test: { file: 'concurrency/list-turns.test.ts', title: 'go between those of one client' },
  },
  {
    name: 'a writing route is open to read-only clients',
    edits: [
      {
        file: 'apps/api/src/routes/items.ts',
        search: `summary: 'Discontinue an item; its inventory records remain',
      permission: Permission.ModifyItemMaster,
      writes: true,`,
        replace: `summary: 'Discontinue an item; its inventory records remain',
      permission: Permission.ModifyItemMaster,
      writes: false,`,
      },
    ],
    test: { file: 'security/permission-matrix.test.ts' },
  },
  {
    name: 'a route checks another permission',
    edits: [
      {
        file: 'apps/api/src/routes/inventory.ts',
        search: 'Permission.LocateMoveUnits',
        replace: 'Permission.NegativeAdjustment',
      },
    ],
    test: { file: 'security/permission-matrix.test.ts' },
  },
  {
    name: 'a route does not check the scope',
    edits: [
      {
        file: 'apps/api/src/routes/inventory.ts',
        search: `warehouses: ({ params }) => [params.wid],
      answer: { 200: StockLevelPages },`,
        replace: `warehouses: noWarehouses,
      answer: { 200: StockLevelPages },`,
      },
    ],
    test: { file: 'security/permission-matrix.test.ts' },
  },
  {
    name: 'the destination of a move is not checked',
    edits: [
      {
        file: 'apps/api/src/routes/inventory.ts',
        search: `warehouses: ({ body }) => warehousesOf({ kind: 'move', body })`,
        replace: 'warehouses: ({ body }) => (warehousesOf ? [body.wid] : [])',
      },
      {
        file: applyBatch,
        search: 'denyWarehouses(client, warehousesOf(request))',
        replace: 'denyWarehouses(client, [request.body.wid])',
      },
    ],
    test: { file: 'security/permission-matrix.test.ts', title: 'both must be in the scope' },
  },
  {
    name: 'scope missing in sorted and filtered lots',
    edits: [
      {
        file: 'packages/db/src/lists/list-lots.ts',
        search: `piece\`lot.wid = any(\${wids}::integer[])\``,
        replace: 'sql`lot.wid is not null`',
      },
    ],
    test: { file: 'security/non-interference.test.ts', title: '/Inventory/1: a difference' },
  },
  {
    name: 'scope missing in the total of sorted lots',
    edits: [
      {
        file: 'packages/db/src/lists/pages/read-lot-page.ts',
        search: `const scope = piece\`wid = any(\${wids}::integer[])\`;`,
        replace: 'const scope = sql`wid is not null`;',
      },
    ],
    test: { file: 'security/non-interference.test.ts', title: '/Inventory/1: a difference' },
  },
  {
    name: 'scope missing in sorted levels',
    edits: [
      {
        file: 'packages/db/src/lists/list-stock-levels.ts',
        search: `piece\`wid = any(\${wids}::integer[]) and used\``,
        replace: 'sql`used`',
      },
    ],
    test: { file: 'security/non-interference.test.ts', title: '/Inventory/StockLevels: a difference' },
  },
  ...[
    { title: 'is in the next walk, even if' },
    { title: 'the value stands still while a change is open' },
  ].map(({ title }) => ({
    name: `X-Next-Modified-Since taken from the clock alone: ${title}`,
    edits: [{ file: changes, search: 'where key >> 42 = 7316', replace: 'where false' }],
    test: { file: 'contract/next-modified-since.test.ts', title },
  })),
  {
    name: 'X-Next-Modified-Since taken from the clock alone, as a client sees it',
    edits: [{ file: changes, search: 'where key >> 42 = 7316', replace: 'where false' }],
    test: { file: 'concurrency/sync.property.test.ts' },
  },
  {
    name: 'X-Next-Modified-Since: writers hold no lock',
    edits: [
      {
        file: changes,
        search: 'perform pg_advisory_xact_lock_shared(7316::bigint',
        replace: 'perform abs(7316::bigint',
      },
    ],
    test: { file: 'concurrency/sync.property.test.ts' },
  },
  {
    name: 'X-Next-Modified-Since: a batch takes its moment from the clock',
    edits: [
      {
        file: 'packages/db/src/batch/read-facts.ts',
        search: 'select change_moment() as now',
        replace: "select date_trunc('milliseconds', clock_timestamp()) as now",
      },
    ],
    test: { file: 'contract/next-modified-since.test.ts', title: 'every kind of write' },
  },
  ...[
    {
      what: 'a changed item',
      search: '(select change_moment() as moment where',
      replace: '(select now() as moment where',
    },
    { what: 'a created item', search: 'from change_moment() as moment', replace: 'from now() as moment' },
  ].map(({ what, search, replace }) => ({
    name: `X-Next-Modified-Since: ${what} takes its moment from now()`,
    edits: [{ file: items, search, replace }],
    test: { file: 'contract/next-modified-since.test.ts', title: 'every kind of write' },
  })),
  {
    name: 'X-Next-Modified-Since is read after the page',
    edits: [
      {
        file: 'apps/api/src/lists/page-reader.ts',
        search: `const next = await nextModifiedSince.read(sql);
    return { ...(await page(sql)), nextModifiedSince: next };`,
        replace: `const read = await page(sql);
    return { ...read, nextModifiedSince: await nextModifiedSince.read(sql) };`,
      },
    ],
    test: { file: 'contract/next-modified-since.test.ts', title: 'is read before the page' },
  },
  {
    name: 'answers may be left unread',
    edits: [{ file: httpServer, search: 'server.timeout = times.silentMs;', replace: '' }],
    test: { file: 'security/connections.test.ts', title: 'a caller who takes nothing' },
  },
  {
    name: 'a secret that cannot be written is shown with 0',
    edits: [
      {
        file: 'apps/admin/src/main.ts',
        search: "if (code === 'EPIPE' || isOutputLost) return;",
        replace: "if (code !== 'nothing') return;",
      },
    ],
    test: { file: 'admin/commands.test.ts', title: 'meets a full disk' },
  },
  {
    name: 'every reply of a wrong server ends the connection again',
    edits: [
      {
        file: 'packages/queue/src/redis/redis.ts',
        search: 'if (!isToReconnect || redis.stream?.writableEnded !== true) disconnect',
        replace: 'disconnect',
      },
    ],
    test: { file: 'concurrency/redis-away.test.ts', title: 'many replies that ask for another server' },
  },
  {
    name: 'tokens outlive their revoked secrets',
    edits: [
      {
        file: 'apps/api/src/http/callers/authenticator.ts',
        search: 'issuedAt < tokensFrom ? null',
        replace: 'issuedAt < 0 ? null',
      },
    ],
    test: { file: 'admin/commands.test.ts', title: 'ends earlier tokens' },
  },
  {
    name: 'a client with a new secret gets the token of the old one',
    edits: [{ file: tokenKeys, search: ' && kept.issuedAt >= tokensFrom', replace: '' }],
    test: { file: 'admin/commands.test.ts', title: 'ends earlier tokens' },
  },
  {
    name: 'given-up work uses up the connections of Postgres',
    edits: [{ file: leftBehind, search: 'left.size < freely,', replace: 'left.size >= 0,' }],
    test: { file: 'concurrency/left-behind.test.ts', title: 'use up no more places' },
  },
  {
    name: 'connections opened while Postgres cannot be asked',
    edits: [{ file: leftBehind, search: 'catch(() => asked.length)', replace: 'catch(() => 0)' }],
    test: { file: 'concurrency/left-behind.test.ts', title: 'cannot be asked' },
  },
  {
    name: 'commits waiting for a standby are not reported',
    edits: [
      {
        file: 'apps/api/src/needs.ts',
        search: 'hangingCommits === 0 && verdicts.counts().suspect === 0',
        replace: 'hangingCommits === 0',
      },
    ],
    test: { file: 'concurrency/commits-hang.test.ts', title: 'without using up' },
  },
  {
    name: 'failures during hanging commits count as overload',
    edits: [
      {
        file: 'apps/api/src/needs.ts',
        search: "presence.isThere('postgres') && hangingCommits === 0",
        replace: "presence.isThere('postgres')",
      },
    ],
    test: { file: 'concurrency/commits-hang.test.ts', title: 'without using up' },
  },
  {
    name: 'an api that can read is not ready while commits hang',
    edits: [
      { file: 'apps/api/src/server.ts', search: 'authentication.run(reach)', replace: 'verdicts.run(reach)' },
    ],
    test: { file: 'concurrency/commits-hang.test.ts', title: 'without using up' },
  },
  {
    name: 'verdicts with hanging commits use up the connections of Postgres',
    edits: [
      { file: statementPool, search: 'if (isLeft) leftBehind.add(untilDone(connection.sql));', replace: '' },
    ],
    test: { file: 'concurrency/commits-hang.test.ts', title: 'without using up' },
  },
  {
    name: 'doctor: any attached standby counts as acknowledging',
    edits: [
      {
        file: 'apps/admin/src/doctor/replication-checks.ts',
        search: 'waitsForStandby(replication) && !(await isCommitAnswered(sql))',
        replace: 'waitsForStandby(replication) && (await isCommitAnswered(sql)) === null',
      },
    ],
    test: { file: 'concurrency/commits-hang.test.ts', title: 'without using up' },
  },
  {
    name: 'a dead worker holds its shards when the clock of Redis is set back',
    edits: [{ file: seats, search: ' or tonumber(expires) > latest', replace: '' }],
    test: { file: 'concurrency/shards.test.ts', title: 'dated further ahead' },
  },
  {
    name: 'a malformed request is answered before the answers that are due',
    edits: [
      { file: connection, search: 'if (current === null) end(isPart', replace: 'if (!isPart) end(isPart' },
    ],
    test: { file: 'security/connections.test.ts', title: 'comes after the answers that are due' },
  },
  {
    name: 'no limit of connections',
    edits: [
      {
        file: connections,
        search: 'connections.size < options.connectionsMax',
        replace: 'connections.size >= 0',
      },
    ],
    test: { file: 'security/connections.test.ts', title: 'idle for longest' },
  },
  {
    name: 'a slow caller keeps its connection',
    edits: [
      {
        file: connection,
        search: 'return current === null || last?.request.complete === false || socket.writableLength > 0;',
        replace: 'return current === null;',
      },
    ],
    test: { file: 'security/connections.test.ts', title: 'as they close an idle one' },
  },
  {
    name: 'a fleet behind one address is a crowd of strangers',
    edits: [
      {
        file: connections,
        search: 'perAddressMax === 0 || !isStranger(socket)',
        replace: 'perAddressMax === 0',
      },
    ],
    test: { file: 'security/connections.test.ts', title: 'make no room for strangers' },
  },
  {
    name: 'any request target is accepted',
    edits: [
      {
        file: malformed,
        search: `if (!target.test(request.url ?? '')) {`,
        replace: `if (request.url === '') {`,
      },
    ],
    test: { file: 'security/raw-http.test.ts', title: 'which is no path' },
  },
  {
    name: 'an unknown client costs one comparison',
    edits: [
      {
        file: 'packages/auth/src/secret.ts',
        search: 'const liveSecretsMax = 2;',
        replace: 'const liveSecretsMax = 1;',
      },
    ],
    test: { file: 'security/secret-comparison.test.ts', title: 'a wrong secret as for' },
  },
  {
    name: 'private halves retired while no process ran stay',
    edits: [
      {
        file: tokenKeys,
        search: 'void pool.run(deleteRetiredHalves).catch(failed);',
        replace: 'void failed;',
      },
    ],
    test: { file: 'security/signing-keys.test.ts', title: 'and no other' },
  },
  {
    name: 'a backup of many moments',
    edits: [
      {
        file: backup,
        search: 'begin isolation level repeatable read read only;',
        replace: 'begin isolation level read committed read only;',
      },
      {
        file: backup,
        search: "await tx.unsafe(`set transaction snapshot '${exported!.snapshot}'`);",
        replace: '{}',
      },
    ],
    test: { file: 'admin/backup.test.ts', title: 'is of one moment' },
  },
  {
    name: 'a backup holds the keys that sign',
    edits: [{ file: backupTables, search: "  'signing_key',\n", replace: '' }],
    test: { file: 'admin/backup.test.ts', title: 'holds no key that signs' },
  },
  {
    name: 'a backup has its name before it is whole',
    edits: [
      {
        file: 'apps/admin/src/cli/write-target.ts',
        search: '`${path}.part-${process.pid}`',
        replace: 'path',
      },
      {
        file: 'apps/admin/src/cli/write-target.ts',
        search: `    } catch (error) {
      await rm(part, { force: true });
      throw error;`,
        replace: `    } catch (error) {
      throw error;`,
      },
    ],
    test: { file: 'admin/backup.test.ts', title: 'broken off leaves no file' },
  },
  {
    name: 'the checksum of a backup is not checked',
    edits: [{ file: backupFile, search: "if (hash.digest('hex') !== sha256) throw damaged();", replace: '' }],
    test: { file: 'admin/backup.test.ts', title: 'changed in its text' },
  },
  {
    name: 'a failed restore commits its rows',
    edits: [
      { file: restoring, search: "await tx.unsafe('begin isolation level read committed');", replace: '' },
    ],
    test: { file: 'admin/backup.test.ts', title: 'in the middle has restored nothing' },
  },
  {
    name: 'numbers are given out again after a restore',
    edits: [
      { file: identity, search: 'const numbersPerSecond = 20_000;', replace: 'const numbersPerSecond = 0;' },
    ],
    test: { file: 'admin/backup.test.ts', title: 'has everything acknowledged before it began' },
  },
  {
    name: 'the proxy resends requests that may have arrived',
    edits: [
      {
        file: caddyfile,
        search: 'lb_try_interval 50ms',
        replace: 'lb_try_interval 50ms\n\t\tlb_retry_match method POST',
      },
    ],
    test: { file: 'docker/compose.test.ts', title: 'sends none twice' },
  },
  {
    name: "the proxy trusts anybody's forwarded address",
    edits: [{ file: caddyfile, search: '255.255.255.255/32', replace: '0.0.0.0/0' }],
    test: { file: 'docker/compose.test.ts', title: 'believes nobody else' },
  },
  {
    name: 'migrate writes to a database before refusing it',
    edits: [
      {
        file: 'packages/db/src/migrate/migrate.ts',
        search: 'await refuseBeforeMigrating(connection, steps);',
        replace: '',
      },
    ],
    test: { file: 'admin/refusals.test.ts', title: 'could lose answered writes' },
  },
  {
    name: 'commands write to a database of another version',
    edits: [
      { file: 'apps/admin/src/cli/database.ts', search: 'await refuseOtherDatabase(sql);', replace: '' },
    ],
    test: { file: 'admin/refusals.test.ts', title: 'warehouse' },
  },
  {
    name: 'operations: bodies are shown',
    edits: [
      {
        file: 'packages/db/src/status-page/last-transactions.ts',
        search: 'client_id as client, status,',
        replace: 'body::text as client, status,',
      },
    ],
    test: { file: 'operating/status-page.test.ts', title: 'without anything that a body' },
  },
  {
    name: 'an atomic batch is committed in parts',
    edits: [
      {
        file: 'packages/domain/src/stock/atomic.ts',
        search: `if (decision.status === 'refused') return refused(index, decision.refusal);`,
        replace: `if (decision.status === 'refused') return { status: 'applied', operations: decided };`,
      },
    ],
    test: { file: 'contract/batch-atomic.test.ts', title: 'the first operation that the stock refuses' },
  },
  {
    name: 'decisions of a refused atomic batch are written',
    edits: [
      {
        file: applyBatch,
        search: 'batchOf({ ...read, levels: new Map(), lotsByRecNo: new Map() })',
        replace: 'batch',
      },
    ],
    test: { file: 'contract/batch-atomic.test.ts', title: 'the first operation that the stock refuses' },
  },
  {
    name: 'operations of a batch are all sent at once, in any order',
    edits: [
      {
        file: 'apps/api/src/stock/batch-call/run-each.ts',
        search: 'const ofItem = items.get(task.itemId);',
        replace: 'const ofItem = items.get(task.itemId = String(Math.random()));',
      },
      {
        file: lane,
        search: 'let count = alone < 0 ? waiting.length : alone;',
        replace: 'waiting.reverse();\n  let count = alone < 0 ? waiting.length : alone;',
      },
    ],
    test: { file: 'contract/batch.test.ts', title: 'keep the order of the list' },
  },
  {
    name: 'an operation is applied behind one of its list that was not',
    edits: [
      {
        file: applyBatch,
        search: 'const isBarred = after !== undefined && !passed.has(after.requestId);',
        replace: 'const isBarred = after === null;',
      },
    ],
    test: { file: 'contract/batch.test.ts', title: 'behind one that is not applied' },
  },
  {
    name: 'a held-back operation does not block the ones behind it',
    edits: [
      {
        file: applyBatch,
        search: "if (decision.status !== 'abandoned' || decision.refusal !== null) passed.add(requestId);",
        replace: "if (isBarred || decision.status !== 'abandoned') passed.add(requestId);",
      },
    ],
    test: { file: 'concurrency/list-order.test.ts', title: 'behind one that is late' },
  },
  {
    name: 'the order of a list holds only within a batch',
    edits: [
      {
        file: 'packages/db/src/batch/read-facts.ts',
        search: '[...requests, ...missingBefore(requests)]',
        replace: '[...requests]',
      },
    ],
    test: { file: 'concurrency/list-order.test.ts', title: 'in one batch or in several' },
  },
  {
    name: 'an operation waits only for earlier ones in its own batch',
    edits: [
      {
        file: applyBatch,
        search: '!passed.has(after.requestId);',
        replace:
          '!passed.has(after.requestId) && requests.some((each) => each.requestId === after.requestId);',
      },
    ],
    test: { file: 'concurrency/list-order.test.ts', title: 'waits for a held gate' },
  },
  {
    name: 'a transaction is reversed more than once',
    edits: [
      {
        file: 'packages/domain/src/stock/reverse.ts',
        search: 'if (past.isReversed) return',
        replace: 'if (past.isReversed && batch.now < 0) return',
      },
      {
        file: ledger,
        search: 'create unique index stock_transaction_reverses_key',
        replace: 'create index stock_transaction_reverses_key',
      },
    ],
    test: { file: 'contract/reverse.test.ts', title: 'with ten at once' },
  },
  {
    name: 'a reversal out of scope differs from a missing one',
    edits: [
      {
        file: 'apps/api/src/stock/transactions.ts',
        search: 'return noTransaction;',
        replace: 'return of === null ? noTransaction : forbidden.scope;',
      },
    ],
    test: { file: 'contract/reverse.test.ts', title: '404: not there' },
  },
  {
    name: 'a dry run draws numbers',
    edits: [
      {
        file: 'packages/db/src/batch/dry-run.ts',
        search: '{ draws: false }',
        replace: '{ draws: true }',
      },
    ],
    test: { file: 'contract/dry-run.test.ts', title: 'the answer of an issue' },
  },
  {
    name: 'a dry run is applied',
    edits: [
      {
        file: 'apps/api/src/stock/transactions.ts',
        search: 'return dryRun === true ? tryOut(request, caller, wait) : transact(request, caller);',
        replace: 'return transact(request, caller);',
      },
    ],
    test: { file: 'contract/dry-run.test.ts', title: 'counts and reversals' },
  },
  {
    name: 'a dry run keeps its key',
    edits: [
      {
        file: 'apps/api/src/stock/transactions.ts',
        search:
          'async function tryOut(request: SingleRequest, { client, key }: Caller, wait: Wait): Promise<Reply> {',
        replace: `async function tryOut(request: SingleRequest, caller: Caller, wait: Wait): Promise<Reply> {
    const { client, key } = caller;
    await sender.settleAll([sender.queued(request, { ...caller, clientId: client.clientId })]);`,
      },
    ],
    test: { file: 'contract/dry-run.test.ts', title: 'counts and reversals' },
  },
  {
    name: 'an atomic batch is committed in parts, as the fault harness sees it',
    edits: [
      {
        file: 'packages/domain/src/stock/atomic.ts',
        search: `if (decision.status === 'refused') return refused(index, decision.refusal);`,
        replace: `if (decision.status === 'refused') return { status: 'applied', operations: decided };`,
      },
    ],
    test: { fault: 'worker kill -9', rounds: 3 },
  },
  {
    name: 'counted lots read before the gates, as the fault harness sees it',
    edits: [
      {
        file: gates,
        search: `    order by part_no, wid
    for no key update of stock_level\`;`,
        replace: `    order by part_no, wid\`;`,
      },
    ],
    test: { fault: 'worker kill -9', rounds: 3 },
  },
  {
    name: 'a line shows the final balance of its lot',
    edits: [
      {
        file: 'packages/domain/src/stock/move.ts',
        search: 'balance: from.units - units }',
        replace: 'balance: from.units }',
      },
    ],
    test: { file: 'contract/reverse.test.ts', title: 'a whole lot to another spot' },
  },
  {
    name: 'a transaction shown out of scope',
    edits: [
      {
        file: transactionRecord,
        search: 'stock_transaction.wid is not null and (stock_transaction.wid',
        replace: 'stock_transaction.wid is not null and (true or stock_transaction.wid',
      },
    ],
    test: { file: 'contract/transactions-get.test.ts', title: 'out of scope, alike' },
  },
  {
    name: 'a line shown out of scope',
    edits: [
      {
        file: transactionRecord,
        search: 'and stock_entry.wid = any(${shown}::integer[])',
        replace: '',
      },
    ],
    test: { file: 'contract/transactions-get.test.ts', title: 'outside the scope are left out' },
  },
  {
    name: 'a move between two warehouses counts twice',
    edits: [
      {
        file: readTransactionPage,
        search: 'to_wid = any(${asked}) and wid <> all(${asked})',
        replace: 'to_wid = any(${asked})',
      },
    ],
    test: { file: 'concurrency/transaction-pages.property.test.ts' },
  },
  {
    name: 'arrived transactions are not counted',
    edits: [
      {
        file: readTransactionPage,
        search: 'select block >> 12, count from arrived',
        replace: 'select 0::bigint, 0::bigint where false',
      },
    ],
    test: { file: 'concurrency/transaction-pages.property.test.ts' },
  },
  {
    name: 'a cut volume keeps the lots of the others',
    edits: [
      {
        file: lotCounts,
        search: 'where lot_volume_count.wid = gone.wid and',
        replace: 'where false and lot_volume_count.wid = gone.wid and',
      },
    ],
    test: { file: 'concurrency/pages.property.test.ts' },
  },
  {
    name: 'a lot shown out of scope',
    edits: [
      {
        file: 'packages/db/src/lists/read-lot.ts',
        search: 'and lot.wid = any(${scope}::integer[])',
        replace: '',
      },
    ],
    test: { file: 'contract/lots-get.test.ts', title: 'not in scope, alike' },
  },
  {
    name: 'kubernetes: commits go on without a standby',
    edits: [
      {
        file: 'deploy/kubernetes/postgres/cluster.yaml',
        search: 'dataDurability: required',
        replace: 'dataDurability: preferred',
      },
    ],
    test: { file: 'deploy/kubernetes.test.ts', title: 'an answered transaction is on two machines' },
  },
  {
    name: 'background audit: levels and lots of two moments',
    edits: [
      {
        file: compareStock,
        search: 'const [row] = await send<Compared>(sql)`\n    with slice as materialized (\n      select 0',
        replace:
          'const before = JSON.stringify(await sql`select * from stock_level`);\n' +
          '  const [row] = await send<Compared>(sql)`\n    with slice as materialized (\n      select 0',
      },
      {
        file: compareStock,
        search: 'from stock_level\n      where (part_no, wid) >',
        replace:
          'from json_populate_recordset(null::stock_level, ${before}::text::json) as stock_level\n' +
          '      where (part_no, wid) >',
      },
    ],
    test: { file: backgroundAudit, title: 'finds nothing while stock changes all the time' },
  },
  {
    name: 'a read-only server is believed',
    edits: [{ file: dbClient, search: 'return ofSeveralHosts.has(sql) &&', replace: 'return false &&' }],
    test: { file: 'concurrency/postgres-demoted.test.ts', title: 'never the old one' },
  },
  {
    name: 'a former primary is accepted again',
    edits: [
      {
        file: 'packages/db/src/postgres/servers/primary.ts',
        search: 'if (standing.timeline < timeline) {',
        replace: 'if (false) {',
      },
    ],
    test: { file: 'concurrency/postgres-left-behind.test.ts' },
  },
  {
    name: "a worker's memory is not compared with Postgres",
    edits: [
      {
        file: applyBatch,
        search: 'if (isOutdated(parts, requests, levels, read)) throw',
        replace: 'if (false) throw',
      },
    ],
    test: { file: 'concurrency/gates.test.ts', title: 'Postgres has lost' },
  },
  {
    name: "a replica's position is not checked",
    edits: [{ file: replica, search: 'if (await hasReached(own, position)) break;', replace: 'break;' }],
    test: { file: 'concurrency/replica-reads.test.ts', title: 'while the replica stands still' },
  },
  {
    name: "the primary's position is read once",
    edits: [
      {
        file: 'apps/api/src/lists/replica.ts',
        search: 'const position = await askPosition(null);',
        replace: 'const position = await (once ??= askPosition(null));',
      },
      {
        file: 'apps/api/src/lists/replica.ts',
        search: 'let restUntil = 0;',
        replace: 'let restUntil = 0;\n  let once: Promise<Position> | null = null;',
      },
    ],
    test: { file: 'concurrency/replica-reads.test.ts', title: 'while the replica stands still' },
  },
  {
    name: 'a position on another timeline counts',
    edits: [
      {
        file: replica,
        search: `= lpad(upper(to_hex(\${timeline}::integer)), 8, '0')`,
        replace: `is not null or \${timeline}::integer = 0`,
      },
    ],
    test: { file: 'concurrency/postgres-left-behind.test.ts' },
  },
];
