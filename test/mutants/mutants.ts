/** A known way of breaking the code, and the test that must notice. */
export type Mutant = {
  name: string;
  edits: { file: string; search: string; replace: string }[];
  /**
   * A file below `test/` and words that only the title of the named test has; all of the file without them.
   * Or a fault of `test/faults/`, struck so many times.
   */
  test: { file: string; title?: string } | { fault: string; rounds: number };
};

const describeError = 'packages/process/src/describe-error.ts';
const foldedLog = 'packages/process/src/folded-log.ts';
const knownTexts = 'packages/process/src/known-texts.ts';
const outlets = 'packages/process/src/outlets.ts';
const token = 'packages/auth/src/token.ts';
const tokenKeys = 'apps/api/src/callers/token-keys.ts';
const signingKeys = 'packages/db/src/signing-keys.ts';
const clients = 'packages/db/src/clients.ts';
const auditSlice = 'packages/db/src/audit-slice.ts';
const backgroundAudit = 'operation/background-audit.test.ts';
const alertRules = 'monitoring/prometheus/rules.yml';
const causes = 'apps/api/src/operations/causes.ts';
const applyBatch = 'packages/db/src/batch/apply-batch.ts';
const readCandidates = 'packages/db/src/batch/read-candidates.ts';
const allocate = 'packages/domain/src/stock/allocate.ts';
const batchTransaction = 'packages/db/src/batch/batch-pool.ts';
const batches = 'apps/api/src/batch/batches.ts';
const batcher = 'apps/worker/src/batcher.ts';
const connection = 'apps/api/src/connections/connection.ts';
const taking = 'apps/api/src/connections/taking.ts';
const connections = 'apps/api/src/connections/connections.ts';
const callerAddress = 'apps/api/src/connections/caller-address.ts';
const network = 'apps/api/src/connections/network.ts';
const gates = 'packages/db/src/batch/gates.ts';
const stockBatch = 'packages/domain/src/stock/batch.ts';
const idempotency = 'packages/db/src/requests/idempotency-keys.ts';
const malformed = 'apps/api/src/connections/malformed-http.ts';
const pickStatements = 'packages/db/src/batch/pick-statements.ts';
const items = 'packages/db/src/items.ts';
const lotsFile = 'packages/db/src/lists/list-lots.ts';
const modifiedSince = 'packages/db/migrations/0015.do.modified-since.sql';
const lane = 'packages/queue/src/lane.ts';
const listTurns = 'apps/api/src/lists/list-turns.ts';
const lists = 'apps/api/src/lists/lists.ts';
const readCategory = 'packages/db/src/lists/read-category.ts';
const readPage = 'packages/db/src/lists/read-page.ts';
const sortColumns = 'packages/db/src/lists/sort-columns.ts';
const statementPool = 'packages/db/src/statement-pool.ts';
const dbClient = 'packages/db/src/client.ts';
const replica = 'packages/db/src/replica.ts';
const pooler = 'packages/db/src/pooler.ts';
const rateLimit = 'packages/auth/src/rate-limit.ts';
const strangers = 'apps/api/src/callers/strangers.ts';
const answers = 'packages/queue/src/answers.ts';
const seats = 'packages/queue/src/seats.ts';
const leftBehind = 'packages/db/src/left-behind.ts';
const workersSeen = 'packages/queue/src/workers-seen.ts';
const submit = 'packages/queue/src/submit.ts';
const backup = 'packages/db/src/operator/backup.ts';
const backupFile = 'packages/db/src/operator/backup-file.ts';
const backupTables = 'packages/db/src/operator/backup-tables.ts';
const identity = 'packages/db/src/operator/identity.ts';
const restoring = 'packages/db/src/operator/restore.ts';
const roles = 'packages/db/migrations/0014.do.roles.sql';
const retention = 'packages/db/migrations/0016.do.backup-and-retention.sql';
const runMigrationFile = 'packages/db/src/run-migration.ts';
// The newest of the migrations that make the function.
const retentionByWorkers = 'packages/db/migrations/0029.do.no-device-numbers.sql';
const signature = 'packages/queue/src/signature.ts';
const consume = 'packages/queue/src/consume.ts';
const redisRights = 'packages/queue/src/redis-rights.ts';
const textStream = 'apps/api/src/lists/text-stream.ts';
const waiters = 'packages/queue/src/waiters.ts';
const compose = 'docker-compose.yml';
const caddyfile = 'docker/proxy/Caddyfile';
const listTransactions = 'packages/db/src/lists/list-transactions.ts';
const heldGates = 'apps/worker/src/held-gates.ts';
const volumes = 'packages/db/migrations/0025.do.volumes.sql';
const wayToPage = 'packages/db/src/lists/way-to-page.ts';
const readTransactionPage = 'packages/db/src/lists/read-transaction-page.ts';
const transactionRecord = 'packages/db/src/lists/transaction-record.ts';
const writeBatch = 'packages/db/src/batch/write-batch.ts';

const unbalancedMove = {
  file: 'packages/domain/src/stock/move.ts',
  search: 'delta: units, balance: to.units }',
  replace: 'delta: units / 2n, balance: to.units }',
};

// Each search text stands exactly once in its file; a mutant that no longer fits the code fails the run.
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
    test: { file: 'concurrency/verdict.test.ts', title: 'given up while its batch waited' },
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
    test: { file: 'concurrency/answers.test.ts', title: 'called failed after it was applied' },
  },
  {
    name: 'a lost completion is not looked for',
    edits: [{ file: waiters, search: 'void look(toLook)', replace: 'void 0' }],
    test: { file: 'concurrency/answers.test.ts', title: 'completion is never told' },
  },
  {
    name: 'a process that stood still gives up without asking',
    edits: [{ file: waiters, search: 'if (now - sweptAt >= stoodStillMs) {', replace: 'if (now < 0) {' }],
    test: { file: 'concurrency/answers.test.ts', title: 'stood still for all of its time' },
  },
  {
    name: 'waitUntilFinished with removeOnComplete',
    edits: [
      {
        file: submit,
        search: "import { jobIdOf, type Told } from './answers.ts';",
        replace:
          "import { QueueEvents } from 'bullmq';\nimport type { Told } from './answers.ts';\nlet ends: any;",
      },
      {
        file: submit,
        search: 'jobId: jobIdOf(lines.reader, ++jobCount),',
        replace: 'jobId: `${++jobCount}-${crypto.randomUUID()}`,',
      },
      {
        file: submit,
        search: `await shard.queue.add('envelope', signed, { jobId, ...jobOptions });`,
        replace: `ends ??= new QueueEvents(shard.queue.name, {
        connection: producer.duplicate({ maxRetriesPerRequest: null, commandTimeout: undefined }) as any,
        prefix,
      });
      const job = await shard.queue.add('envelope', signed, { jobId, ...jobOptions });
      job.waitUntilFinished(ends, 2500).then(
        (result: any) => waiters.complete(envelope, openAnswer(options.keys, { queue: shard.queue.qualifiedName, jobId }, result)!),
        () => waiters.complete(envelope, envelope.requestIds.map(() => ['abandoned', null])),
      );`,
      },
    ],
    test: { file: 'concurrency/answers.test.ts', title: '201 for every single request' },
  },
  {
    name: 'an answer is told to all apis',
    edits: [
      {
        file: answers,
        search: 'if (reader !== null) args[eventsAt] = answersKey(queueKeys, reader);',
        replace: '',
      },
    ],
    test: { file: 'concurrency/answers-apart.test.ts', title: 'to nobody else' },
  },
  {
    name: 'an api leaves what it has read in Redis',
    edits: [
      {
        file: answers,
        search: `producer.xtrim(key, 'MINID', stream.lastId)`,
        replace: 'producer.exists(key)',
      },
    ],
    test: { file: 'concurrency/answers-apart.test.ts', title: 'does not stay in Redis' },
  },
  {
    name: 'an api that closes leaves its streams',
    edits: [{ file: answers, search: "producer.xtrim(key, 'MAXLEN', 0)", replace: 'producer.exists(key)' }],
    test: { file: 'concurrency/answers-apart.test.ts', title: 'nothing of an api stays' },
  },
  {
    name: 'the stream of an api that was killed stays for ever',
    edits: [
      {
        file: answers,
        search: 'connection.pexpire(answersKey(queueKeys, reader), keptMs)',
        replace: 'connection.exists(answersKey(queueKeys, reader))',
      },
    ],
    test: { file: 'concurrency/answers-apart.test.ts', title: 'nothing of an api stays' },
  },
  {
    name: 'answers of a Redis whose clock is behind are passed over',
    edits: [{ file: answers, search: "consumer.on('ready', startOver);", replace: '' }],
    test: { file: 'concurrency/answers-apart.test.ts', title: 'whose clock is behind' },
  },
  {
    name: 'a worker that says nothing keeps its seat',
    edits: [{ file: seats, search: 'tonumber(expires) <= now', replace: 'tonumber(expires) <= 0' }],
    test: { file: 'concurrency/shards.test.ts', title: 'a seat ends by itself' },
  },
  {
    name: 'a shard out of use is left with what is in it',
    edits: [{ file: seats, search: 'for shard = count, largest do', replace: 'for shard = count, -1 do' }],
    test: { file: 'concurrency/shards.test.ts', title: 'held until it is empty' },
  },
  {
    name: 'a shard out of use is given up as soon as it is empty',
    edits: [{ file: seats, search: ' and now - out[shard] >= tonumber(ARGV[5])', replace: '' }],
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
    name: 'workers that all are without Postgres give all shards up',
    edits: [{ file: seats, search: 'if #able == 0 then able = all end', replace: '' }],
    test: { file: 'concurrency/shards.test.ts', title: 'cannot do its work' },
  },
  {
    name: 'a worker does not say that it cannot reach Postgres',
    edits: [
      {
        file: 'apps/worker/src/worker.ts',
        search: "isAble: () => presence.isThere('postgres'),",
        replace: '',
      },
    ],
    test: { file: 'concurrency/shards-of-workers.test.ts', title: 'cannot reach Postgres' },
  },
  {
    name: 'each worker believes its own QUEUE_SHARDS',
    edits: [{ file: seats, search: 'most = math.min(most, math.max(1, tonumber(max)))', replace: '' }],
    test: { file: 'concurrency/shards.test.ts', title: 'agree on the least' },
  },
  {
    name: 'nobody looks into shards that are not in use',
    edits: [
      {
        file: 'packages/queue/src/share-shards.ts',
        search: 'if (served.has(0) && rounds % looksEvery === 0) found = await findWork();',
        replace: '',
      },
    ],
    test: { file: 'concurrency/shards.test.ts', title: 'not in use, of an api that does not know' },
  },
  {
    name: 'a worker that closes keeps its seat until it ends',
    edits: [
      {
        file: 'packages/queue/src/share-shards.ts',
        search: 'leaveSeat(producer, prefix, workerId)',
        replace: 'Promise.resolve()',
      },
    ],
    test: { file: 'concurrency/shards.test.ts', title: 'after the last worker' },
  },
  {
    name: 'an api does not see how many shards are in use',
    edits: [{ file: 'packages/queue/src/lines.ts', search: 'count = inUse;', replace: '' }],
    test: { file: 'concurrency/shards.test.ts', title: 'by one of three workers' },
  },
  {
    name: 'enableOfflineQueue: true',
    edits: [
      {
        file: 'packages/queue/src/redis.ts',
        search: 'enableOfflineQueue: false',
        replace: 'enableOfflineQueue: true',
      },
    ],
    test: { file: 'concurrency/redis-away.test.ts', title: 'a command fails at once' },
  },
  {
    name: 'work is kept until Redis is back',
    edits: [
      { file: submit, search: `if (producer.status !== 'ready') return false;`, replace: '' },
      {
        file: 'packages/queue/src/redis.ts',
        search: 'enableOfflineQueue: false',
        replace: 'enableOfflineQueue: true',
      },
      {
        file: 'packages/queue/src/redis.ts',
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
        file: 'packages/db/src/wrong-settings.ts',
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
    test: { file: 'concurrency/whole-view.test.ts' },
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
    test: { file: 'concurrency/whole-view.test.ts' },
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
    test: { file: 'concurrency/whole-view.test.ts' },
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
    name: 'rights cached for ever, as if a token carried them',
    edits: [
      {
        file: 'apps/api/src/callers/client-cache.ts',
        search: 'const clientMaxAgeMs = 500;',
        replace: 'const clientMaxAgeMs = Number.POSITIVE_INFINITY;',
      },
    ],
    test: { file: 'contract/scope.test.ts', title: 'a change of the scope holds within a second' },
  },
  {
    name: 'rights not asked again when a request is applied',
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
        file: 'packages/db/src/lists/read-page.ts',
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
        file: 'packages/db/src/lists/read-lot-page.ts',
        search: `const scope = sql\`wid = any((select wids from asked)::integer[])\`;`,
        replace: `const scope = sql\`wid is not null\`;`,
      },
    ],
    test: { file: 'contract/scope.test.ts', title: 'changes not a byte of any list' },
  },
  {
    name: 'sort column interpolated',
    // Both guards: each alone is enough.
    edits: [
      {
        file: 'packages/paging/src/page-query.ts',
        search: 'sort !== undefined && sortColumns.includes(sort) ? sort : undefined',
        replace: 'sort',
      },
      {
        file: 'packages/db/src/lists/read-page.ts',
        search: 'query.sort === undefined ? undefined : list.sortColumns[query.sort]',
        replace: 'query.sort === undefined ? undefined : { by: query.sort, emptyLast: false }',
      },
    ],
    test: { file: 'contract/paging.test.ts', title: 'an unknown sort is ignored' },
  },
  {
    name: 'leftmost forwarded address believed',
    edits: [
      { file: callerAddress, search: "text.lastIndexOf(',', end - 1)", replace: "text.lastIndexOf(',', 0)" },
      { file: callerAddress, search: 'text.slice(start + 1, end)', replace: "text.split(',')[0]!" },
    ],
    test: { file: 'security/caller-address.test.ts', title: 'one that the caller wrote' },
  },
  {
    name: 'every address of an IPv6 caller is another caller',
    edits: [{ file: network, search: 'groups.slice(0, 4)', replace: 'groups' }],
    test: { file: 'security/caller-address.test.ts', title: '2001:db8:1:2:3:4:5:6' },
  },
  {
    name: 'what is no address becomes a key',
    edits: [
      {
        file: callerAddress,
        search: 'addressKey(text.slice(start + 1, end)) ?? caller',
        replace: 'addressKey(text.slice(start + 1, end)) ?? text.slice(start + 1, end)',
      },
    ],
    test: { file: 'security/caller-address.test.ts', title: 'makes no key' },
  },
  {
    name: 'refusals of unknown callers wait for nobody',
    edits: [{ file: strangers, search: 'else await wait(ctx, payer);', replace: '' }],
    test: { file: 'security/strangers.test.ts', title: '401 waits its turn' },
  },
  {
    name: 'a right secret is paid by the address',
    edits: [
      {
        file: 'apps/api/src/routes/token.ts',
        search: 'ctx.state.payer = `client ${clientId}`;',
        replace: '',
      },
    ],
    test: { file: 'security/strangers.test.ts', title: '401 waits its turn' },
  },
  {
    name: 'turns by arrival alone',
    edits: [
      {
        file: 'apps/api/src/fair-line.ts',
        search: 'if (places.delete(name)) places.set(name, own);',
        replace: '',
      },
    ],
    test: { file: 'security/unknown-tokens.test.ts', title: 'one at a time' },
  },
  {
    name: 'the documents cost an address as little as a refusal',
    edits: [{ file: strangers, search: 'Math.floor(ctx.body.length / bytesPerCost)', replace: '0' }],
    test: { file: 'security/strangers.test.ts', title: 'reads them without end' },
  },
  {
    name: 'a signature for each token that is asked for',
    edits: [{ file: tokenKeys, search: 'sameTokenSeconds = 60', replace: 'sameTokenSeconds = 0' }],
    test: { file: 'security/strangers.test.ts', title: 'no signature for each' },
  },
  {
    name: 'every token that names an unknown key looks for keys',
    edits: [{ file: tokenKeys, search: 'reading ??= readRested()', replace: 'reading = readRested()' }],
    test: { file: 'security/unknown-tokens.test.ts', title: 'nothing, unless it could be right' },
  },
  {
    name: 'a look for keys is waited for as long as it takes',
    edits: [
      {
        file: tokenKeys,
        search: 'await within(readWithinMs, read());',
        replace: 'void readWithinMs; await read();',
      },
    ],
    test: { file: 'security/unknown-tokens.test.ts', title: 'never answered' },
  },
  {
    name: 'an old token is verified like any other',
    edits: [
      {
        file: tokenKeys,
        search: 'if (seen === undefined && !looksLive(token, new Date(now()))) return null;',
        replace: 'void looksLive;',
      },
    ],
    test: { file: 'security/unknown-tokens.test.ts', title: 'nothing, unless it could be right' },
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
    name: 'a right secret is refused because of wrong ones',
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
    name: 'a write that fails not waited for, nor what its commit became',
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
    test: { file: 'concurrency/batch.test.ts', title: 'whose very commit fails' },
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
    name: `the commit's tag not looked at`,
    edits: [
      { file: batchTransaction, search: `if (command !== 'COMMIT') throw`, replace: 'if (false) throw' },
    ],
    test: { file: 'concurrency/lost-backends.test.ts', title: 'a pooler on the way' },
  },
  {
    name: `batches in whatever isolation the database has by default`,
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
    name: 'every error with a code called an outage',
    edits: [
      {
        file: 'packages/db/src/client.ts',
        search:
          'return error instanceof postgres.PostgresError ? unavailable.test(code) : unreachable.has(code);',
        replace: 'return unreachable.has(code) || code.length === 5;',
      },
    ],
    test: { file: 'concurrency/lost-backends.test.ts', title: 'an outage is' },
  },
  {
    name: 'pick by x is null or …',
    edits: [
      {
        file: pickStatements,
        search: `lot.serial = picks.serial and lot.serial <> ''`,
        replace: 'true',
      },
    ],
    test: { file: 'concurrency/pick-plans.test.ts', title: 'goes by its own index' },
  },
  {
    name: 'lots picked in the order of receipt alone, as a list has them',
    edits: [
      {
        file: pickStatements,
        search: `          order by \${expiry}, lot.received, lot.rec_no
          limit`,
        replace: `          order by lot.received, lot.rec_no
          limit`,
      },
    ],
    test: { file: 'concurrency/pick-plans.test.ts', title: 'goes by its own index' },
  },
  {
    name: 'a move takes expired lots first',
    edits: [
      {
        file: stockBatch,
        search: 'Number(isExpired(a, now)) - Number(isExpired(b, now)) ||',
        replace: '',
      },
    ],
    test: { file: 'contract/move.test.ts', title: 'expired ones last' },
  },
  {
    name: 'expired lots that nobody has read',
    edits: [
      {
        file: pickStatements,
        search: 'return `${part(false)} union all ${part(true)} limit ${limit}`;',
        replace: 'return `${part(false)} limit ${limit}`;',
      },
    ],
    test: { file: 'contract/move.test.ts', title: 'expired ones last' },
  },
  {
    name: 'the weight of a lot doubled by a split',
    edits: [
      {
        file: 'packages/domain/src/stock/move.ts',
        search: 'from.netWeight = less(from.netWeight, to.netWeight);',
        replace: '',
      },
    ],
    test: { file: 'contract/move.test.ts', title: 'are shared out by units' },
  },
  {
    name: 'a closed lot keeps its hold',
    edits: [
      { file: stockBatch, search: 'if (lot.units === 0n) lot.hold = false;', replace: '' },
      { file: writeBatch, search: 'hold = changed.hold,', replace: 'hold = lot.hold,' },
    ],
    test: { file: 'contract/move.test.ts', title: 'keeps the hold' },
  },
  {
    name: 'what only may need more lots is read as soon as what needs them',
    edits: [
      {
        file: readCandidates,
        search: 'return [...more.filter(isShort), ...perhaps];',
        replace: 'return more.filter((each) => isShort(each) || emptied.has(gateOf(each.pick)));',
      },
    ],
    test: { file: 'contract/batch-atomic.test.ts', title: 'read before what only may need more' },
  },
  {
    name: 'an error of a connection without a code is no outage',
    edits: [
      {
        file: 'packages/process/src/report.ts',
        search: ' || isOfConnection(error.message)',
        replace: '',
      },
    ],
    test: { file: 'operation/folded-log.test.ts', title: 'what ioredis says of a connection' },
  },
  {
    name: 'what an atomic batch received is not among what is on hold or expired',
    edits: [{ file: allocate, search: 'add(lot, 1n);', replace: 'if (lot.recNo < 2 ** 52) add(lot, 1n);' }],
    test: { file: 'contract/batch-atomic.test.ts', title: 'as the operations before left it' },
  },
  {
    name: 'an atomic batch reads no more lots for what its counts and reversals take',
    edits: [
      {
        file: readCandidates,
        search: 'more.filter((each) => !isShort(each) && emptied.has(gateOf(each.pick)))',
        replace: '[] as typeof more',
      },
    ],
    test: { file: 'contract/batch-atomic.test.ts', title: 'made up for by lots further on' },
  },
  {
    name: 'as many lots as are counted, and too little, are too many',
    edits: [
      {
        file: pickStatements,
        search: 'row!.seen > limit && held < units',
        replace: 'row!.seen >= limit && held < units',
      },
    ],
    test: { file: 'concurrency/large-issues.test.ts', title: 'no more than are counted' },
  },
  {
    name: 'reversals that were applied use up what a batch may undo',
    edits: [
      {
        file: 'packages/db/src/batch/read-pasts.ts',
        search: 'if (outcomes.has(requestId) || asked.has(transactionNo)) continue;',
        replace: 'if (asked.has(transactionNo)) continue;',
      },
    ],
    test: { file: 'contract/batch-atomic.test.ts', title: 'reversals that were applied' },
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
    name: 'lots taken before others that nobody has read',
    edits: [{ file: allocate, search: 'order(lot, horizon) > 0', replace: 'lot.recNo < 0' }],
    test: { file: 'concurrency/large-issues.test.ts', title: 'the lots that come first' },
  },
  {
    name: 'lots counted before the batch took some',
    edits: [
      {
        file: allocate,
        search: ' || batch.touched.has(gateKey(pick.partNo, pick.wid))',
        replace: '',
      },
    ],
    test: { file: 'concurrency/large-issues.test.ts', title: 'what the request before it left' },
  },
  {
    name: 'what comes after one that is left for the next batch is decided before it',
    edits: [
      { file: applyBatch, search: 'gates.some((gate) => left.has(gate))', replace: 'gates.length === 0' },
    ],
    test: { file: 'concurrency/large-issues.test.ts', title: 'in as many batches as it takes' },
  },
  {
    name: 'a batch waits with everybody for a gate that is held',
    edits: [{ file: batcher, search: 'if (gates !== null) {', replace: 'if (gates !== null && false) {' }],
    test: { file: 'concurrency/held-gates.test.ts', title: 'while somebody holds another gate' },
  },
  {
    name: 'an envelope that comes again is put with others',
    edits: [
      {
        file: batcher,
        search: 'const isAlone = goesAlone(envelope) || goesAlone(waiting[0]!);',
        replace: 'const isAlone = false;',
      },
    ],
    test: { file: 'concurrency/held-gates.test.ts', title: 'comes again is alone' },
  },
  {
    name: 'deltas not balanced',
    edits: [unbalancedMove],
    test: { file: 'concurrency/gates.test.ts', title: 'opposite directions' },
  },
  {
    name: 'deltas not balanced, and not asserted',
    edits: [
      unbalancedMove,
      {
        file: writeBatch,
        search: 'assertBalanced(batch, entries);',
        replace: 'void assertBalanced;',
      },
    ],
    test: { file: 'contract/move.test.ts', title: 'several lots, never merged' },
  },
  {
    name: 'deadline not looked at',
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
        search: 'return applyInPieces(requests, requests.length >> 1 || 1);',
        replace: 'return Promise.all(requests.map(fail));',
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
    test: { file: 'concurrency/overload.test.ts', title: 'all in one turn' },
  },
  {
    name: 'the time that lost answers take is not learnt',
    edits: [
      {
        file: lane,
        search: 'lane.roundTripMs += (',
        replace: 'if (now - envelope.sentAt < 125) lane.roundTripMs += (',
      },
    ],
    test: { file: 'concurrency/overload.test.ts', title: 'all in one turn' },
  },
  {
    name: 'admission does not count those who wait for the end of the turn',
    edits: [
      {
        file: lane,
        search:
          'const ahead = lane.waiting.length - (limits.inFlightMax - lane.sent.size) * limits.envelopeMax;',
        replace: 'const ahead = lane.sent.size < limits.inFlightMax ? -1 : lane.waiting.length;',
      },
    ],
    test: { file: 'concurrency/overload.test.ts', title: 'all in one turn' },
  },
  {
    name: 'nobody waits to travel together',
    edits: [{ file: lane, search: 'underWay < gatherFrom', replace: 'underWay >= 0' }],
    test: { file: 'concurrency/envelopes.test.ts' },
  },
  {
    name: 'as many as are under way wait for them all the same',
    edits: [{ file: lane, search: 'lane.waiting.length >= underWay ||', replace: '' }],
    test: { file: 'concurrency/lane.test.ts' },
  },
  {
    name: 'many picks that need a few more lots are read as those that need many',
    edits: [
      {
        file: readCandidates,
        search: 'open.length <= reading.rounds[2]!.picks && open.every(isLarge)',
        replace: 'true',
      },
    ],
    test: { file: 'concurrency/large-issues.test.ts', title: 'few or many' },
  },
  {
    name: 'the image starts Node without its options',
    edits: [{ file: 'Dockerfile', search: '"node", "--max-semi-space-size=64"', replace: '"node"' }],
    test: { file: 'docker/containers.test.ts' },
  },
  {
    name: 'those who wait to travel together wait for late answers too',
    edits: [{ file: submit, search: 'for (const line of lines.all()) schedule(line);', replace: '' }],
    test: { file: 'concurrency/envelopes.test.ts' },
  },
  {
    name: 'synchronous_commit = off, as the fault harness sees it',
    edits: [
      {
        file: 'packages/db/src/wrong-settings.ts',
        search: `synchronous_commit: { isRight: (value) => value !== 'off', wanted: 'on' },`,
        replace: '',
      },
      {
        file: 'packages/db/src/connection-settings.ts',
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
    name: 'a connection of the api that died without a word is kept',
    edits: [{ file: 'packages/queue/src/redis.ts', search: 'socketTimeout: producerSilentMs,', replace: '' }],
    test: { file: 'concurrency/black-hole.test.ts', title: 'of the submitter' },
  },
  {
    name: 'a connection of the worker that died without a word is kept',
    edits: [{ file: 'packages/queue/src/redis.ts', search: 'socketTimeout: consumerSilentMs,', replace: '' }],
    test: { file: 'concurrency/black-hole.test.ts', title: 'of the consumer' },
  },
  {
    name: 'an idle connection is not asked whether it lives',
    edits: [{ file: 'packages/queue/src/redis.ts', search: 'redis.ping()', replace: 'Promise.reject()' }],
    test: { file: 'concurrency/black-hole.test.ts', title: 'that nobody uses' },
  },
  {
    name: 'a replica is taken for the server',
    edits: [{ file: 'packages/queue/src/redis.ts', search: '(READONLY|', replace: '(' }],
    test: { file: 'concurrency/black-hole.test.ts', title: 'after a failover' },
  },
  {
    name: 'only BullMQ trims its streams',
    edits: [
      {
        file: 'packages/queue/src/queue.ts',
        search: `redis.call('XTRIM', KEYS[each], 'MINID', '~', string.format('%d', oldest))`,
        replace: `redis.call('EXISTS', KEYS[each])`,
      },
    ],
    test: { file: 'concurrency/full-redis.test.ts', title: 'the stream of events itself' },
  },
  {
    name: 'large answers travel through Redis',
    edits: [
      { file: 'packages/queue/src/envelope.ts', search: 'if (isStored && (', replace: 'if (!isStored && (' },
    ],
    test: { file: 'concurrency/large-answers.test.ts', title: 'travels only that it is stored' },
  },
  {
    name: 'a stored answer is read when it is late',
    edits: [{ file: waiters, search: 'if (stored.length > 0) void look(stored);', replace: '' }],
    test: { file: 'concurrency/large-answers.test.ts', title: 'not when it is late' },
  },
  {
    name: 'the canary concludes nothing from silence',
    edits: [
      {
        file: 'packages/queue/src/service-watch.ts',
        search: `return name === 'ReplyError' ||`,
        replace: 'return true ||',
      },
    ],
    test: { file: 'concurrency/canary.test.ts', title: 'answers nothing' },
  },
  {
    name: 'the canary takes a full Redis for a broken way',
    edits: [
      {
        file: 'packages/queue/src/service-watch.ts',
        search: `return name === 'ReplyError' ||`,
        replace: 'return false ||',
      },
    ],
    test: { file: 'concurrency/canary.test.ts', title: 'a Redis that is full' },
  },
  {
    name: 'an answer of null for what has none',
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
    name: 'a key that its batch does not claim',
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
    name: 'a key of every client',
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
    name: 'another request under a key, in one batch',
    edits: [
      { file: idempotency, search: 'first.key.fingerprint === request.key.fingerprint', replace: 'true' },
    ],
    test: { file: 'concurrency/keys.test.ts', title: 'three times in one batch' },
  },
  {
    name: 'keys claimed in the order they came',
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
    name: 'keys refused in the order they came',
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
        search: 'when key.request_id is null and ${isOpen(tx)} then',
        replace: 'when key.request_id is null then',
      },
    ],
    test: { file: 'concurrency/keys.test.ts', title: 'while its batch waited' },
  },
  {
    name: 'a refused key that is not looked at',
    edits: [
      {
        file: idempotency,
        search: `return isRefused(row, key.askedAt) ? { status: 'abandoned', result: null } : null;`,
        replace: 'return null;',
      },
    ],
    test: { file: 'concurrency/keys.test.ts', title: 'came before another one' },
  },
  {
    name: 'a key refused by a clock that was ahead, until that time comes',
    edits: [
      {
        file: idempotency,
        search: '(refusedAt <= believedUntil && refusedAt + refusedForMs > askedAt)',
        replace: 'refusedAt + refusedForMs > askedAt',
      },
    ],
    test: { file: 'concurrency/keys.test.ts', title: 'an hour ahead' },
  },
  {
    name: 'a key refused after a clock was put right is not refused for what that clock sent',
    edits: [
      { file: idempotency, search: 'return askedAt > believedUntil || (', replace: 'return (' },
      {
        file: idempotency,
        search: '(excluded.asked_at <= ${believedUntil(sql)} and (',
        replace: '((',
      },
    ],
    test: { file: 'concurrency/keys.test.ts', title: 'an hour ahead' },
  },
  {
    name: 'a refusal by a clock that was ahead hides those of now',
    edits: [
      {
        file: idempotency,
        search:
          'greatest(case when key.refused_at <= ${believedUntil(sql)} then key.refused_at end, excluded.refused_at)',
        replace: 'greatest(key.refused_at, excluded.refused_at)',
      },
    ],
    test: { file: 'concurrency/keys.test.ts', title: 'an hour ahead' },
  },
  {
    name: 'a key refused as of a clock that is behind',
    edits: [
      {
        file: idempotency,
        search: 'max(asked_at), greatest(clock_timestamp(), max(asked_at))',
        replace: 'max(asked_at), clock_timestamp()',
      },
    ],
    test: { file: 'concurrency/keys.test.ts', title: 'a clock that is behind' },
  },
  {
    name: 'the verdict of one send, and not of its key',
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
    test: { file: 'concurrency/keys.test.ts', title: 'came before another one' },
  },
  {
    name: 'a request that the queue refused not settled',
    edits: [
      {
        file: 'apps/api/src/sender.ts',
        search: `if (answer.status !== 'busy' || !isKeyed(request)) return answer;`,
        replace: 'if (Date.now() > 0 || !isKeyed(request)) return answer;',
      },
    ],
    test: { file: 'concurrency/keys.test.ts', title: 'the other process has under way' },
  },
  {
    name: 'what a connection that ended could not settle is in doubt',
    edits: [
      {
        file: 'apps/api/src/insist.ts',
        search: 'performance.now() + againAfterMs > untilMs',
        replace: 'performance.now() > 0',
      },
    ],
    test: { file: 'concurrency/keys.test.ts', title: 'a request that the queue refuses' },
  },
  {
    name: 'transactions of lots without a serial are found among all of them',
    edits: [
      {
        file: 'packages/db/src/lists/list-transactions.ts',
        search: "recNo === undefined && !(serial === '' && isNarrowed)",
        replace: 'isNarrowed || true',
      },
    ],
    test: { file: 'concurrency/list-plans.test.ts', title: 'even when Postgres chooses' },
  },
  {
    name: 'the serial of a lot that is named by its recNo gathers all transactions with it',
    edits: [
      {
        file: 'packages/db/src/lists/list-transactions.ts',
        search: "recNo === undefined && !(serial === '' && isNarrowed)",
        replace: "!(serial === '' && isNarrowed)",
      },
    ],
    test: { file: 'concurrency/list-plans.test.ts', title: 'even when Postgres chooses' },
  },
  {
    name: 'the page and its size count as filters of the history',
    edits: [
      {
        file: 'packages/db/src/lists/list-transactions.ts',
        search: '![...withIndex, serial, kind, clientId].some(isGiven)',
        replace: '!Object.values({ ...filters, wid: undefined }).some(isGiven)',
      },
    ],
    test: { file: 'concurrency/list-costs.test.ts', title: 'costs a page, as it comes over HTTP' },
  },
  {
    name: 'an atomic batch that other sends have applied whole is told to be in doubt',
    edits: [
      {
        file: 'apps/api/src/batch/replies.ts',
        search: "if (listKey === undefined && known.every(({ status }) => status === 'applied')) {",
        replace: 'if (known.length === 0) {',
      },
    ],
    test: { file: 'concurrency/keys.test.ts', title: 'another process has applied all of it' },
  },
  {
    name: 'a shard that is given up keeps a listener',
    edits: [
      {
        file: 'packages/queue/src/queue.ts',
        search: "if (connection.status === 'ready') begin();",
        replace: "connection.on('ready', begin);",
      },
    ],
    test: { file: 'concurrency/shards.test.ts', title: 'leaves nothing on the connection' },
  },
  {
    name: 'a connection that swallows what is sent is kept',
    edits: [
      {
        file: 'packages/db/src/statement-pool.ts',
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
        file: 'packages/db/src/statement-pool.ts',
        search: 'late = setImmediate(() => suspectSince(connection, startedAt));',
        replace: 'suspectSince(connection, startedAt);',
      },
    ],
    test: { file: 'concurrency/statement-pool.test.ts', title: 'not taken for one that hangs' },
  },
  {
    name: 'each client of a fleet is read by a statement of its own',
    edits: [
      {
        file: 'apps/api/src/callers/client-cache.ts',
        search: 'const client = read(clientId);',
        replace:
          'const client = pool.run((sql) => readClients(sql, [clientId])).then((found) => found.get(clientId) ?? null);',
      },
    ],
    test: { file: 'concurrency/gather.test.ts', title: 'a fleet that wakes up' },
  },
  {
    name: 'one statement takes whatever is asked in one moment',
    edits: [
      {
        file: 'apps/api/src/gather.ts',
        search: 'waiting.splice(0, inputsMax)',
        replace: 'waiting.splice(0)',
      },
    ],
    test: { file: 'concurrency/gather.test.ts', title: 'of a thousand at most' },
  },
  {
    name: 'a batch whose caller has gone keeps its room',
    edits: [
      {
        file: 'apps/api/src/body.ts',
        search: "ctx.res.once('close', visit.leave);",
        replace: '',
      },
    ],
    test: { file: 'concurrency/body-room.test.ts', title: 'leaves with its caller' },
  },
  {
    name: 'a batch that waits for room is taken for one that does not come',
    edits: [
      {
        file: 'apps/api/src/connections/connection.ts',
        search: 'if (current !== null && isBodyHeld(current.request)) since = now();',
        replace: '',
      },
    ],
    test: { file: 'concurrency/body-room.test.ts', title: 'its wait counts' },
  },
  {
    name: 'the time that a batch waits for room is given back',
    edits: [
      {
        file: 'apps/api/src/body.ts',
        search: 'admittedAt = arrivedAt }',
        replace: 'readFrom: admittedAt = arrivedAt }',
      },
    ],
    test: { file: 'concurrency/body-room.test.ts', title: 'its wait counts' },
  },
  {
    name: 'a batch of a caller that has gone takes room for good',
    edits: [
      {
        file: 'apps/api/src/body.ts',
        search: 'if (ctx.req.socket.destroyed)',
        replace: 'if (Date.now() < 0)',
      },
    ],
    test: { file: 'concurrency/body-room.test.ts', title: 'takes no room when its caller left' },
  },
  {
    name: 'an atomic batch takes as many lots as its operations may together',
    edits: [
      {
        file: 'packages/domain/src/stock/atomic.ts',
        search: 'if (entryCount > entriesMax)',
        replace: 'if (entryCount < 0)',
      },
    ],
    test: { file: 'contract/batch-atomic.test.ts', title: 'together take thousands of lots' },
  },
  {
    name: 'large answers of earlier sends are read however many there are',
    edits: [
      {
        file: 'packages/db/src/requests/large-answers.ts',
        search: 'open.length > 0 && length <= lengthMax;',
        replace: 'open.length > 0;',
      },
    ],
    test: { file: 'concurrency/keys.test.ts', title: 'a large answer is not read under the locks' },
  },
  {
    name: 'what was decided waits for the texts of large answers',
    edits: [
      {
        file: 'packages/db/src/requests/settle.ts',
        search: 'for (const row of own) outcomes.set(row.request_id, outcomeOfRow(row));',
        replace: `for (const row of own) outcomes.set(row.request_id, outcomeOfRow(row));
  await fillLargeAnswers(sql, outcomes, Number.POSITIVE_INFINITY);`,
      },
      {
        file: 'packages/db/src/requests/settle.ts',
        search: 'import { isLarge,',
        replace: 'import { fillLargeAnswers, isLarge,',
      },
    ],
    test: { file: 'contract/batch-large.test.ts', title: 'a hundred and more MiB' },
  },
  {
    name: 'a large answer that is sent and not taken has no room in the api',
    edits: [
      {
        file: 'apps/api/src/answer-texts.ts',
        search: 'return () => visit.resize(length);',
        replace: 'return leave;',
      },
    ],
    test: { file: 'concurrency/answer-texts.test.ts', title: 'keep back the next of this client' },
  },
  {
    name: 'a list keeps its turns while it waits for room for its answers',
    edits: [
      {
        file: 'apps/api/src/batch/run-each.ts',
        search: 'await within(readInTurnMs, told).catch(unlessLate);',
        replace: 'await told;',
      },
    ],
    test: { file: 'concurrency/answer-texts.test.ts', title: 'keeps no other list from being applied' },
  },
  {
    name: 'what was read for a caller that has gone has no room',
    edits: [
      {
        file: 'apps/api/src/answer-texts.ts',
        search: 'if (isOver && hasGone()) leave();',
        replace: 'if (hasGone()) leave();',
      },
    ],
    test: { file: 'concurrency/answer-texts.test.ts', title: 'callers that have gone' },
  },
  {
    name: 'an answer whose text cannot be read is not known',
    edits: [
      {
        file: 'apps/api/src/batch/answer-room.ts',
        search: 'await texts.read([...unread]).catch(whenUnanswered(null));',
        replace: 'await texts.read([...unread]);',
      },
    ],
    test: { file: 'concurrency/answer-texts.test.ts', title: 'whose texts Postgres does not give' },
  },
  {
    name: 'the answer of a single call waits for room until it is 503',
    edits: [
      {
        file: 'apps/api/src/answer-texts.ts',
        search: "of === 'single' && !hasGone()",
        replace: "of === 'single' && hasGone()",
      },
    ],
    test: { file: 'concurrency/answer-texts.test.ts', title: 'not for that of a single call' },
  },
  {
    name: 'a large answer has its room until its caller closes the connection',
    edits: [
      {
        file: 'apps/api/src/answer-texts.ts',
        search: 'setTimeout(() => call.res.destroy(), sentWithinMs)',
        replace: 'setTimeout(() => {}, sentWithinMs)',
      },
    ],
    test: { file: 'concurrency/answer-texts.test.ts', title: 'is given up' },
  },
  {
    name: 'large answers of earlier sends are read under the locks of the gates',
    edits: [
      {
        file: 'packages/db/src/requests/large-answers.ts',
        search: 'case when not ${isLarge(sql)} then result::text end',
        replace: 'result::text',
      },
    ],
    test: { file: 'concurrency/keys.test.ts', title: 'a large answer is not read under the locks' },
  },
  {
    name: 'what a key leads to is read once for each request that has it',
    edits: [
      {
        file: idempotency,
        search: 'const keys = [...new Map(requests.map((request) => [keyName(request), request])).values()];',
        replace: 'const keys = requests;',
      },
    ],
    test: { file: 'concurrency/keys.test.ts', title: 'a large answer is not read under the locks' },
  },
  {
    name: 'a batch of mode each goes on however large its answers are',
    edits: [
      {
        file: 'apps/api/src/batch/run-each.ts',
        search: 'if (fresh.isFull()) {',
        replace: 'if (fresh.isFull() && arrivedAt < 0) {',
      },
    ],
    test: { file: 'concurrency/batch-answers.test.ts', title: 'gets further, in its order' },
  },
  {
    name: 'a list that is sent again is not sent on for the answers that it had before',
    edits: [
      {
        file: 'apps/api/src/batch/run-each.ts',
        search: '(isRepeat(answer) ? before : fresh)',
        replace: '(isRepeat(answer) === null ? before : fresh)',
      },
    ],
    test: { file: 'concurrency/batch-answers.test.ts', title: 'gets further, in its order' },
  },
  {
    name: 'an operation that is not sent for the size of the answers is told that the service is busy',
    edits: [
      {
        file: 'apps/api/src/batch/batches.ts',
        search: 'unsent.has(place) ? notSent : notApplied',
        replace: 'notApplied',
      },
    ],
    test: { file: 'concurrency/batch-answers.test.ts', title: '503 that says why' },
  },
  {
    name: 'what is not applied in a batch is told that the answers fill it, whatever it was not applied for',
    edits: [
      {
        file: 'apps/api/src/batch/batches.ts',
        search: 'unsent.has(place) ? notSent : notApplied',
        replace: 'unsent.size > 0 ? notSent : notApplied',
      },
    ],
    test: { file: 'concurrency/batch-answers.test.ts', title: 'says that the service is busy' },
  },
  {
    name: 'an atomic batch passes over as many lots as its operations may together',
    edits: [
      {
        file: 'packages/domain/src/stock/atomic.ts',
        search: ' || batch.looks > looksMax',
        replace: '',
      },
    ],
    test: { file: 'concurrency/bounded-atomic.test.ts', title: 'are bounded' },
  },
  {
    name: 'a dry run of an atomic batch is decided at one stretch',
    edits: [
      {
        file: 'packages/db/src/batch/dry-run.ts',
        search: `if (step.done === true) return step.value;
    await pace();`,
        replace: 'if (step.done === true) return step.value;',
      },
    ],
    test: { file: 'security/event-loop.test.ts', title: 'all lots of each place before' },
  },
  {
    name: 'all lots of a dry run come at one stretch',
    edits: [{ file: readCandidates, search: 'lotsMax: 2000', replace: 'lotsMax: 200_000' }],
    test: { file: 'security/event-loop.test.ts', title: 'of an item with 20,000 lots' },
  },
  {
    name: 'a number of a lot beyond 2^31 is refused',
    edits: [
      {
        file: 'packages/domain/src/contract/issue.ts',
        search: 'recno: RecordNo.optional()',
        replace: 'recno: Id.optional()',
      },
    ],
    test: { file: 'contract/large-numbers.test.ts', title: 'accepted wherever it is given' },
  },
  {
    name: 'each request draws a number of a lot',
    edits: [
      {
        file: 'packages/db/src/batch/read-facts.ts',
        search: "requests.filter(({ kind }) => kind === 'receive' || kind === 'move').length",
        replace: 'requests.length',
      },
    ],
    test: { file: 'contract/large-numbers.test.ts', title: 'draw no numbers' },
  },
  {
    name: 'a list shows all lines of a transaction',
    edits: [
      {
        file: 'packages/db/src/lists/transaction-record.ts',
        search: 'export const listedLinesMax = 100;',
        replace: 'export const listedLinesMax = 2 ** 31 - 2;',
      },
    ],
    test: { file: 'contract/transactions-list.test.ts', title: 'the first 100 lines of each' },
  },
  {
    name: 'a list does not say that it left lines out',
    edits: [
      {
        file: 'packages/db/src/lists/transaction-record.ts',
        search: 'count(*) > ${linesMax} as has_more',
        replace: 'false as has_more',
      },
    ],
    test: { file: 'contract/transactions-list.test.ts', title: 'the first 100 lines of each' },
  },
  {
    name: 'a receipt that asks to be tried out is applied',
    edits: [
      {
        file: 'packages/domain/src/contract/dry-run.ts',
        search: '(isTried) => isTried !== true',
        replace: '() => true',
      },
    ],
    test: { file: 'contract/dry-run.test.ts', title: '400: a receipt' },
  },
  {
    name: 'another method of a path that is none has one allowed',
    edits: [
      {
        file: 'apps/api/src/app.ts',
        search: 'takes(declared, path) || (exact.length === 0 && declared.misfit !== undefined)',
        replace: 'takes(declared, path) || exact.length === 0',
      },
    ],
    test: { file: 'contract/errors.test.ts', title: 'as any method of a path that is none' },
  },
  {
    name: 'work runs though its caller has gone',
    edits: [
      {
        file: 'packages/db/src/statement-pool.ts',
        search: 'if (next.hasGone()) {',
        replace: 'if (Date.now() < 0) {',
      },
    ],
    test: { file: 'concurrency/statement-pool.test.ts', title: 'when its caller has gone' },
  },
  {
    name: 'rights cached for two seconds',
    edits: [
      {
        file: 'apps/api/src/callers/client-cache.ts',
        search: 'const clientMaxAgeMs = 500;',
        replace: 'const clientMaxAgeMs = 2000;',
      },
    ],
    test: { file: 'security/revocation.test.ts', title: 'reads of a revoked right stop too' },
  },
  {
    name: 'what came while a process stood still is given up unread',
    edits: [
      {
        file: 'packages/process/src/within.ts',
        search: 'if (performance.now() - dueAt < stoodStillMs) giveUp();',
        replace: 'if (dueAt > 0) giveUp();',
      },
    ],
    test: { file: 'concurrency/statement-pool.test.ts', title: 'while the process stood still' },
  },
  {
    name: 'a lost answer of a write of an item taken for a no',
    edits: [
      {
        file: 'apps/api/src/item-writes.ts',
        search: 'if (readBack === null || !mayBeApplied(error)) throw asNotApplied(error);',
        replace: 'if (Date.now() > 0) throw asNotApplied(error);',
      },
    ],
    test: { file: 'concurrency/item-writes.test.ts' },
  },
  {
    name: 'a write of an item is begun when there is no time left for it',
    edits: [
      {
        file: 'packages/db/src/statement-pool.ts',
        search: 'const timer = setTimeout(leave, timeMs);',
        replace: 'const timer = setTimeout(() => {}, timeMs);',
      },
    ],
    test: { file: 'concurrency/statement-pool.test.ts', title: 'when the time of its caller is over' },
  },
  {
    name: 'a schema of another version accepted',
    edits: [
      { file: 'packages/db/src/migrate.ts', search: 'if (version < known) {', replace: 'if (version < 0) {' },
    ],
    test: { file: 'concurrency/start-up.test.ts', title: 'it must be migrated' },
  },
  {
    name: 'tables that are too new for a process are taken by it',
    edits: [
      {
        file: 'packages/db/src/migrate.ts',
        search: 'if (compatible!.oldest > known) refuseNewer(version, known);',
        replace: '',
      },
    ],
    test: { file: 'concurrency/start-up.test.ts', title: 'it needs a newer version' },
  },
  {
    name: 'a process refuses newer tables that are still good for it',
    edits: [
      {
        file: 'packages/db/src/migrate.ts',
        search: 'compatible!.oldest > known',
        replace: 'version > known',
      },
    ],
    test: { file: 'concurrency/start-up.test.ts', title: 'is still good for this version' },
  },
  {
    name: 'a migration waits for a table as long as it takes',
    edits: [
      {
        file: runMigrationFile,
        search: 'set local lock_timeout = ${timeoutMs};',
        replace: '',
      },
    ],
    test: { file: 'concurrency/migrations.test.ts', title: 'goes on while a migration waits for it' },
  },
  {
    name: 'a migration stays without the note that it was applied',
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
    name: 'a migration that has nothing to do waits for a backup',
    edits: [
      {
        file: 'packages/db/src/migrate.ts',
        search: ' || (await appliedVersion(sql)) === wanted) return;',
        replace: ' || wanted < 0) return;',
      },
    ],
    test: { file: 'concurrency/migrations.test.ts', title: 'unless there is nothing to do' },
  },
  {
    name: 'a restore that was broken off is refused',
    edits: [
      {
        file: restoring,
        search: 'const isBegun = applied!.version < schema;',
        replace: 'const isBegun = schema < 0;',
      },
    ],
    test: { file: 'admin/backup.test.ts', title: 'goes on from there' },
  },
  {
    name: 'a second migration waits in a statement',
    edits: [
      {
        file: 'packages/db/src/migrate.ts',
        search: 'select pg_try_advisory_lock(${migrationLockKey}::bigint) as mine`;',
        replace:
          'select true as mine from (select pg_advisory_lock(${migrationLockKey}::bigint)) as waited`;',
      },
    ],
    test: { file: 'concurrency/migrations.test.ts', title: 'by two migrations at once' },
  },
  {
    name: 'an index whose making was cut off stays as it is',
    edits: [
      {
        file: runMigrationFile,
        search: 'if (found !== undefined) await connection',
        replace: 'if (found === null) await connection',
      },
    ],
    test: { file: 'concurrency/migrations.test.ts', title: 'by two migrations at once' },
  },
  {
    name: 'workers remove transactions while a key of theirs is left',
    edits: [{ file: retentionByWorkers, search: 'if not round.has_left then', replace: 'if true then' }],
    test: { file: 'concurrency/retention.test.ts', title: 'never before its key' },
  },
  {
    name: 'workers remove transactions before they have gone through the keys',
    edits: [
      {
        file: retentionByWorkers,
        search: 'if round.next_page < pg_relation_size',
        replace: 'if round.next_page < 0 * pg_relation_size',
      },
    ],
    test: { file: 'concurrency/retention.test.ts', title: 'never before its key' },
  },
  {
    name: 'workers remove transactions as young as keys',
    edits: [
      {
        file: retentionByWorkers,
        search: "transactions := remove_undone_transactions(round.keys_until - interval '1 day', count_max)",
        replace: 'transactions := remove_undone_transactions(round.keys_until, count_max)',
      },
    ],
    test: { file: 'concurrency/retention.test.ts', title: 'workers remove' },
  },
  {
    name: 'what was applied is removed with what was refused',
    edits: [
      {
        file: retention,
        search: "where status <> 'applied' and at < least(until, clock_timestamp() - interval '8 days')",
        replace: "where at < least(until, clock_timestamp() - interval '8 days')",
      },
    ],
    test: { file: 'concurrency/retention.test.ts', title: 'workers remove' },
  },
  {
    name: 'nobody removes old keys',
    edits: [{ file: 'packages/process/src/run-again.ts', search: '  wait(firstMs);\n', replace: '' }],
    test: { file: 'concurrency/retention.test.ts', title: 'workers remove' },
  },
  {
    name: 'anything runs outside a transaction',
    edits: [
      { file: runMigrationFile, search: 'if (found === undefined) {', replace: 'if (found === null) {' },
    ],
    test: { file: 'concurrency/migrations.test.ts', title: 'nothing that cannot be run twice' },
  },
  {
    name: 'a connection keeps what was ever waited for on it',
    edits: [
      {
        file: 'packages/db/src/client.ts',
        search: 'return () => waiting.delete(tell);',
        replace: 'return () => {};',
      },
    ],
    test: { file: 'concurrency/batch-pool.test.ts' },
  },
  {
    name: 'the same held gates are tried first each time',
    edits: [
      {
        file: 'apps/worker/src/held-gates.ts',
        search: `gates.delete(name);
            gates.set(name, held);`,
        replace: '',
      },
    ],
    test: { file: 'concurrency/held-gates.test.ts', title: 'has its turn' },
  },
  {
    name: 'a lane locks the gate it takes from while it waits for the one that is held',
    edits: [
      {
        file: 'apps/worker/src/held-gates.ts',
        search: 'await options.findHeld(young.map(({ request }) => request)).catch(',
        replace: 'await Promise.resolve(new Set<string>()).catch(',
      },
    ],
    test: { file: 'concurrency/held-gates.test.ts', title: 'the gate that a move takes from' },
  },
  {
    name: 'a batch decides by what another one of the process forgot',
    edits: [
      {
        file: gates,
        search: 'if (missing.length === 0) return own;',
        replace: 'if (missing.length === 0) return parts;',
      },
    ],
    test: { file: 'concurrency/held-gates.test.ts', title: 'forgets while its gate' },
  },
  {
    name: 'what waits for a gate is lost with its lane',
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
    name: 'an outage drops what waits for a gate',
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
    name: 'one that cannot be applied takes along what waits for the same gate',
    edits: [
      { file: heldGates, search: 'else if (free.length > 1) for', replace: 'else if (free.length < 0) for' },
    ],
    test: { file: 'concurrency/held-gates.test.ts', title: 'that cannot be applied' },
  },
  {
    name: 'operations between warehouses travel with what follows them',
    edits: [
      {
        file: 'apps/api/src/batch/run-each.ts',
        search: 'findIndex(({ isBetween }) => isBetween)',
        replace: 'findIndex(() => false)',
      },
    ],
    test: { file: 'contract/batch.test.ts', title: 'while somebody holds one of its gates' },
  },
  {
    name: 'years below 100 are read as others',
    edits: [
      {
        file: 'packages/db/src/client.ts',
        search: "new Date(text.replace(' ', 'T').replace(/\\+00$/, 'Z'))",
        replace: 'new Date(text)',
      },
    ],
    test: { file: 'contract/batch-atomic.test.ts', title: 'expired long ago' },
  },
  {
    name: 'a clock that was put right has the first answer refused',
    edits: [{ file: batches, search: 'dryRun === true ? operations :', replace: 'mode !== null ? listed :' }],
    test: { file: 'contract/batch.test.ts', title: 'the clock of a device was put right' },
  },
  {
    name: 'a first send found by its key is taken for a repeat',
    edits: [
      {
        file: 'packages/db/src/requests/idempotency-keys.ts',
        search: 'request_id === requestId ?',
        replace: 'request_id === undefined ?',
      },
    ],
    test: { file: 'concurrency/keys.test.ts', title: 'is no repeat' },
  },
  {
    name: 'lots expire as of the transaction begin',
    edits: [{ file: readCandidates, search: 'now: moment', replace: 'now: null' }],
    test: { file: 'concurrency/large-issues.test.ts', title: 'have expired since' },
  },
  {
    name: 'no limit of entries for a batch',
    edits: [{ file: applyBatch, search: 'entryCount >= entriesMax', replace: 'entryCount < 0' }],
    test: { file: 'concurrency/large-issues.test.ts', title: 'the same thousand lots' },
  },
  {
    name: 'a pattern that goes back over a time in a query',
    edits: [
      {
        file: 'packages/paging/src/page-query.ts',
        search: 'parseDateTime(withPlus(text))',
        replace: "parseDateTime(text.replace(/(T.*) (\\d\\d:?\\d\\d)$/, '$1+$2'))",
      },
    ],
    test: { file: 'security/event-loop.test.ts', title: 'slow to match' },
  },
  {
    name: 'all parameters of a query looked through for each',
    edits: [
      {
        file: 'apps/api/src/route.ts',
        search: 'of new URLSearchParams(ctx.querystring)) {',
        replace:
          'of Object.entries(ctx.query).flatMap(([k, v]) => [v].flat().map((each) => [k, each!] as const))) {',
      },
    ],
    test: { file: 'security/event-loop.test.ts', title: 'very many parameters' },
  },
  {
    name: 'an atomic batch is made one request at one stretch',
    edits: [
      {
        file: 'apps/api/src/sender.ts',
        search: `await pace();
    asked.push(`,
        replace: 'asked.push(',
      },
    ],
    test: { file: 'security/batch-work-in-turns.test.ts', title: 'is made one request' },
  },
  {
    name: 'the digest of an atomic batch is another one than before',
    edits: [
      {
        file: 'apps/api/src/sender.ts',
        search: "asked.join(',')",
        replace: "asked.join('')",
      },
    ],
    test: { file: 'security/batch-work-in-turns.test.ts', title: 'is made one request' },
  },
  {
    name: 'all operations of mode each are begun at one stretch',
    edits: [
      {
        file: 'apps/api/src/batch/run-each.ts',
        search: `await pace();
    const begun`,
        replace: 'const begun',
      },
    ],
    test: { file: 'security/batch-work-in-turns.test.ts', title: 'are begun in stretches' },
  },
  {
    name: 'all operations of mode each are settled at one stretch',
    edits: [
      {
        file: 'apps/api/src/batch/run-each.ts',
        search: `await pace();
      requests.push(`,
        replace: 'requests.push(',
      },
    ],
    test: { file: 'security/batch-work-in-turns.test.ts', title: 'are settled when' },
  },
  {
    name: 'a failure while operations are begun ends the process',
    edits: [{ file: 'apps/api/src/batch/run-each.ts', search: 'begun.catch(() => {});', replace: '' }],
    test: { file: 'security/batch-work-in-turns.test.ts', title: 'a failure while operations' },
  },
  {
    name: 'all lines that a dry run undoes come at one stretch',
    edits: [
      {
        file: 'packages/db/src/batch/read-pasts.ts',
        search: 'inPartsOfLines(asked, turns.lotsMax)',
        replace: 'inPartsOfLines(asked, Number.POSITIVE_INFINITY)',
      },
    ],
    test: { file: 'security/event-loop.test.ts', title: 'lines of the ledger at a time' },
  },
  {
    name: 'each operation of a batch loses a turn of the event loop',
    edits: [
      {
        file: 'packages/process/src/pacer.ts',
        search: 'if (performance.now() - since < stretchMs) return undefined;',
        replace: 'if (performance.now() < since) return undefined;',
      },
    ],
    test: { file: 'security/batch-work-in-turns.test.ts', title: 'in one turn' },
  },
  {
    name: 'a large batch lets nobody in between',
    edits: [
      {
        file: 'packages/process/src/pacer.ts',
        search: 'if (performance.now() - since < stretchMs) return undefined;',
        replace: 'if (performance.now() > since) return undefined;',
      },
    ],
    test: { file: 'security/event-loop.test.ts', title: 'in stretches' },
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
    name: 'a bill of materials without what only development needs',
    edits: [
      {
        file: 'package.json',
        search: '--sbom-type application --lockfile-only',
        replace: '--sbom-type application --lockfile-only --prod',
      },
    ],
    test: { file: 'dependencies/dependencies.test.ts', title: 'bill of materials' },
  },
  {
    name: 'a package of the lock file has a known weakness',
    edits: [{ file: 'docs/advisories.json', search: '"<6.12.3"', replace: '"<99"' }],
    test: { file: 'dependencies/dependencies.test.ts', title: 'has a known weakness' },
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
    test: { file: 'security/errors-in-logs.test.ts', title: 'a value that is none of its type' },
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
    name: 'rows that a constraint refuses are logged',
    edits: [
      {
        file: describeError,
        search: 'table: name(error.table_name)',
        replace: 'table: error.detail',
      },
    ],
    test: { file: 'security/secrets-in-logs.test.ts', title: 'a constraint refuses a row' },
  },
  {
    name: 'stacks logged with their message',
    edits: [
      {
        file: describeError,
        search: `if (typeof stack !== 'string') return undefined;`,
        replace: `if (typeof stack === 'string') return stack;`,
      },
    ],
    test: { file: 'security/errors-in-logs.test.ts', title: 'frames of code' },
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
    test: { file: 'security/errors-in-logs.test.ts', title: 'that quote what they were given' },
  },
  {
    name: 'an error alone lends the line of the log its message',
    edits: [
      {
        file: 'packages/process/src/log.ts',
        search: `typeof second === 'string' ? second : 'an error'`,
        replace: 'second as string',
      },
    ],
    test: { file: 'security/errors-in-logs.test.ts', title: 'however it is handed over' },
  },
  {
    name: 'libraries print by themselves',
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
    name: 'Node prints warnings by itself',
    edits: [
      {
        file: outlets,
        search: `process.removeAllListeners('warning');`,
        replace: 'void process;',
      },
    ],
    test: { file: 'security/secrets-in-logs.test.ts', title: 'libraries print' },
  },
  {
    name: 'uncaught exceptions are printed by Node',
    edits: [
      {
        file: outlets,
        search: `process.on('uncaughtException', (error)`,
        replace: `process.on('uncaughtExceptionMonitor', (error)`,
      },
      {
        file: outlets,
        search: `    process.exit(1);
`,
        replace: '',
      },
    ],
    test: { file: 'security/secrets-in-logs.test.ts', title: 'libraries print' },
  },
  {
    name: 'a job that fails keeps the error in Redis',
    edits: [
      {
        file: 'packages/queue/src/consume.ts',
        search: `throw new EnvelopeError('an envelope was not applied', { cause: error });`,
        replace: 'throw error;',
      },
    ],
    test: { file: 'security/errors-in-logs.test.ts', title: 'an envelope that fails' },
  },
  {
    name: 'Postgres logs errors of statements',
    edits: [
      {
        file: 'packages/local/src/postgres/postgres-settings.ts',
        search: `log_min_messages: 'log'`,
        replace: `log_min_messages: 'warning'`,
      },
    ],
    test: { file: 'security/secrets-in-logs.test.ts', title: 'a value is none of its type' },
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
    name: 'a token is remembered without its signing key',
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
    name: 'an unknown signing key is not looked for',
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
    name: 'the private half of a signing key goes with its rotation',
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
    name: 'any type of token',
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
    name: 'a token with b64 in its header',
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
    name: 'a token of any life',
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
    name: 'a token of tomorrow',
    edits: [
      {
        file: token,
        search: ' || iat * 1000 > now.getTime() + leewaySeconds * 1000',
        replace: '',
      },
    ],
    test: { file: 'security/tokens.test.ts', title: 'issued in the future' },
  },
  {
    name: 'a token whose id is no text',
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
    name: 'secrets for ever',
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
    name: 'other secrets outlive --revoke-others',
    edits: [
      {
        file: clients,
        search: `and not \${revokeOthers} and`,
        replace: 'and',
      },
    ],
    test: { file: 'admin/commands.test.ts', title: 'revoke-others ends all' },
  },
  {
    name: 'the api may delete what it may change',
    edits: [
      {
        file: roles,
        search: 'grant update on item, idempotency_key to inventory_api;',
        replace: 'grant update, delete on item, idempotency_key to inventory_api;',
      },
    ],
    test: { file: 'security/database-rights.test.ts', title: 'may do with each table' },
  },
  {
    name: 'the api may write whole transactions',
    edits: [
      {
        file: roles,
        search: 'grant insert (request_id, status) on stock_transaction to inventory_api;',
        replace: 'grant insert on stock_transaction to inventory_api;',
      },
    ],
    test: { file: 'security/database-rights.test.ts', title: 'may do with each table' },
  },
  {
    name: 'the owner deletes transactions',
    edits: [
      {
        file: retention,
        search: `old.status = 'applied' or old.at > clock_timestamp() - interval '8 days'`,
        replace: 'false',
      },
    ],
    test: { file: 'security/database-rights.test.ts', title: 'delete from stock_transaction' },
  },
  {
    name: 'old transactions can be deleted, applied or not',
    edits: [{ file: retention, search: `old.status = 'applied' or old.at`, replace: 'old.at' }],
    test: { file: 'admin/maintain.test.ts', title: 'removes keys after 8 days' },
  },
  {
    name: 'temporary tables for everybody',
    edits: [
      {
        file: roles,
        search: `execute format('revoke all on database %I from public', current_database());`,
        replace: '',
      },
    ],
    test: { file: 'security/database-rights.test.ts', title: 'may not: create temporary table' },
  },
  {
    name: 'the worker lacks a right',
    edits: [
      {
        file: roles,
        search: 'grant update (units, spot, modified, active,',
        replace: 'grant update (units, modified, active,',
      },
    ],
    test: { file: 'contract/move.test.ts' },
  },
  {
    name: 'Redis refuses the api a command',
    edits: [{ file: redisRights, search: 'lpush lrange lrem', replace: 'lrange lrem' }],
    test: { file: 'contract/receive.test.ts', title: '201' },
  },
  {
    name: 'Redis lets everybody in',
    edits: [
      {
        file: redisRights,
        search: 'user default off resetchannels -@all',
        replace: 'user default on nopass ~* &* +@all',
      },
    ],
    test: { file: 'local/stack.test.ts', title: 'Redis lets nobody in' },
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
    test: { file: 'local/stack.test.ts', title: 'Redis lets nobody in' },
  },
  {
    name: 'the local folder is open to others',
    edits: [
      { file: 'packages/local/src/private-folder.ts', search: '? 0o711 : 0o700', replace: '? 0o711 : 0o755' },
    ],
    test: { file: 'local/stack.test.ts', title: 'nobody else may enter the folder' },
  },
  {
    name: 'files of an older start stay readable to others',
    edits: [
      {
        file: 'packages/local/src/private-folder.ts',
        search: 'await chmod(path, 0o600)',
        replace: 'await lstat(path)',
      },
    ],
    test: { file: 'local/stack.test.ts', title: 'nobody else may enter the folder' },
  },
  {
    name: 'a job that nobody signed is applied',
    edits: [
      {
        file: signature,
        search: 'if (key === null || !isSignedBy(key, kindOf(version), place, text, mac)) return null;',
        replace: '',
      },
    ],
    test: { file: 'security/forged-jobs.test.ts', title: 'no api signed for this very job' },
  },
  {
    name: 'a worker ends what an api of a later version sent',
    edits: [
      {
        file: signature,
        search: "isKnownEnvelope(version, requests) ? requests : 'later'",
        replace: 'requests',
      },
    ],
    test: { file: 'concurrency/envelope-versions.test.ts', title: 'an envelope of a later version is left' },
  },
  {
    name: 'a worker drops the requests of a kind that it does not know',
    edits: [
      {
        file: 'packages/queue/src/envelope.ts',
        search: 'if (!Object.hasOwn(versionSince, kind)) return false;',
        replace: '',
      },
    ],
    test: {
      file: 'concurrency/envelope-versions.test.ts',
      title: 'with a kind of request that is not known',
    },
  },
  {
    name: 'the version of an envelope is not signed',
    edits: [
      {
        file: signature,
        search: "return version === 1 ? 'envelope' : `envelope ${version}`;",
        replace: "return 'envelope';",
      },
    ],
    test: { file: 'concurrency/envelope-versions.test.ts', title: 'that no api signed is refused, not left' },
  },
  {
    name: 'a worker of the version before cannot read what an api of this one sends',
    edits: [
      {
        file: signature,
        search: "return version === 1 ? 'envelope' : `envelope ${version}`;",
        replace: 'return `envelope ${version}`;',
      },
    ],
    test: { file: 'operation/deploy.test.ts', title: 'go on beside those of this one' },
  },
  {
    name: 'a migration takes away what the version before uses',
    edits: [
      {
        file: 'packages/db/migrations/0021.do.compatibility.sql',
        search: 'values (20);',
        replace: 'values (20);\nalter table client drop column operations_per_minute;',
      },
    ],
    test: { file: 'operation/deploy.test.ts', title: 'go on beside those of this one' },
  },
  {
    name: 'an envelope that nobody knows goes round for ever',
    edits: [{ file: consume, search: 'if (job.attemptsStarted > leftTimesMax) return false;', replace: '' }],
    test: { file: 'concurrency/envelope-versions.test.ts', title: 'is dropped in the end' },
  },
  {
    name: 'workers that leave an envelope to others count as attempts',
    edits: [
      { file: consume, search: '1 + job.attemptsMade + job.stalledCounter', replace: 'job.attemptsStarted' },
    ],
    test: { file: 'concurrency/envelope-versions.test.ts', title: 'counts as taken for the first time' },
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
    name: 'an answer that nobody signed is believed',
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
    name: 'an answer is signed without where its texts end',
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
    name: 'an unreadable job is handed out for ever',
    edits: [
      {
        file: 'packages/queue/src/serve-shard.ts',
        search: 'mendUnreadable(worker, queue, producer);',
        replace: '',
      },
    ],
    test: { file: 'security/forged-jobs.test.ts', title: 'no api signed for this very job' },
  },
  {
    name: 'the worker takes bodies unchecked',
    edits: [{ file: consume, search: 'requests.filter(isSound)', replace: 'requests.filter(() => true)' }],
    test: { file: 'security/forged-jobs.test.ts', title: 'none that an api would send' },
  },
  {
    name: 'a new envelope key signs before every process knows it',
    edits: [
      {
        file: 'packages/queue/src/envelope-keys.ts',
        search: 'found.find(({ settled }) => settled) ?? found.at(-1)',
        replace: 'found[0]',
      },
    ],
    test: { file: 'concurrency/envelope-keys.test.ts', title: 'a new key signs after a minute' },
  },
  {
    name: 'unknown keys have Postgres asked without end',
    edits: [
      {
        file: 'packages/queue/src/envelope-keys.ts',
        search: 'performance.now() - readAt > readAgainAfterMs',
        replace: 'true',
      },
    ],
    test: { file: 'concurrency/envelope-keys.test.ts', title: 'once a second at most' },
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
    name: 'a list whose caller goes runs on',
    edits: [{ file: statementPool, search: 'onGone?.(giveUp)', replace: 'onGone?.(() => {})' }],
    test: { file: 'concurrency/statement-pool.test.ts', title: 'ends in Postgres when its caller goes' },
  },
  {
    name: 'a list runs on when the time of its caller is over',
    edits: [
      { file: statementPool, search: 'setTimeout(giveUp, timeMs)', replace: 'setTimeout(() => {}, timeMs)' },
    ],
    test: { file: 'concurrency/statement-pool.test.ts', title: 'before the time of its caller is over' },
  },
  {
    name: 'a connection is used again after a cancel',
    edits: [{ file: statementPool, search: 'gaveUp || cancelled || suspect', replace: 'gaveUp || suspect' }],
    test: { file: 'concurrency/statement-pool.test.ts', title: 'a cancel that comes late' },
  },
  {
    name: 'a list that was not sent is not given up',
    edits: [{ file: statementPool, search: 'if (!cancel()) close(connection, 0);', replace: 'cancel();' }],
    test: { file: 'concurrency/statement-pool.test.ts', title: 'nothing of it was sent yet' },
  },
  {
    name: 'a broken transaction goes on, on another connection',
    edits: [{ file: statementPool, search: '(cancels && isOutage(error))', replace: 'false' }],
    test: { file: 'concurrency/statement-pool.test.ts', title: 'what is left of a transaction' },
  },
  {
    name: 'the rows of finished statements are kept',
    edits: [
      { file: 'packages/db/src/cancellable.ts', search: 'statements.delete(each);', replace: 'void each;' },
    ],
    test: { file: 'concurrency/statement-pool.test.ts', title: 'rows that were read are not kept' },
  },
  {
    name: 'a client has as many costly lists as there may be',
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
    name: 'lists are served in the order they came, whosoever they are',
    edits: [
      {
        file: 'apps/api/src/fair-line.ts',
        search: 'if (places.delete(name)) places.set(name, own);',
        replace: '',
      },
    ],
    test: { file: 'concurrency/list-turns.test.ts', title: 'others go between those of one client' },
  },
  {
    name: 'a client has a costly list and a stream that keeps another processor busy',
    edits: [
      {
        file: lists,
        search: "const endCostly = await turns.take(clientId, 'costly', wait);",
        replace: 'const endCostly = () => {};',
      },
    ],
    test: { file: 'concurrency/list-turns.test.ts', title: 'waits for its client’s costly list' },
  },
  {
    name: 'a stream keeps the costly lists of its client waiting as long as its reader takes',
    edits: [
      {
        file: lists,
        search: 'const streamCostsMs = 2000;',
        replace: 'const streamCostsMs = 60_000;',
      },
    ],
    test: { file: 'concurrency/list-turns.test.ts', title: 'its reader may be slow' },
  },
  {
    name: 'every list takes a costly turn',
    edits: [
      {
        file: lists,
        search: `if (reading.cost !== 'everything') {`,
        replace: `if (reading.cost === 'page') {`,
      },
    ],
    test: { file: 'concurrency/list-turns.test.ts', title: 'nothing leads to but reading everything' },
  },
  {
    name: 'every filter with an index is taken for cheap',
    edits: [
      {
        file: lists,
        search: 'await pools.looks.run(reading.findFew, wait)',
        replace: '(await pools.looks.run(reading.findFew, wait)) ?? reading.read',
      },
    ],
    test: { file: 'concurrency/list-turns.test.ts', title: 'nothing leads to but reading everything' },
  },
  {
    name: 'a large category is one text',
    edits: [{ file: lists, search: 'wholeCategoryMax = 1000', replace: 'wholeCategoryMax = 1_000_000' }],
    test: { file: 'concurrency/large-category.test.ts', title: '200,000 items, for little memory' },
  },
  {
    name: 'each piece of a category is of a moment of its own',
    edits: [
      {
        file: readCategory,
        search: `let before = '[';`,
        replace: `let before = '[';
    let offset = -pieceItems;`,
      },
      {
        file: readCategory,
        search: `\`fetch \${tx.unsafe(String(pieceItems))} from category\``,
        replace: `\`\${recordsOf(tx, category)} limit \${pieceItems} offset \${(offset += pieceItems)}\``,
      },
    ],
    test: { file: 'concurrency/large-category.test.ts', title: 'of one moment' },
  },
  {
    name: 'a category is made faster than it is read',
    edits: [
      {
        file: textStream,
        search: 'if (readable.push(piece)) wanted?.();',
        replace: 'readable.push(piece); wanted?.();',
      },
    ],
    test: { file: 'concurrency/large-category.test.ts', title: 'when its caller takes nothing' },
  },
  {
    name: 'who takes nothing of a category is waited for',
    edits: [
      // Postgres would end the transaction of such a reader by itself.
      {
        file: 'apps/api/src/database.ts',
        search: 'idleInTransactionMs: 15_000',
        replace: 'idleInTransactionMs: 0',
      },
      {
        file: textStream,
        search: `readable.destroy(new Error('the reader takes nothing'))`,
        replace: 'void 0',
      },
      // And so would the connection of its caller, and the time that a stream has.
      {
        file: 'apps/api/src/connections/http-server.ts',
        search: 'unreadChecks: 30,',
        replace: 'unreadChecks: 3000,',
      },
      {
        file: 'apps/api/src/connections/http-server.ts',
        search: 'takingChecks: 65,',
        replace: 'takingChecks: 3000,',
      },
      { file: lists, search: 'streamWithinMs = 60_000', replace: 'streamWithinMs = 600_000' },
    ],
    test: { file: 'concurrency/large-category.test.ts', title: 'when its caller takes nothing' },
  },
  {
    name: 'a route that writes is open to read-only clients',
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
    name: 'a route asks for another permission',
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
    name: 'the scope of a route is not asked',
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
    name: 'where a move goes is not asked',
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
        search: `sql\`lot.wid = any(\${wids as number[]}::integer[])\``,
        replace: 'sql`lot.wid is not null`',
      },
    ],
    test: { file: 'security/non-interference.test.ts', title: '/Inventory/1: what differs' },
  },
  {
    name: 'scope missing in the total of sorted lots',
    edits: [
      {
        file: 'packages/db/src/lists/read-lot-page.ts',
        search: `const scope = sql\`wid = any(\${wids as number[]}::integer[])\`;`,
        replace: 'const scope = sql`wid is not null`;',
      },
    ],
    test: { file: 'security/non-interference.test.ts', title: '/Inventory/1: what differs' },
  },
  {
    name: 'scope missing in sorted levels',
    edits: [
      {
        file: 'packages/db/src/lists/list-stock-levels.ts',
        search: `sql\`wid = any(\${wids as number[]}::integer[]) and used\``,
        replace: 'sql`used`',
      },
    ],
    test: { file: 'security/non-interference.test.ts', title: '/Inventory/StockLevels: what differs' },
  },
  {
    name: 'scope missing in what has changed of levels',
    edits: [
      {
        file: readPage,
        search: `where \${where} and \${condition} offset 0`,
        replace: `where \${condition} offset 0`,
      },
    ],
    test: { file: 'security/non-interference.test.ts', title: '/Inventory/StockLevels: what differs' },
  },
  {
    name: 'scope missing in what has changed of lots',
    edits: [
      {
        file: 'packages/db/src/lists/list-lots.ts',
        search: 'where, few: changed',
        replace: 'where: sql`true`, few: changed',
      },
    ],
    test: { file: 'security/non-interference.test.ts', title: '/Inventory: what differs' },
  },
  {
    name: 'scope missing in what has changed of many lots',
    edits: [
      {
        file: readPage,
        search: `where \${where} and \${condition} offset 0`,
        replace: `where \${condition} offset 0`,
      },
    ],
    test: { file: 'concurrency/list-plans.test.ts', title: 'lots' },
  },
  {
    name: 'a list that takes too long takes the replica from all',
    edits: [
      {
        file: 'apps/api/src/lists/replica.ts',
        search: 'if (!isOwn || !(isOver || isOfOneList(error))) {',
        replace: 'if (error) {',
      },
    ],
    test: { file: 'concurrency/replica-rest.test.ts', title: 'takes too long there' },
  },
  {
    name: 'a replica that cannot be examined in time is examined for every list',
    edits: [
      {
        file: 'apps/api/src/lists/replica.ts',
        search: 'if (!isOwn || !(isOver || isOfOneList(error))) {',
        replace: 'if (!(isOver || isOfOneList(error))) {',
      },
    ],
    test: { file: 'concurrency/replica-rest.test.ts', title: 'before a list is read there' },
  },
  {
    name: 'looks whether a list has few matches go on for ever',
    edits: [
      {
        file: 'packages/db/src/lists/list-reading.ts',
        search: 'if (performance.now() - since > lookForMs) return null;',
        replace: '',
      },
    ],
    test: { file: 'concurrency/list-plans.test.ts', title: 'no other look is begun' },
  },
  {
    name: 'few lots lead to none, and Postgres chooses',
    edits: [
      {
        file: 'packages/db/src/lists/list-lots.ts',
        search: 'read(own, found.few)',
        replace: 'read(own)',
      },
    ],
    test: { file: 'concurrency/list-plans.test.ts', title: 'since a moment before all else' },
  },
  {
    name: 'whether a transaction has a line of a serial is asked of the lots of the serial',
    edits: [
      {
        file: listTransactions,
        search:
          'stock_entry.transaction_no = stock_transaction.transaction_no and ${inScope}\n        offset 0',
        replace: 'stock_entry.transaction_no = stock_transaction.transaction_no and ${inScope}',
      },
      {
        file: listTransactions,
        search: 'where (select lot.serial from lot where lot.rec_no = line.rec_no) = ${serial}',
        replace: 'join lot using (rec_no) where ${ofSerial}',
      },
    ],
    test: { file: 'concurrency/list-plans.test.ts', title: 'a serial that many lots have' },
  },
  {
    name: 'lines out of scope are passed over for nothing',
    edits: [
      {
        file: listTransactions,
        search: 'sql`select from ${lines}` }',
        replace: 'sql`select from ${lines} and ${inScope}` }',
      },
    ],
    test: { file: 'concurrency/list-plans.test.ts', title: 'because none is in scope' },
  },
  {
    name: 'few transactions lead to none, and Postgres chooses',
    edits: [{ file: listTransactions, search: 'read(own, found.few)', replace: 'read(own)' }],
    test: { file: 'concurrency/list-plans.test.ts', title: 'a serial that many lots have' },
  },
  {
    name: 'lots found by a filter need not have changed',
    edits: [
      {
        file: 'packages/db/src/lists/list-lots.ts',
        search: 'sql`${where} and ${hasChanged(sql, modifiedSince)}`',
        replace: 'where',
      },
    ],
    test: { file: 'concurrency/list-plans.test.ts', title: 'lots' },
  },
  {
    name: 'transactions found by a filter are not changed by being undone',
    edits: [
      {
        file: listTransactions,
        search: 'where reversal.reverses = stock_transaction.transaction_no and',
        replace: 'where false and reversal.reverses = stock_transaction.transaction_no and',
      },
    ],
    test: { file: 'concurrency/list-plans.test.ts', title: 'the history' },
  },
  {
    name: 'modifiedSince: a new description is none of its lots',
    edits: [
      { file: items, search: 'then item.described else moment end', replace: 'then item.described end' },
    ],
    test: { file: 'contract/lots.test.ts', title: 'every lot of an item whose description changed' },
  },
  {
    name: 'modifiedSince: a lot that changed itself and with its item is counted twice',
    edits: [
      {
        file: lotsFile,
        search: 'item.part_no = lot.part_no and described >=',
        replace: 'false and described >=',
      },
    ],
    test: { file: 'contract/lots.test.ts', title: 'every lot of an item whose description changed' },
  },
  ...[
    { title: 'is among what it asks for next' },
    { title: 'the value stands still while a change is open' },
  ].map(({ title }) => ({
    name: `X-Next-Modified-Since taken from the clock alone: ${title}`,
    edits: [{ file: modifiedSince, search: 'where key >> 42 = 7316', replace: 'where false' }],
    test: { file: 'contract/next-modified-since.test.ts', title },
  })),
  {
    name: 'X-Next-Modified-Since taken from the clock alone, as a client sees it',
    edits: [{ file: modifiedSince, search: 'where key >> 42 = 7316', replace: 'where false' }],
    test: { file: 'concurrency/sync.property.test.ts' },
  },
  {
    name: 'X-Next-Modified-Since: writers hold no lock',
    edits: [
      {
        file: modifiedSince,
        search: 'perform pg_advisory_xact_lock_shared(7316::bigint',
        replace: 'perform abs(7316::bigint',
      },
    ],
    test: { file: 'concurrency/sync.property.test.ts' },
  },
  {
    name: 'X-Next-Modified-Since: a lock for each row',
    edits: [{ file: modifiedSince, search: "'yes', true)", replace: "'', true)" }],
    test: { file: 'contract/next-modified-since.test.ts', title: 'by one lock' },
  },
  {
    name: 'X-Next-Modified-Since: the first transaction of a connection alone holds a lock',
    edits: [{ file: modifiedSince, search: "'yes', true)", replace: "'yes', false)" }],
    test: { file: 'contract/next-modified-since.test.ts', title: 'whoever writes late' },
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
    test: { file: 'contract/next-modified-since.test.ts', title: 'whoever writes late' },
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
    test: { file: 'contract/next-modified-since.test.ts', title: 'whoever writes late' },
  })),
  {
    name: 'X-Next-Modified-Since: a hold takes its moment from the clock',
    edits: [
      {
        file: 'packages/db/src/operator/holds.ts',
        search: 'modified = change_moment()',
        replace: 'modified = clock_timestamp()',
      },
    ],
    test: { file: 'contract/next-modified-since.test.ts', title: 'whoever writes late' },
  },
  {
    name: 'X-Next-Modified-Since: a new level takes its moment from now()',
    edits: [
      {
        file: modifiedSince,
        search: 'alter table stock_level alter column modified set default change_moment();',
        replace: '',
      },
    ],
    test: { file: 'contract/next-modified-since.test.ts', title: 'whoever writes late' },
  },
  {
    name: 'X-Next-Modified-Since shows what others do at the moment',
    edits: [
      {
        file: 'packages/db/src/lists/next-modified-since.ts',
        search: 'const marginMs = 2000;',
        replace: 'const marginMs = 0;',
      },
    ],
    test: { file: 'contract/next-modified-since.test.ts', title: 'what others do at the moment' },
  },
  {
    name: 'X-Next-Modified-Since: changes of other databases hold it',
    edits: [
      {
        file: modifiedSince,
        search: 'and database = (select oid from pg_database where datname = current_database())',
        replace: '',
      },
    ],
    test: { file: 'contract/next-modified-since.test.ts', title: 'nor does another database' },
  },
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
    test: { file: 'contract/next-modified-since.test.ts', title: 'it is read before the page' },
  },
  {
    name: 'scope missing in the records of sorted levels',
    edits: [
      {
        file: readPage,
        search: `where \${sql.unsafe(groupBy)} = page.key and \${list.where}`,
        replace: `where \${sql.unsafe(groupBy)} = page.key`,
      },
    ],
    test: { file: 'security/non-interference.test.ts', title: '/Inventory/StockLevels: what differs' },
  },
  {
    name: 'a statement that takes too long is a failure of ours',
    edits: [
      {
        file: 'apps/api/src/app.ts',
        search: 'if (isStatementTimeout(error))',
        replace: 'if (isStatementTimeout(null))',
      },
    ],
    test: { file: 'concurrency/list-turns.test.ts', title: 'one that Postgres ends' },
  },
  {
    name: 'stray bytes win time for the next request',
    edits: [
      {
        file: connection,
        search: 'if (isLeaving || age >= limits.nextHeadChecks) end(null);',
        replace: 'if (isLeaving) end(null);',
      },
    ],
    test: { file: 'security/connections.test.ts', title: 'line feeds after an answer' },
  },
  {
    name: 'connections are checked by the clock',
    edits: [
      {
        file: connections,
        search: 'now: () => checks }',
        replace: 'now: () => performance.now() / options.checkEveryMs }',
      },
    ],
    test: { file: 'security/connections.test.ts', title: 'a process that stood still closes nobody' },
  },
  {
    name: 'a process that stops waits for requests as ever',
    edits: [{ file: connections, search: 'drainedAt ??= checks;', replace: 'drainedAt ??= null;' }],
    test: { file: 'security/connections.test.ts', title: 'closed soon when the process stops' },
  },
  {
    name: 'answers may be left unread',
    edits: [{ file: taking, search: 'unreadSince ??= now();', replace: 'unreadSince ??= null;' }],
    test: { file: 'security/connections.test.ts', title: 'a caller who takes nothing' },
  },
  {
    name: 'data whose password is gone is deleted',
    edits: [
      {
        file: 'packages/local/src/postgres/postgres-data.ts',
        search: 'if (isThere && place.isKnown) {',
        replace: 'if (isThere && !place.isKnown) {',
      },
    ],
    test: { file: 'local/stack.test.ts', title: 'costs no data' },
  },
  {
    name: 'a server of another user that cannot be looked into is nobody’s',
    edits: [
      {
        file: 'packages/local/src/process-identity.ts',
        search: 'place === null ? readArguments(pid).includes(folder) :',
        replace: '',
      },
    ],
    test: { file: 'local/stack.test.ts', title: 'who may not look into it' },
  },
  {
    name: 'the password of a login stands in a statement',
    edits: [
      { file: 'packages/db/src/logins.ts', search: '${scramVerifier(password)}', replace: '${password}' },
    ],
    test: { file: 'security/database-rights.test.ts', title: 'stands in no statement' },
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
    test: { file: 'admin/commands.test.ts', title: 'finds a full disk' },
  },
  {
    name: 'what failed behind a restore is told as if nothing was restored',
    edits: [
      {
        file: 'packages/db/src/operator/restore.ts',
        search: 'throw new RestoredInPartError(',
        replace: 'throw error; new RestoredInPartError(',
      },
    ],
    test: { file: 'admin/backup.test.ts', title: 'whose rows came' },
  },
  {
    name: 'each of many replies of a wrong server ends the connection once more',
    edits: [
      {
        file: 'packages/queue/src/redis.ts',
        search: 'if (!isToReconnect || redis.stream?.writableEnded !== true) disconnect',
        replace: 'disconnect',
      },
    ],
    test: { file: 'concurrency/redis-away.test.ts', title: 'many replies that another server is meant' },
  },
  {
    name: 'each search for a new master ends the connections to Sentinels once more',
    edits: [
      {
        file: 'packages/queue/src/sentinel-connector.ts',
        search: "    this['failoverDetector'] = null;\n",
        replace: '',
      },
    ],
    test: { file: 'failover/sentinel-connector.test.ts' },
  },
  {
    name: 'a hold that comes back twice in one transaction has no reason',
    edits: [
      {
        file: 'packages/domain/src/stock/reverse.ts',
        search: 'from!.lot.holdOf ?? from!.lot',
        replace: 'from!.lot',
      },
    ],
    test: { file: 'contract/reverse.test.ts', title: 'moved on and on' },
  },
  {
    name: 'who waits for keys in vain waits on when nobody waits for it',
    edits: [{ file: tokenKeys, search: 'if (hasLeft || !(error', replace: 'if (!(error' }],
    test: { file: 'concurrency/postgres-silent.test.ts', title: 'leaves nothing behind' },
  },
  {
    name: 'tokens outlive the secrets that were revoked',
    edits: [
      {
        file: 'apps/api/src/callers/authenticator.ts',
        search: 'issuedAt < tokensFrom ? null',
        replace: 'issuedAt < 0 ? null',
      },
    ],
    test: { file: 'admin/commands.test.ts', title: 'ends the tokens of before' },
  },
  {
    name: 'a client with a new secret gets the token of the old one',
    edits: [{ file: tokenKeys, search: ' && kept.issuedAt >= tokensFrom', replace: '' }],
    test: { file: 'admin/commands.test.ts', title: 'ends the tokens of before' },
  },
  {
    name: 'the first token of a new secret is one of before',
    edits: [
      {
        file: tokenKeys,
        search: 'Math.max(Math.floor(now() / 1000), tokensFrom)',
        replace: 'Math.floor(now() / 1000)',
      },
    ],
    test: { file: 'admin/commands.test.ts', title: 'ends the tokens of before' },
  },
  {
    name: 'an id is given again beside its removal',
    edits: [
      {
        file: 'packages/db/migrations/0026.do.ended-tokens.sql',
        search: 'after insert on client',
        replace: 'before insert on client',
      },
    ],
    test: { file: 'admin/catalog.test.ts', title: 'waits for a removal of its id' },
  },
  {
    name: 'a caller that reads steadily is cut off',
    edits: [{ file: taking, search: ' || bytes > takenBytes', replace: '' }],
    test: { file: 'security/connections.test.ts', title: 'steadily, if slowly' },
  },
  {
    name: 'a caller that reads steadily may take for ever',
    edits: [{ file: taking, search: ' || now() - unreadSince >= limits.takingChecks', replace: '' }],
    test: { file: 'security/connections.test.ts', title: 'steadily, if slowly' },
  },
  {
    name: 'a clock of Redis that is set back shuts all clients out',
    edits: [
      { file: rateLimit, search: 'const aheadMaxMs = 1000;', replace: 'const aheadMaxMs = 10_000_000;' },
    ],
    test: { file: 'concurrency/rate-limit.test.ts', title: 'shuts nobody out' },
  },
  {
    name: 'work that goes on in Postgres uses up its places',
    edits: [{ file: leftBehind, search: 'left.size < freely,', replace: 'left.size >= 0,' }],
    test: { file: 'concurrency/statement-pool.test.ts', title: 'uses up no more places' },
  },
  {
    name: 'what has ended in Postgres counts for ever where nobody is told',
    edits: [{ file: leftBehind, search: 'for (const [entry] of gone) left.delete(entry);', replace: '' }],
    test: { file: 'concurrency/left-behind.test.ts', title: 'though nobody told' },
  },
  {
    name: 'what has ended without a word is asked for only when it holds up others',
    edits: [
      { file: leftBehind, search: 'isAsking || left.size === 0', replace: 'isAsking || left.size < freely' },
    ],
    test: { file: 'concurrency/left-behind.test.ts', title: 'before the next ones come' },
  },
  {
    name: 'nobody who waits for a connection is told that fewer go on',
    edits: [{ file: leftBehind, search: 'if (gone.length > 0) onMore();', replace: '' }],
    test: { file: 'concurrency/left-behind.test.ts', title: 'though nobody told' },
  },
  {
    name: 'connections are opened while Postgres cannot be asked what goes on',
    edits: [{ file: leftBehind, search: 'catch(() => asked.length)', replace: 'catch(() => 0)' }],
    test: { file: 'concurrency/left-behind.test.ts', title: 'cannot be asked' },
  },
  {
    name: 'what was given up is taken for ended as soon as it is asked for',
    edits: [{ file: leftBehind, search: `and state = 'active'`, replace: `and state = 'idle'` }],
    test: { file: 'concurrency/statement-pool.test.ts', title: 'uses up no more places' },
  },
  {
    name: 'what was left behind counts for longer than it goes on',
    edits: [{ file: leftBehind, search: 'if (left.delete(entry)) onMore();', replace: '' }],
    test: { file: 'concurrency/left-behind.test.ts', title: 'as soon as' },
  },
  {
    name: 'work of a worker that goes on in Postgres uses up its places',
    edits: [
      {
        file: 'apps/worker/src/timed-pool.ts',
        search: 'leftBehind.add(untilDone(pool));',
        replace: 'untilDone(pool);',
      },
    ],
    test: { file: 'concurrency/timed-pool.test.ts', title: 'batches that were given up' },
  },
  {
    name: 'gates whose commits hang use up the places of Postgres',
    edits: [
      {
        file: 'apps/worker/src/database.ts',
        search: 'untilBothDone(pool.untilDone(), untilDone(sql))',
        replace: 'untilBothDone(pool.untilDone(), null)',
      },
    ],
    test: { file: 'concurrency/timed-pool.test.ts', title: 'gates that were given up' },
  },
  {
    name: 'a network that swallows packets leaves the service without connections',
    edits: [
      { file: leftBehind, search: 'if (untilDone === null) return;', replace: 'untilDone ??= () => {};' },
    ],
    test: { file: 'concurrency/left-behind.test.ts', title: 'nothing came to Postgres' },
  },
  {
    name: 'nobody is told that commits wait for a standby',
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
    name: 'what fails while commits hang counts as too much that is asked',
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
    name: 'an api that reads is not ready while commits hang',
    edits: [
      { file: 'apps/api/src/server.ts', search: 'authentication.run(reach)', replace: 'verdicts.run(reach)' },
    ],
    test: { file: 'concurrency/commits-hang.test.ts', title: 'without using up' },
  },
  {
    name: 'verdicts whose commits hang use up the places of Postgres',
    edits: [
      { file: statementPool, search: 'if (isLeft) leftBehind.add(untilDone(connection.sql));', replace: '' },
    ],
    test: { file: 'concurrency/commits-hang.test.ts', title: 'without using up' },
  },
  {
    name: 'a worker that closes takes its seat again',
    edits: [
      {
        file: 'packages/queue/src/share-shards.ts',
        search: 'if (hasEnded) return;\n      const next',
        replace: 'const next',
      },
    ],
    test: { file: 'concurrency/shards.test.ts', title: 'takes no seat afterwards' },
  },
  {
    name: 'a Redis that takes no writes is told as a worker that is away',
    edits: [{ file: workersSeen, search: 'if (workers === 0) await', replace: 'if (workers < 0) await' }],
    test: { file: 'concurrency/workers-seen.test.ts', title: 'takes no writes' },
  },
  {
    name: 'a lost machine keeps its places in Postgres for hours',
    edits: [
      {
        file: 'packages/db/src/connection-settings.ts',
        search: `tcp_keepalives_idle: '10',`,
        replace: `tcp_keepalives_idle: '0',`,
      },
    ],
    test: { file: 'concurrency/statement-pool.test.ts', title: 'asks within seconds' },
  },
  {
    name: 'doctor: any standby that is attached is one that acknowledges',
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
    name: 'a clock of Redis that is set back has a dead worker hold its shards',
    edits: [{ file: seats, search: ' or tonumber(expires) > latest', replace: '' }],
    test: { file: 'concurrency/shards.test.ts', title: 'lies further ahead' },
  },
  {
    name: 'a clock of Redis that is set back has a shard out of use held for as long',
    edits: [{ file: seats, search: ' or out[shard] > latest', replace: '' }],
    test: { file: 'concurrency/shards.test.ts', title: 'lies further ahead' },
  },
  {
    name: 'a clock of Redis that is set back has a dead worker seen',
    edits: [{ file: workersSeen, search: 'now + ARGV[3]\n', replace: "'+inf'\n" }],
    test: { file: 'concurrency/workers-seen.test.ts', title: 'dated an hour ahead' },
  },
  {
    name: 'workers that are dated ahead are kept',
    edits: [
      {
        file: workersSeen,
        search: "redis.call('ZREMRANGEBYSCORE', KEYS[1], now + ARGV[3], '+inf')",
        replace: '',
      },
    ],
    test: { file: 'concurrency/workers-seen.test.ts', title: 'goes with the first word' },
  },
  {
    name: 'a clock of Redis that is corrected by a little forgets what was counted',
    edits: [{ file: rateLimit, search: 'const aheadMaxMs = 1000;', replace: 'const aheadMaxMs = 0;' }],
    test: { file: 'concurrency/rate-limit.test.ts', title: 'forgets nothing' },
  },
  {
    name: 'all requests of a connection at once',
    edits: [
      {
        file: connection,
        search: 'if (isBusy()) waiting.push(last);',
        replace: 'if (isBusy()) begin(last);',
      },
    ],
    test: { file: 'security/connections.test.ts', title: 'one after the other' },
  },
  {
    name: 'a pipeline goes before the rest',
    edits: [{ file: connection, search: 'setImmediate(() => {', replace: 'queueMicrotask(() => {' }],
    test: { file: 'security/connections.test.ts', title: 'do not keep others waiting' },
  },
  {
    name: 'a pipeline without end',
    edits: [
      {
        file: connection,
        search: ' || pipelinedCount >= limits.pipelinedMax',
        replace: ' || pipelinedCount < 0',
      },
    ],
    test: { file: 'security/connections.test.ts', title: 'are so many at once at most' },
  },
  {
    name: 'dropped requests are kept',
    edits: [
      {
        file: connection,
        search: 'if (droppedCount > limits.pipelinedMax) socket.destroy();',
        replace: 'if (droppedCount < 0) socket.destroy();',
      },
    ],
    test: { file: 'security/connections.test.ts', title: 'far too many at once' },
  },
  {
    name: 'a connection takes requests without end',
    edits: [
      { file: connection, search: 'requestCount >= limits.requestsMax ||', replace: 'requestCount < 0 ||' },
    ],
    test: { file: 'security/connections.test.ts', title: 'are so many in all' },
  },
  {
    name: 'a connection is cut with its last answer',
    edits: [{ file: connection, search: 'socket.destroySoon = () => end(null);', replace: '' }],
    test: { file: 'security/connections.test.ts', title: 'more requests are still being sent' },
  },
  {
    name: 'requests of a caller who has gone are begun',
    edits: [
      { file: connection, search: 'if (socket.writable) begin(next);', replace: 'if (next) begin(next);' },
    ],
    test: { file: 'security/connections.test.ts', title: 'their caller has gone' },
  },
  {
    name: 'what cannot be read is answered at once',
    edits: [
      { file: connection, search: '} else if (isBusy()) {', replace: '} else if (limits.requestsMax < 0) {' },
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
    name: 'the oldest connection makes room, not the idlest',
    edits: [
      {
        file: connections,
        search: `connections.delete(socket);
      connections.set(socket, connection);`,
        replace: '',
      },
    ],
    test: { file: 'security/connections.test.ts', title: 'idle for longest' },
  },
  {
    name: 'a connection makes room while the service works for it',
    edits: [
      {
        file: connection,
        search: 'return current === null || !current.request.complete || taking.isAwaited();',
        replace: 'return true;',
      },
    ],
    test: { file: 'security/connections.test.ts', title: 'works for all others' },
  },
  {
    name: 'a slow caller keeps its place',
    edits: [
      {
        file: connection,
        search: 'return current === null || !current.request.complete || taking.isAwaited();',
        replace: 'return current === null;',
      },
    ],
    test: { file: 'security/connections.test.ts', title: 'as they close an idle one' },
  },
  {
    name: 'no limit of connections from one address',
    edits: [
      { file: connections, search: 'if (perAddressMax === 0 ||', replace: 'if (perAddressMax >= 0 ||' },
    ],
    test: { file: 'security/connections.test.ts', title: 'beyond what one address may have' },
  },
  {
    name: 'a fleet that connects in one moment has no time to show its tokens',
    edits: [
      { file: connections, search: 'const showsWithinChecks = 5;', replace: 'const showsWithinChecks = 0;' },
    ],
    test: { file: 'security/connections.test.ts', title: 'beyond what one address may have' },
  },
  {
    name: 'strangers of one address take the room of those of another',
    edits: [
      {
        file: connections,
        search: 'close(isOfCrowd) || close(isStranger)',
        replace: 'close(isStranger)',
      },
    ],
    test: { file: 'security/connections.test.ts', title: 'of one address make room' },
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
    name: 'known callers make room before strangers do',
    edits: [
      { file: connections, search: 'close(isStranger) || close(() => true)', replace: 'close(() => true)' },
    ],
    test: { file: 'security/connections.test.ts', title: 'make no room for strangers' },
  },
  {
    name: 'strangers whose answers wait keep everybody out',
    edits: [
      {
        file: connections,
        search: 'connection.isResting() || (isStranger(socket) && options.standing.isWaiting(socket))',
        replace: 'connection.isResting()',
      },
    ],
    test: { file: 'security/connections.test.ts', title: 'whose answer waits' },
  },
  {
    name: 'a right token makes nobody known on a connection',
    edits: [{ file: 'apps/api/src/app.ts', search: '    strangers.noteKnown(ctx);\n', replace: '' }],
    test: { file: 'security/connections-of-a-service.test.ts', title: 'a fleet behind one address' },
  },
  {
    name: 'a whole IPv6 network is not one address',
    edits: [{ file: network, search: '.slice(0, 4)', replace: '.slice(0, 8)' }],
    test: { file: 'security/connections.test.ts', title: 'counts as' },
  },
  {
    name: 'any request target is read',
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
    name: 'a target that begins with a slash is read',
    edits: [{ file: malformed, search: '/^\\/[\\x21\\x22\\x24-\\x7e]*$/', replace: '/^\\//' }],
    test: { file: 'security/raw-http.test.ts', title: 'which is no path' },
  },
  {
    name: 'the first of two Authorization headers counts',
    edits: [
      {
        file: malformed,
        search: `countHeader(request, 'authorization') > 1`,
        replace: `countHeader(request, 'authorization') > 2`,
      },
    ],
    test: { file: 'security/raw-http.test.ts', title: 'two Authorizations' },
  },
  {
    name: 'the first of two Host headers counts',
    edits: [{ file: malformed, search: 'if (hosts > 1)', replace: 'if (hosts > 2)' }],
    test: { file: 'security/raw-http.test.ts', title: 'two Hosts' },
  },
  {
    name: 'headers beyond a number are dropped',
    edits: [
      {
        file: 'apps/api/src/connections/http-server.ts',
        search: 'server.maxHeadersCount = 0;',
        replace: 'server.maxHeadersCount = 2000;',
      },
    ],
    test: { file: 'security/raw-http.test.ts', title: 'behind two thousand headers' },
  },
  {
    name: 'CONNECT is answered with silence',
    edits: [
      {
        file: connections,
        search: `server.on('connect', (_request, socket) => refuse(socket as Socket, 'HPE_INVALID_METHOD'));`,
        replace: '',
      },
    ],
    test: { file: 'security/raw-http.test.ts', title: 'CONNECT, also to a path' },
  },
  {
    name: 'a refusal is cut while its request is still being sent',
    edits: [
      {
        file: connection,
        search: "socket.end(refusal === null ? '' : options.bytesOf(refusal));",
        replace:
          'if (refusal === null) socket.end(); else socket.end(options.bytesOf(refusal), () => socket.destroy());',
      },
    ],
    test: { file: 'security/raw-http.test.ts', title: '431, not silence' },
  },
  {
    name: 'a late body takes the time of its request',
    edits: [
      {
        file: 'apps/api/src/body.ts',
        search: 'if (readMs >= lateFromMs)',
        replace: 'if (lateFromMs < 0)',
      },
    ],
    test: { file: 'security/slow-bodies.test.ts', title: 'when that came late' },
  },
  {
    name: 'a field given twice counts as its last value',
    edits: [
      {
        file: 'apps/api/src/body.ts',
        search: 'if (hasDuplicateFields(text))',
        replace: `if (hasDuplicateFields('{}'))`,
      },
    ],
    test: { file: 'contract/body.test.ts', title: 'a field given twice' },
  },
  {
    name: 'names of fields are compared as they are written',
    edits: [
      {
        file: 'apps/api/src/duplicate-fields.ts',
        search: '(JSON.parse(written) as string)',
        replace: 'written.slice(1, -1)',
      },
    ],
    test: { file: 'contract/body.test.ts', title: 'in another spelling' },
  },
  {
    name: 'fields within other objects may be given twice',
    edits: [
      {
        file: 'apps/api/src/duplicate-fields.ts',
        search: 'const names = around.at(-1)!;',
        replace: 'const names = around.length > 1 ? new Set() : around[0]!;',
      },
    ],
    test: { file: 'contract/body.test.ts', title: 'in an object within' },
  },
  {
    name: 'two client ids in one token request',
    edits: [
      {
        file: 'apps/api/src/routes/token.ts',
        search: `(form.get('client_id') ?? basic.clientId) !== basic.clientId`,
        replace: `form.get('client_id') === ''`,
      },
    ],
    test: { file: 'contract/token.test.ts', title: 'another client_id in the form' },
  },
  {
    name: 'what is no base64 is read as Node reads it',
    edits: [
      {
        file: 'apps/api/src/routes/token.ts',
        search: `!== match[1]!.replace(/=/g, '')) return 'malformed';`,
        replace: `=== '') return 'malformed';`,
      },
    ],
    test: { file: 'contract/token.test.ts', title: 'no base64' },
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
    name: 'answers may be stored',
    edits: [{ file: 'apps/api/src/json-headers.ts', search: `'Cache-Control': 'no-store', `, replace: '' }],
    test: { file: 'security/raw-http.test.ts', title: 'two Hosts' },
  },
  {
    name: 'a streamed list may be stored',
    edits: [
      {
        file: 'apps/api/src/app.ts',
        search: 'beginJson(ctx, status, headers);\n    sendStream',
        replace: 'ctx.status = status;\n    ctx.set(headers);\n    sendStream',
      },
    ],
    test: { file: 'concurrency/large-category.test.ts', title: 'a flat array by ShortID' },
  },
  {
    name: 'any origin may read answers',
    edits: [
      {
        file: 'apps/api/src/cors.ts',
        search: 'if (!allowed.has(origin)) return next();',
        replace: `if (origin === '') return next();`,
      },
    ],
    test: { file: 'contract/cors.test.ts', title: 'which is not named' },
  },
  {
    name: 'preflights need a token',
    edits: [
      {
        file: 'apps/api/src/cors.ts',
        search: `if (ctx.method !== 'OPTIONS' ||`,
        replace: `if (ctx.method !== '' ||`,
      },
    ],
    test: { file: 'contract/cors.test.ts', title: 'with the methods of the path' },
  },
  {
    name: 'answers do not differ by origin',
    edits: [{ file: 'apps/api/src/cors.ts', search: `ctx.vary('Origin');`, replace: '' }],
    test: { file: 'contract/cors.test.ts', title: 'may be read' },
  },
  {
    name: 'a star is an origin',
    edits: [{ file: 'apps/api/src/config.ts', search: '[^*]+$/', replace: '.+$/' }],
    test: { file: 'contract/cors.test.ts', title: 'refused, by its name' },
  },
  {
    name: 'private halves of signing keys left while no process ran stay',
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
    name: 'empty fields sort as they fall',
    edits: [{ file: sortColumns, search: `\${emptyLast ? ' nulls last' : ''}`, replace: '' }],
    test: { file: 'contract/paging.test.ts', title: 'sorted by shipped, either way' },
  },
  {
    name: 'fields that are never empty are sorted as if they could be',
    edits: [{ file: sortColumns, search: `\${emptyLast ? ' nulls last' : ''}`, replace: ' nulls last' }],
    test: { file: 'concurrency/list-plans.test.ts' },
  },
  {
    name: 'blank fields sort before all others',
    edits: [{ file: sortColumns, search: `\`nullif(\${by}, '')\``, replace: 'by' }],
    test: { file: 'contract/paging.test.ts', title: 'sorted by serial, either way' },
  },
  {
    name: 'text sorts in the order of a language',
    edits: [
      {
        file: sortColumns,
        search: `\`nullif(\${by}, '')\``,
        replace: `\`lower(nullif(\${by}, ''))\``,
      },
    ],
    test: { file: 'contract/paging.test.ts', title: 'sorted by remark, either way' },
  },
  {
    name: 'direction holds without a sort',
    edits: [
      {
        file: 'packages/db/src/lists/slice.ts',
        search: 'backwards: sort !== undefined && direction !== defaultDirection',
        replace: `backwards: direction !== (sort === undefined ? 'asc' : defaultDirection)`,
      },
    ],
    test: { file: 'contract/paging.test.ts', title: 'direction alone changes nothing' },
  },
  {
    name: 'direction holds without a sort, for levels since a moment',
    edits: [
      {
        file: readPage,
        search: 'return { column: { by, emptyLast: false }, direction };',
        replace: 'return { column: { by, emptyLast: false }, direction: query.direction };',
      },
    ],
    test: { file: 'contract/stock-levels.test.ts', title: 'has the sums of all' },
  },
  {
    name: 'a level that changed in one warehouse has the sum of that alone',
    edits: [
      {
        file: readPage,
        search: `where \${sql.unsafe(groupBy)} = page.key and \${list.where}`,
        replace: `where \${sql.unsafe(groupBy)} = page.key and \${list.where} and \${sql.unsafe(list.modified)} >= \${query.modifiedSince ?? '-infinity'}`,
      },
    ],
    test: { file: 'contract/stock-levels.test.ts', title: 'has the sums of all' },
  },
  {
    name: 'a repeated parameter hides what else is wrong',
    edits: [
      {
        file: 'apps/api/src/route.ts',
        search: 'for (const name of repeated) details.set(',
        replace: 'if (repeated.size > 0) details.clear();\n  for (const name of repeated) details.set(',
      },
    ],
    test: { file: 'contract/paging.test.ts', title: 'named beside all other offending ones' },
  },
  {
    name: 'a missing type hides what is wrong with the key',
    edits: [
      {
        file: 'apps/api/src/routes/items.ts',
        search: `for (const { message } of key.error?.issues ?? []) fail('key', message);`,
        replace: '',
      },
    ],
    test: { file: 'contract/items-get.test.ts', title: 'every offending parameter of a look-up' },
  },
  {
    name: 'an offset of hours that came as a space is not read',
    edits: [
      {
        file: 'packages/paging/src/page-query.ts',
        search: '(\\d\\d(?::?\\d\\d)?)$/i',
        replace: '(\\d\\d:?\\d\\d)$/i',
      },
    ],
    test: { file: 'contract/lots.test.ts', title: '200: 2026-02-01t14:00:00' },
  },
  {
    name: 'a number that is no integer ends the check of the body',
    edits: [
      {
        file: 'packages/domain/src/contract/fields.ts',
        search: `.refine((value) => Number.isSafeInteger(value), { error: 'must be an integer.' })`,
        replace: `.int({ error: 'must be an integer.' })`,
      },
    ],
    test: { file: 'contract/move.test.ts', title: 'hides nothing else' },
  },
  {
    name: 'shortID and itemID may contradict each other',
    edits: [
      {
        file: 'packages/domain/src/contract/item.ts',
        search: 'agree(body.shortID, body.itemID)',
        replace: 'agree(body.shortID, body.shortID)',
      },
    ],
    test: { file: 'contract/items-create.test.ts', title: '"itemID":"A"' },
  },
  {
    name: 'Allow leaves out what a parameter takes',
    edits: [
      {
        file: 'apps/api/src/app.ts',
        search: 'const known = alike.filter(isKnown);',
        replace: 'const known = exact.length > 0 ? exact : alike.filter(isKnown);',
      },
    ],
    test: { file: 'contract/errors.test.ts', title: 'POST /Item/All' },
  },
  {
    name: 'Allow names what a parameter does not take',
    edits: [
      {
        file: 'apps/api/src/app.ts',
        search: 'const known = alike.filter(isKnown);',
        replace: 'const known = alike;',
      },
    ],
    test: { file: 'contract/errors.test.ts', title: 'GET /Inventory/Receive' },
  },
  {
    name: 'a window of 61 seconds',
    edits: [
      {
        file: 'apps/api/src/limit-headers.ts',
        search: 'Math.min(windowSeconds, Math.ceil(resetMs / 1000))',
        replace: 'Math.ceil(resetMs / 1000)',
      },
    ],
    test: { file: 'contract/rate-limit.test.ts', title: 'never longer than the window' },
  },
  {
    name: 'a refusal that is sent again does not say so',
    edits: [
      {
        file: 'apps/api/src/transactions.ts',
        search: 'as Refusal, { headers }',
        replace: 'as Refusal, {}',
      },
    ],
    test: { file: 'contract/idempotency.test.ts', title: 'a 400 of the item or the lot' },
  },
  {
    name: 'X-Forwarded-For is believed without a proxy',
    edits: [
      {
        file: 'apps/api/src/server.ts',
        search: 'proxies: config.TRUST_PROXY',
        replace: 'proxies: Math.max(1, config.TRUST_PROXY)',
      },
    ],
    test: { file: 'security/trust-proxy.test.ts', title: 'is its connection' },
  },
  {
    name: 'one proxy is believed, however many there are',
    edits: [
      {
        file: 'apps/api/src/server.ts',
        search: 'proxies: config.TRUST_PROXY',
        replace: 'proxies: Math.min(1, config.TRUST_PROXY)',
      },
    ],
    test: { file: 'security/trust-proxy.test.ts', title: 'the last entry but one is the caller' },
  },
  {
    name: 'a second of receipt begins where the filter says',
    edits: [
      {
        file: 'packages/domain/src/stock/move.ts',
        search: 'const second = Math.floor(parsed.at / 1000) * 1000;',
        replace: 'const second = parsed.at + 1;',
      },
    ],
    test: { file: 'contract/move.test.ts', title: 'as the list writes it' },
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
    name: 'a backup leaves the last piece of a table out',
    edits: [
      {
        file: backup,
        search: 'for (let from = 0; from === 0 || from < pages;',
        replace: 'for (let from = 0; from === 0 || from + piecePages < pages;',
      },
    ],
    test: { file: 'admin/backup.test.ts', title: 'has every row of every table' },
  },
  {
    name: 'a backup holds the keys that sign',
    edits: [{ file: backupTables, search: "  'signing_key',\n", replace: '' }],
    test: { file: 'admin/backup.test.ts', title: 'holds no key that signs' },
  },
  {
    name: 'a backup that everybody may read',
    edits: [{ file: 'apps/admin/src/cli/write-target.ts', search: "'wx', ours", replace: "'wx', 0o644" }],
    test: { file: 'admin/backup.test.ts', title: 'is a file for its owner alone' },
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
    name: 'the checksum of a backup is not looked at',
    edits: [{ file: backupFile, search: "if (hash.digest('hex') !== sha256) throw damaged();", replace: '' }],
    test: { file: 'admin/backup.test.ts', title: 'changed in its text' },
  },
  {
    name: 'a backup that was cut off is taken for whole',
    edits: [
      {
        file: backupFile,
        search: 'if (text.length > blockBytesMax || !(await readPiece())) throw damaged();',
        replace: `if (text.length > blockBytesMax) throw damaged();
      if (!(await readPiece())) return Buffer.from(ending + '{"rows":{},"sequences":{},"numbersAt":"2026-01-01T00:00:00Z"}');`,
      },
      {
        file: backupFile,
        search: "if (hash.digest('hex') !== sha256)",
        replace: "if (sha256 !== undefined && hash.digest('hex') !== sha256)",
      },
    ],
    test: { file: 'admin/backup.test.ts', title: 'cut off between two blocks' },
  },
  {
    name: 'a restore commits what it has',
    edits: [
      { file: restoring, search: "await tx.unsafe('begin isolation level read committed');", replace: '' },
    ],
    test: { file: 'admin/backup.test.ts', title: 'in the middle has restored nothing' },
  },
  {
    name: 'a restore beside what is there',
    edits: [{ file: restoring, search: 'if (used.length > 0) {', replace: 'if (used.length > 100) {' }],
    test: { file: 'admin/backup.test.ts', title: 'into a database that is not empty' },
  },
  {
    name: 'numbers are given out again after a restore',
    edits: [
      { file: identity, search: 'const numbersPerSecond = 20_000;', replace: 'const numbersPerSecond = 0;' },
    ],
    test: { file: 'admin/backup.test.ts', title: 'has all that was acknowledged before it began' },
  },
  {
    name: 'a restored database has the identity of the other one',
    edits: [
      { file: backupTables, search: "  'database_identity',\n", replace: '' },
      { file: identity, search: 'set id = gen_random_uuid(), since', replace: 'set since' },
    ],
    test: { file: 'admin/backup.test.ts', title: 'has all that was acknowledged before it began' },
  },
  {
    name: 'triggers stay off after a restore',
    edits: [
      {
        file: restoring,
        search: 'for (const name of names) await tx.unsafe(`alter table ${name} enable trigger user`);',
        replace: '',
      },
    ],
    test: { file: 'admin/backup.test.ts', title: 'has all that was acknowledged before it began' },
  },
  {
    name: 'keys are removed before their time',
    edits: [
      { file: retention, search: "least(until, clock_timestamp() - interval '7 days');", replace: 'until;' },
    ],
    test: { file: 'admin/maintain.test.ts', title: 'a key of 6 days' },
  },
  {
    name: 'what was refused is removed with its key',
    edits: [
      {
        file: 'packages/db/src/operator/maintain.ts',
        search: 'select remove_undone_transactions(\n        ${now}::timestamptz - ${days + 1}::integer',
        replace: 'select remove_undone_transactions(\n        ${now}::timestamptz - ${days}::integer',
      },
    ],
    test: { file: 'admin/maintain.test.ts', title: 'removes keys after 8 days' },
  },
  {
    name: 'what was refused is removed before a key that is in use',
    edits: [
      {
        file: 'packages/db/src/operator/maintain.ts',
        search: 'if (remaining > 0)',
        replace: 'if (remaining > 1000)',
      },
    ],
    test: { file: 'admin/maintain.test.ts', title: 'as long as any key is in use' },
  },
  {
    name: 'an operator is told a path instead of its template',
    edits: [
      {
        file: 'apps/api/src/route-template.ts',
        search: `return like?.join('/') ?? 'other';`,
        replace: 'return like === undefined ? path : path;',
      },
    ],
    test: { file: 'operation/metrics.test.ts', title: 'shown by the template of its route' },
  },
  {
    name: 'an operator is told of a metric that no page has',
    edits: [
      {
        file: 'apps/api/src/metrics.ts',
        search: `'inventory_api_send_failures_total'`,
        replace: `'inventory_api_sending_failures_total'`,
      },
    ],
    test: { file: 'operation/metrics.test.ts', title: 'stands in docs/operating.md' },
  },
  {
    name: 'an operator is told that a stopped worker is there',
    edits: [
      {
        file: workersSeen,
        search: 'seen.filter(({ unseenMs }) => unseenMs <= seenWithinMs).length',
        replace: 'seen.length',
      },
      { file: workersSeen, search: 'const keptMs = 60_000;', replace: 'const keptMs = 600_000;' },
    ],
    test: { file: 'operation/causes.test.ts', title: 'noWorker is named' },
  },
  {
    name: 'what is told late does not say so',
    edits: [{ file: foldedLog, search: 'at - lastAt < oldFromMs', replace: 'lastAt > 0' }],
    test: { file: 'operation/folded-log.test.ts', title: 'says how long' },
  },
  {
    name: 'an operator is told what comes most often alone',
    edits: [{ file: foldedLog, search: 'due.find(', replace: 'due.findLast(' }],
    test: { file: 'operation/folded-log.test.ts', title: 'comes once has its second' },
  },
  {
    name: 'an operator is told of each connection before the cause',
    edits: [{ file: foldedLog, search: 'line.outage === rank)', replace: 'line.outage !== null)' }],
    test: { file: 'operation/folded-log.test.ts', title: 'each cause is told within 15 s' },
  },
  {
    name: 'an operator is told no cause when there is too much else',
    edits: [{ file: foldedLog, search: 'return isFew || ', replace: 'return ' }],
    test: { file: 'operation/folded-log.test.ts', title: 'each cause is told within 15 s' },
  },
  {
    name: 'an operator is told of an outage that is over',
    edits: [
      {
        file: 'packages/process/src/presence.ts',
        search: 'key: `presence of ${what}`',
        replace: 'key: `${what} ${level}`',
      },
    ],
    test: { file: 'operation/folded-log.test.ts', title: 'each cause is told within 15 s' },
  },
  {
    name: 'an operator is told busy of a batch, whatever is away',
    edits: [
      {
        file: 'apps/api/src/batch/apply-atomic.ts',
        search: 'refusalTextOf(answer, whyUnanswered)',
        replace: `refusalTextOf(answer, () => 'busy')`,
      },
    ],
    test: { file: 'operation/causes.test.ts', title: 'is named for an atomic batch' },
  },
  {
    name: 'an operator is told busy, whatever is away',
    edits: [
      {
        file: 'apps/api/src/transactions.ts',
        search: 'messages.unavailable, soonAgain, whyUnanswered());',
        replace: `messages.unavailable, soonAgain, 'busy');`,
      },
    ],
    test: { file: 'operation/causes.test.ts', title: 'redis is named by metrics and log' },
  },
  {
    name: 'an operator is told that Postgres is there',
    edits: [{ file: 'apps/api/src/needs.ts', search: `presence.note('postgres', false);`, replace: ';' }],
    test: { file: 'operation/causes.test.ts', title: 'postgres is named' },
  },
  {
    name: 'an operator is told nothing of a wrong clock',
    edits: [
      {
        file: 'packages/process/src/warn-of-clock.ts',
        search: 'if (isWrong && !warned) {',
        replace: 'if (isWrong && warned && !warned) {',
      },
    ],
    test: { file: 'operation/causes.test.ts', title: 'ten seconds off' },
  },
  {
    name: 'an operator is told each of many lines that are alike',
    edits: [
      { file: foldedLog, search: 'entry.count > 0 && !isYoung(entry, at)', replace: 'entry.count > 0' },
    ],
    test: { file: 'operation/folded-log.test.ts', title: 'the first line is written at once' },
  },
  {
    name: 'an operator is told many things a second while something is away',
    edits: [{ file: foldedLog, search: 'outageToldAt = at;', replace: '' }],
    test: { file: 'operation/folded-log.test.ts', title: 'each in a second of its own' },
  },
  {
    name: 'an operator is told no X-Request-Id by the transaction',
    edits: [{ file: writeBatch, search: 'transaction.request.xRequestId ?? null', replace: 'null' }],
    test: { file: 'operation/request-ids.test.ts', title: 'stands in its transaction' },
  },
  {
    name: 'an operator is told info, whatever LOG_LEVEL is',
    edits: [
      {
        file: 'packages/process/src/config.ts',
        search: '.enum(logLevels, {',
        replace: `.enum([...logLevels, 'loud'], {`,
      },
    ],
    test: { file: 'operation/start.test.ts', title: 'a wrong LOG_LEVEL ends the api' },
  },
  {
    name: 'an operator is told nothing by a worker under start',
    edits: [
      {
        file: 'apps/admin/src/start/run-service.ts',
        search: `{ INTERNAL_PORT: String(workerPort) }`,
        replace: `{ INTERNAL_PORT: String(workerPort).slice(9) }`,
      },
    ],
    test: { file: 'operation/start.test.ts', title: 'next one the worker' },
  },
  {
    name: 'command line: a worker that is connected is one that takes work',
    edits: [
      {
        file: 'packages/queue/src/health.ts',
        search: 'if ((idleSeconds + 1) * 1000 <= watchedMs) asked.add(id);',
        replace: 'if (idleSeconds >= 0) asked.add(id);',
      },
    ],
    test: { file: 'admin/doctor.test.ts', title: 'one of two workers that is stopped' },
  },
  {
    name: 'command line: an import goes on when rows are bad',
    edits: [
      {
        file: 'packages/db/src/operator/manage-aliases.ts',
        search: "if (take === 'none' || (sum.refused.length > 0 && take === 'all')) throw",
        replace: "if (take === 'none') throw",
      },
    ],
    test: { file: 'admin/catalog.test.ts', title: 'alias import takes all rows or none' },
  },
  {
    name: 'command line: aliases are imported beside creates',
    edits: [
      {
        file: 'packages/db/src/operator/manage-aliases.ts',
        search: 'await tx`lock table item in share row exclusive mode`;',
        replace: 'await tx`select`;',
      },
    ],
    test: { file: 'admin/catalog.test.ts', title: 'never has the name of one' },
  },
  {
    name: 'command line: two changes of a client at once',
    edits: [
      {
        file: clients,
        search:
          'const [found] = await tx`select from client where client_id = ${clientId} for no key update`;\n    if (found === undefined) return null;',
        replace:
          'const [found] = await tx`select from client where client_id = ${clientId}`;\n    if (found === undefined) return null;',
      },
    ],
    test: { file: 'admin/catalog.test.ts', title: 'two changes at once' },
  },
  {
    name: 'command line: a database is refused after its migration',
    edits: [
      {
        file: 'packages/db/src/migrate.ts',
        search: '    await refuseBeforeMigrating(connection, newestMigration(from));\n',
        replace: '',
      },
    ],
    test: { file: 'admin/other-databases.test.ts', title: 'refuses a database that could lose' },
  },
  {
    name: 'command line: seed without a word',
    edits: [
      {
        file: 'apps/admin/src/commands/seed.ts',
        search: 'if (isDatabaseGiven() && !yes) {',
        replace: 'if (isDatabaseGiven() && yes) {',
      },
    ],
    test: { file: 'admin/other-databases.test.ts', title: 'seed leaves it alone' },
  },
  {
    name: 'command line: lots of a renamed warehouse stay unmodified',
    edits: [
      {
        file: 'packages/db/src/operator/rename-warehouse.ts',
        search: 'where rec_no = any(${rows.map((row) => row.rec_no)}::bigint[])`;',
        replace: 'where rec_no < 0 and ${rows.length}::integer >= 0`;',
      },
    ],
    test: { file: 'admin/catalog.test.ts', title: 'has every lot there count' },
  },
  {
    name: 'command line: an idle worker alone is seen at work',
    edits: [
      {
        file: 'packages/queue/src/health.ts',
        search: "suffix !== 'main' ||",
        replace: "suffix !== 'qe' ||",
      },
    ],
    test: { file: 'admin/doctor.test.ts', title: 'work without a pause' },
  },
  {
    name: 'LOG_LEVEL is taken as it comes',
    edits: [
      {
        file: 'packages/process/src/log.ts',
        search: `logLevels.find((level) => level === text) ?? 'info'`,
        replace: `text ?? 'info'`,
      },
    ],
    test: { file: 'docker/settings.test.ts', title: 'empty counts as unset' },
  },
  {
    name: 'an unknown setting is ignored without a word',
    edits: [
      {
        file: 'packages/process/src/run.ts',
        search: 'if (unknown !== null) log.warn(unknown);',
        replace: 'void unknown;',
      },
    ],
    test: { file: 'docker/settings.test.ts', title: 'stands in the log of the' },
  },
  {
    name: 'Postgres depends on the application',
    edits: [
      {
        file: compose,
        search: '    tmpfs: [/tmp, /var/run/postgresql]\n',
        replace:
          '    tmpfs: [/tmp, /var/run/postgresql]\n    depends_on: { secrets: { condition: service_started } }\n',
      },
    ],
    test: { file: 'docker/compose.test.ts', title: 'leaves Postgres, Redis and the proxy alone' },
  },
  {
    name: 'an upgrade stops workers and apis at once',
    edits: [{ file: compose, search: '      api:\n        condition: service_started\n', replace: '' }],
    test: { file: 'docker/compose.test.ts', title: 'stops the apis before the workers' },
  },
  {
    name: 'a command of an operator migrates',
    edits: [
      {
        file: compose,
        search: '      - secrets-operator:/secrets:ro\n',
        replace: '      - secrets-operator:/secrets:ro\n    depends_on: *after-migration\n',
      },
    ],
    test: { file: 'docker/compose.test.ts', title: 'migrates and starts nothing' },
  },
  {
    name: 'the proxy sends again what may have arrived',
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
    name: 'the proxy believes everybody who a caller is',
    edits: [{ file: caddyfile, search: '255.255.255.255/32', replace: '0.0.0.0/0' }],
    test: { file: 'docker/compose.test.ts', title: 'believes nobody else' },
  },
  {
    name: 'the proxy logs what callers sent',
    edits: [{ file: caddyfile, search: 'request delete', replace: 'level delete' }],
    test: { file: 'docker/compose.test.ts', title: 'logs nothing' },
  },
  {
    name: 'an api that stops takes requests from the proxy',
    edits: [
      {
        file: 'apps/api/src/server.ts',
        search: "(draining ? 'stopping' : ",
        replace: '(',
      },
    ],
    test: { file: 'concurrency/readiness.test.ts', title: 'a proxy sends it nothing more' },
  },
  {
    name: 'a proxy sends an api requests before there are workers',
    edits: [
      {
        file: 'apps/api/src/server.ts',
        search: "needs.awaitsWorker() ? 'no worker was seen yet' : null",
        replace: 'null',
      },
    ],
    test: { file: 'concurrency/readiness.test.ts', title: 'has seen no worker' },
  },
  {
    name: 'a proxy sends an api nothing for a while, though there are workers',
    edits: [
      {
        file: 'apps/api/src/needs.ts',
        search: 'hasSeenWorker ||= sight.workers > 0;',
        replace: '',
      },
    ],
    test: { file: 'concurrency/readiness.test.ts', title: 'as soon as it has seen a worker' },
  },
  {
    name: 'a container that hangs stays',
    edits: [{ file: 'docker/health.sh', search: 'kill -KILL', replace: 'true' }],
    test: { file: 'docker/health.test.ts', title: 'one that hangs is killed' },
  },
  {
    name: 'a container that says that it is not ready is killed',
    edits: [
      {
        file: 'docker/health.sh',
        search: `0) [[ $line == 'HTTP/'*' 200 '* ]]; exit ;;`,
        replace: `0) [[ $line == 'HTTP/'*' 200 '* ]] && exit ;;`,
      },
      { file: 'docker/health.sh', search: '(($? > 128)) || exit 1', replace: ':' },
    ],
    test: { file: 'docker/health.test.ts', title: 'says that it is not ready' },
  },
  {
    name: 'migrate writes to a database that it refuses',
    edits: [
      {
        file: 'packages/db/src/migrate.ts',
        search: 'await refuseBeforeMigrating(connection, newestMigration(from));',
        replace: '',
      },
    ],
    test: { file: 'admin/refusals.test.ts', title: 'could lose what was answered' },
  },
  {
    name: 'migrate finds out at the end that it may not make logins',
    edits: [
      {
        file: 'apps/admin/src/commands/migrate.ts',
        search: 'await refuseUnableToMakeRoles(',
        replace: 'void refuseUnableToMakeRoles; void (',
      },
    ],
    test: { file: 'admin/refusals.test.ts', title: 'may not make the logins' },
  },
  {
    name: 'commands write to a database of another version',
    edits: [
      { file: 'apps/admin/src/cli/database.ts', search: 'await refuseOtherDatabase(sql);', replace: '' },
    ],
    test: { file: 'admin/refusals.test.ts', title: 'warehouse' },
  },
  {
    name: 'an engine without images ends the tests',
    edits: [
      {
        file: 'packages/local/src/stack.ts',
        search: 'const [reason] = String(',
        replace: 'if (error !== null) throw error;\n      const [reason] = String(',
      },
    ],
    test: { file: 'local/docker-without-images.test.ts' },
  },
  {
    name: 'Redis does not read its users anew',
    edits: [{ file: redisRights, search: ' acl|load client|list', replace: ' client|list' }],
    test: { file: 'docker/secrets.test.ts', title: 'has read them anew' },
  },
  {
    name: 'operations: a worker is said to be away with Redis',
    edits: [
      { file: causes, search: '} else if (signs.workers === 0) {', replace: '} if (signs.workers === 0) {' },
    ],
    test: { file: 'operation/operations-causes.test.ts', title: 'and not the worker' },
  },
  {
    name: 'operations: no worker is nothing to be told',
    edits: [
      { file: causes, search: 'else if (signs.workers === 0)', replace: 'else if (signs.workers < 0)' },
    ],
    test: { file: 'operation/operations-causes.test.ts', title: 'names the worker when it is stopped' },
  },
  {
    name: 'operations: a full queue is taken for busy lists',
    edits: [{ file: causes, search: 'if (busy > signs.failedReads) {', replace: 'if (busy < 0) {' }],
    test: { file: 'operation/operations-causes.test.ts', title: 'names the full queue' },
  },
  {
    name: 'operations: no clock is wrong',
    edits: [
      { file: causes, search: 'const clockFromSeconds = 1;', replace: 'const clockFromSeconds = 100;' },
    ],
    test: {
      file: 'operation/operations-causes.test.ts',
      title: 'names the clock when it is ten seconds off',
    },
  },
  {
    name: 'operations: a silent worker is forgotten at once',
    edits: [{ file: causes, search: 'const lostAfterMs = 3000;', replace: 'const lostAfterMs = 300_000;' }],
    test: { file: 'operation/operations-causes.test.ts', title: 'names a second worker that is stopped' },
  },
  {
    name: 'operations: bodies are shown',
    edits: [
      {
        file: 'packages/db/src/operations/last-transactions.ts',
        search: 'client_id as client, status,',
        replace: 'body::text as client, status,',
      },
    ],
    test: { file: 'operation/operations-page.test.ts', title: 'without anything that a body' },
  },
  {
    name: 'operations: a page that hears nothing shows what was',
    edits: [
      {
        file: 'apps/api/src/operations/page/page.js',
        search: 'const silentFromMs = 5000;',
        replace: 'const silentFromMs = 5_000_000;',
      },
    ],
    test: { file: 'operation/operations-page.test.ts', title: 'silence is told' },
  },
  {
    name: 'operations, alerts: the first failure is no growth',
    edits: [
      {
        file: 'apps/api/src/metrics.ts',
        search: 'for (const cause of failureCauses) failures.inc({ cause }, 0);',
        replace: 'void failureCauses;',
      },
    ],
    test: { file: 'operation/monitoring.test.ts', title: 'counted from 0 on for every cause' },
  },
  {
    name: 'operations, alerts: a rule asks for a metric that is not there',
    edits: [
      {
        file: alertRules,
        search: 'expr: inventory_api_redis_up == 0',
        replace: 'expr: inventory_api_redis_there == 0',
      },
    ],
    test: { file: 'operation/monitoring.test.ts', title: 'each that a rule or the dashboard names exists' },
  },
  {
    name: 'operations, alerts: a rule waits for longer than 15 seconds',
    edits: [
      {
        file: alertRules,
        search: 'expr: inventory_api_workers == 0 and inventory_api_redis_up == 1',
        replace: 'for: 20s\n        expr: inventory_api_workers == 0 and inventory_api_redis_up == 1',
      },
    ],
    test: {
      file: 'operation/monitoring.test.ts',
      title: 'each cause is named within 15 seconds by its alert',
    },
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
    test: { file: 'contract/batch-atomic.test.ts', title: 'the first that the stock refuses' },
  },
  {
    name: 'what a refused atomic batch had decided is written',
    edits: [
      {
        file: applyBatch,
        search: 'batchOf({ ...read, levels: new Map(), lotsByRecNo: new Map() })',
        replace: 'batch',
      },
    ],
    test: { file: 'contract/batch-atomic.test.ts', title: 'the first that the stock refuses' },
  },
  {
    name: 'a refused atomic batch says that nothing in it is applied',
    edits: [
      {
        file: 'packages/domain/src/stock/atomic.ts',
        search: '      ...(before.length > 0 && { before }),\n',
        replace: '',
      },
    ],
    test: { file: 'contract/batch-atomic.test.ts', title: 'that its key had applied before' },
  },
  {
    name: 'operations of a batch are all sent at once, in any order',
    edits: [
      {
        file: 'apps/api/src/batch/run-each.ts',
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
    name: 'an operation is applied behind one of its list that is not',
    edits: [
      {
        file: applyBatch,
        search: 'const isBarred = after !== undefined && !passed.has(after.requestId);',
        replace: 'const isBarred = after === null;',
      },
    ],
    test: { file: 'contract/batch.test.ts', title: '503 for what follows an operation' },
  },
  {
    name: 'an operation that is held back stands in the way of nothing',
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
    name: 'what comes before an operation in its list is known to its own batch alone',
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
    name: 'an operation waits only for what its own batch has of its list',
    edits: [
      {
        file: applyBatch,
        search: '!passed.has(after.requestId);',
        replace:
          '!passed.has(after.requestId) && requests.some((each) => each.requestId === after.requestId);',
      },
    ],
    test: { file: 'concurrency/list-order.test.ts', title: 'waits in its list for a gate' },
  },
  {
    name: 'the worker believes whatever an operation comes after',
    edits: [
      {
        file: 'packages/queue/src/check-request.ts',
        search: 'if (after !== undefined && !isBefore(after)) return false;',
        replace: '',
      },
    ],
    test: { file: 'security/forged-jobs.test.ts', title: 'none that an api would send' },
  },
  {
    name: 'an operation is judged against what was before the batch',
    edits: [
      {
        file: 'packages/domain/src/stock/atomic.ts',
        search: 'const decision = decide(batch, operation);',
        replace: 'const decision = decide(structuredClone(batch), operation);',
      },
    ],
    test: { file: 'contract/dry-run.test.ts', title: '200 of an atomic batch' },
  },
  {
    name: 'a transaction is reversed as often as somebody asks',
    edits: [
      {
        file: 'packages/domain/src/stock/reverse.ts',
        search: 'if (past.isReversed) return',
        replace: 'if (past.isReversed && batch.now < 0) return',
      },
      {
        file: 'packages/db/migrations/0019.do.counts-reversals-and-evidence.sql',
        search: 'create unique index stock_transaction_reverses_key',
        replace: 'create index stock_transaction_reverses_key',
      },
    ],
    test: { file: 'contract/reverse.test.ts', title: 'with ten at once' },
  },
  {
    name: 'a reversal out of scope is told from none',
    edits: [
      {
        file: 'apps/api/src/transactions.ts',
        search: 'return noTransaction;',
        replace: 'return of === null ? noTransaction : forbidden.scope;',
      },
    ],
    test: { file: 'contract/reverse.test.ts', title: '404: not there' },
  },
  {
    name: 'what is counted is read before the gates are locked',
    edits: [
      {
        file: gates,
        search: `    order by part_no, wid
    for no key update of stock_level\`;`,
        replace: `    order by part_no, wid\`;`,
      },
    ],
    test: { file: 'concurrency/counts.test.ts', title: 'of two counts at once' },
  },
  {
    name: 'lots on hold are counted down',
    edits: [
      {
        file: 'packages/domain/src/stock/count.ts',
        search: 'if (counted === before || counted >= heldUnits) return null;',
        replace: 'if (heldUnits >= 0n) return null;',
      },
      { file: 'packages/domain/src/stock/count.ts', search: '    if (lot.hold) continue;\n', replace: '' },
    ],
    test: { file: 'contract/count.test.ts', title: 'never counted down' },
  },
  {
    name: 'less counted is taken from what goes last',
    edits: [
      {
        file: 'packages/domain/src/stock/count.ts',
        search: '  for (const lot of lots) {',
        replace: '  for (const lot of [...lots].reverse()) {',
      },
    ],
    test: { file: 'contract/allocation.property.test.ts' },
  },
  {
    name: 'what comes back to an emptied lot loses its hold',
    edits: [
      {
        file: 'packages/domain/src/stock/reverse.ts',
        search: '      to.lot.hold = true;\n      to.lot.holdOf = from!.lot.holdOf ?? from!.lot;\n',
        replace: '',
      },
    ],
    test: { file: 'contract/allocation.property.test.ts' },
  },
  {
    name: 'a batch larger than the limit is told to wait, for ever',
    edits: [{ file: batches, search: 'raw.operations.length > limit', replace: 'raw.operations.length < 0' }],
    test: { file: 'contract/operation-limit.test.ts', title: 'which would never be let through' },
  },
  {
    name: 'an operation that is only to be tried out is applied',
    edits: [
      {
        file: 'apps/api/src/batch/read-operations.ts',
        search: 'raw.dryRun === undefined || raw.dryRun === false',
        replace: 'true',
      },
    ],
    test: { file: 'contract/batch.test.ts', title: 'only to be tried out' },
  },
  {
    name: 'units come back to where an empty lot was moved',
    edits: [
      {
        file: 'packages/domain/src/stock/reverse.ts',
        search: '    if (to.lot.units === 0n) to.lot.spot = to.spot;\n',
        replace: '',
      },
    ],
    test: { file: 'contract/reverse.test.ts', title: 'to where they left an empty lot' },
  },
  {
    name: 'the lines of what is to be undone are read to count them',
    edits: [
      {
        file: 'packages/db/src/requests/originals.ts',
        search: `select line
          from stock_entry
          where stock_entry.transaction_no = asked.transaction_no
          order by line desc
          limit 1`,
        replace: `select count(*)
          from stock_entry
          where stock_entry.transaction_no = asked.transaction_no`,
      },
    ],
    test: { file: 'concurrency/originals.test.ts', title: 'however many lines it has' },
  },
  {
    name: 'a batch without keys of which nothing was sent is told that it is not known',
    edits: [
      { file: batches, search: 'if (hasKey(raw, caller)) unknownKey(error);', replace: 'unknownKey(error);' },
    ],
    test: { file: 'concurrency/originals.test.ts', title: 'but for what a key may lead to' },
  },
  {
    name: 'a batch with a key is told that nothing was applied when Postgres does not say',
    edits: [{ file: batches, search: 'if (hasKey(raw, caller)) unknownKey(error);', replace: '' }],
    test: { file: 'concurrency/originals.test.ts', title: 'but for what a key may lead to' },
  },
  {
    name: 'a lot without a tag is passed over for nothing',
    edits: [
      {
        file: 'packages/db/src/batch/dry-run.ts',
        search: 'when (${tx.unsafe(filters)}) is not true then',
        replace: 'when not (${tx.unsafe(filters)}) then',
      },
    ],
    test: { file: 'contract/dry-run.test.ts', title: 'without a tag or a second serial' },
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
        file: 'apps/api/src/transactions.ts',
        search: 'return dryRun === true ? tryOut(request, caller, wait) : transact(request, caller, 200);',
        replace: 'return transact(request, caller, 200);',
      },
    ],
    test: { file: 'contract/dry-run.test.ts', title: 'counts and reversals' },
  },
  {
    name: 'a dry run keeps its key',
    edits: [
      {
        file: 'apps/api/src/transactions.ts',
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
    name: 'what is counted is read before the gates are locked, as the fault harness sees it',
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
    name: 'the balance of a line is what the lot has in the end',
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
    name: 'an update gives every line the balance that its lot has now',
    edits: [
      {
        file: 'packages/db/migrations/0019.do.counts-reversals-and-evidence.sql',
        search: 'sum(delta) over (partition by rec_no order by transaction_no, line)',
        replace: 'sum(delta) over (partition by rec_no)',
      },
    ],
    test: { file: 'admin/upgrade.test.ts', title: 'the balance that its lot had' },
  },
  {
    name: 'an update takes a move inside a warehouse for one between two',
    edits: [
      {
        file: 'packages/db/migrations/0020.do.history.sql',
        search: "to_wid = nullif((undone.body->>'shipToWid')::integer, (undone.body->>'wid')::integer)",
        replace: "to_wid = (undone.body->>'shipToWid')::integer",
      },
    ],
    test: { file: 'admin/upgrade.test.ts', title: 'in the history of its warehouses' },
  },
  {
    name: 'the clock of a device is believed',
    edits: [
      {
        file: 'apps/api/src/batch/evidence.ts',
        search: 'captured + Math.round(receivedAt - sentAt)',
        replace: 'captured',
      },
    ],
    test: { file: 'contract/batch.test.ts', title: 'raw and corrected' },
  },
  {
    name: 'a client is told of every warehouse',
    edits: [
      {
        file: 'packages/db/src/warehouses.ts',
        search: 'where wid = any(${wids as number[]}::integer[])',
        replace: 'where wid = any(${wids as number[]}::integer[]) or wid > 0',
      },
    ],
    test: { file: 'contract/me.test.ts', title: 'what the client may do' },
  },
  {
    name: 'a client is told another limit than its own',
    edits: [
      { file: 'apps/api/src/routes/me.ts', search: 'client.rateLimit ?? rateLimit', replace: 'rateLimit' },
    ],
    test: { file: 'contract/me.test.ts', title: 'what the client may do' },
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
        search: 'and stock_entry.wid = any(${shown as number[]}::integer[])',
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
    name: 'transactions that have arrived are not counted',
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
    name: 'a page looks into all volumes behind it',
    edits: [{ file: wayToPage, search: ' and through - count < last', replace: '' }],
    test: { file: 'concurrency/aged-counts.test.ts' },
  },
  {
    name: 'a page looks into what holds none of its records',
    edits: [{ file: wayToPage, search: 'where count > 0 and through', replace: 'where through' }],
    test: { file: 'concurrency/aged-counts.test.ts' },
  },
  {
    name: 'folding reads every count there is',
    edits: [
      {
        file: volumes,
        search: 'set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as',
        replace: 'as',
      },
    ],
    test: { file: 'concurrency/aged-counts.test.ts' },
  },
  {
    name: 'a volume that is cut keeps the lots of the others',
    edits: [
      {
        file: volumes,
        search: 'where lot_volume_count.wid = gone.wid and',
        replace: 'where false and lot_volume_count.wid = gone.wid and',
      },
    ],
    test: { file: 'concurrency/pages.property.test.ts' },
  },
  {
    name: 'a volume does not learn that its chapters are more',
    edits: [
      { file: volumes, search: 'set chapters = chapters + (', replace: 'set chapters = chapters + 0 * (' },
    ],
    test: { file: 'concurrency/pages.property.test.ts' },
  },
  {
    name: 'transactions are not added to their volume',
    edits: [
      {
        file: volumes,
        search: `    on conflict (volume, wid, other_wid) do update
    set transactions = counted.transactions + excluded.transactions`,
        replace: '    on conflict (volume, wid, other_wid) do nothing',
      },
    ],
    test: { file: 'concurrency/transaction-pages.property.test.ts' },
  },
  {
    name: 'transactions are not counted when they are written',
    edits: [
      {
        file: writeBatch,
        search: 'from claimed\n    where wid is not null',
        replace: 'from claimed\n    where wid is null',
      },
    ],
    test: { file: 'contract/transactions-list.test.ts', title: 'totals and lines' },
  },
  {
    name: 'a lot shown out of scope',
    edits: [
      {
        file: 'packages/db/src/lists/read-lot.ts',
        search: 'and lot.wid = any(${scope as number[]}::integer[])',
        replace: '',
      },
    ],
    test: { file: 'contract/lots-get.test.ts', title: 'not in scope, alike' },
  },
  {
    name: 'a lot named that is out of scope',
    edits: [
      {
        file: 'packages/db/src/lists/list-lots.ts',
        search: 'and source.wid = any(${scope as number[]}::integer[])',
        replace: '',
      },
    ],
    test: { file: 'contract/lots-get.test.ts', title: 'where it was split from' },
  },
  {
    name: 'an example of the OpenAPI document about an item that the demo lacks',
    edits: [
      {
        file: 'apps/api/src/openapi/operations/receive.ts',
        search: "itemID: 'WIDGET-100', units: 40",
        replace: "itemID: 'WIDGET-900', units: 40",
      },
    ],
    test: { file: 'examples/examples.test.ts', title: 'every example is answered as it says' },
  },
  {
    name: 'an example of an answer that the demo does not give',
    edits: [{ file: 'apps/api/src/openapi/story.ts', search: 'available: 56,', replace: 'available: 57,' }],
    test: { file: 'examples/examples.test.ts', title: 'every example is answered as it says' },
  },
  {
    name: 'an example of help about a lot that the demo lacks',
    edits: [
      {
        file: 'apps/admin/src/commands/lot-release.ts',
        search: "example('lot release --rec-no 7')",
        replace: "example('lot release --rec-no 17')",
      },
    ],
    test: { file: 'examples/examples.test.ts', title: 'inventory lot release' },
  },
  {
    name: 'README that promises another receipt',
    edits: [{ file: 'README.md', search: '"recNo":10,', replace: '"recNo":9,' }],
    test: { file: 'examples/examples.test.ts', title: 'start prints what README shows' },
  },
  {
    name: 'a command in a document with an option that it lacks',
    edits: [
      {
        file: 'docs/operating.md',
        search: 'inventory maintain --days 30 ',
        replace: 'inventory maintain --weeks 4 ',
      },
    ],
    test: { file: 'examples/examples.test.ts', title: 'works when it is pasted' },
  },
  {
    name: 'a call of the page for scanners that is answered otherwise',
    edits: [{ file: 'docs/scanners.md', search: '"expected": 22,', replace: '"expected": 23,' }],
    test: { file: 'examples/examples.test.ts', title: 'every call is answered as the page says' },
  },
  {
    name: 'a ShortID in the place of a part number answered as an unknown path',
    edits: [{ file: 'apps/api/src/routes/items.ts', search: '      misfit: noPartNo,\n', replace: '' }],
    test: { file: 'contract/items-get.test.ts', title: 'WIDGET-100' },
  },
  {
    name: 'the page of the documentation keeps its tables on a phone',
    edits: [
      {
        file: 'apps/api/src/routes/docs-page/page.css',
        search: '@media (max-width: 640px)',
        replace: '@media (max-width: 64px)',
      },
    ],
    test: { file: 'contract/docs-page.test.ts', title: 'fits a phone' },
  },
  {
    name: 'the page of the documentation is light at night',
    edits: [
      {
        file: 'apps/api/src/routes/docs-page/page.js',
        search: "'(prefers-color-scheme: dark)'",
        replace: "'(prefers-color-scheme: black)'",
      },
    ],
    test: { file: 'contract/docs-page.test.ts', title: 'is dark where' },
  },
  {
    name: 'a backup that is not noted',
    edits: [
      {
        file: 'packages/db/src/operator/backup-records.ts',
        search: "if (standby) return 'standby';",
        replace: "if (standby || !future) return 'standby';",
      },
    ],
    test: { file: 'admin/backup.test.ts', title: 'a backup is noted with its moment' },
  },
  {
    name: 'a restored database with the records of the one before',
    edits: [{ file: backupTables, search: "  'backup_record',\n", replace: '' }],
    test: { file: 'admin/backup.test.ts', title: 'the backup that it comes from' },
  },
  {
    name: 'an age of the last backup where there is none',
    edits: [
      {
        file: 'apps/api/src/backup-age.ts',
        search: 'last === null ? {} :',
        replace: 'last === null ? { none: 0 } :',
      },
    ],
    test: { file: 'admin/backup.test.ts', title: 'a backup is noted with its moment' },
  },
  {
    name: 'an alert about a backup of half an hour ago',
    edits: [{ file: alertRules, search: '> 26 * 3600', replace: '> 26 * 60' }],
    test: { file: 'operation/monitoring.test.ts', title: 'each cause is named within 15 seconds' },
  },
  {
    name: 'an alert without a section that says what to do',
    edits: [
      { file: 'docs/operating.md', search: '#### InventoryBackupOld', replace: '#### InventoryBackup' },
    ],
    test: { file: 'operation/monitoring.test.ts', title: 'has a section for each alert' },
  },
  {
    name: 'the history of a lot with the oldest line first',
    edits: [
      {
        file: 'packages/db/src/operator/ledger.ts',
        search: 'order by stock_entry.transaction_no desc, stock_entry.line desc',
        replace: 'order by stock_entry.transaction_no, stock_entry.line',
      },
    ],
    test: { file: 'admin/catalog.test.ts', title: 'tell what is stored, to the last digit' },
  },
  {
    name: 'kubernetes: KEDA asks for a metric that is not there',
    edits: [
      {
        file: 'deploy/kubernetes/components/keda/scaled-objects.yaml',
        search: 'sum(inventory_worker_busy_ratio{',
        replace: 'sum(inventory_worker_busy{',
      },
    ],
    test: { file: 'deploy/kubernetes.test.ts', title: 'has the metrics that KEDA asks for' },
  },
  {
    name: 'kubernetes: a setting that there is not',
    edits: [
      {
        file: 'deploy/kubernetes/base/settings.env',
        search: 'QUEUE_PREFIX=',
        replace: 'QUEUE_PREFIXES=',
      },
    ],
    test: { file: 'deploy/kubernetes.test.ts', title: 'have settings that there are' },
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
    name: 'kubernetes: a policy that finds no pod',
    edits: [
      {
        file: 'deploy/kubernetes/base/network-policies.yaml',
        search: 'matchLabels: { app.kubernetes.io/component: api }',
        replace: 'matchLabels: { app.kubernetes.io/component: apis }',
      },
    ],
    test: { file: 'deploy/kubernetes.test.ts', title: 'every selector finds a pod' },
  },
  {
    name: 'audit in the background: levels and lots are of two moments',
    edits: [
      {
        file: auditSlice,
        search: 'const [row] = await tx<(ComparedRow & { last_part_no:',
        replace:
          'const before = JSON.stringify(await tx`select * from stock_level`);\n' +
          '  const [row] = await tx<(ComparedRow & { last_part_no:',
      },
      {
        file: auditSlice,
        search: 'from stock_level\n      where (part_no, wid) >',
        replace:
          'from json_populate_recordset(null::stock_level, ${before}::text::json) as stock_level\n' +
          '      where (part_no, wid) >',
      },
    ],
    test: { file: backgroundAudit, title: 'finds nothing while stock changes all the time' },
  },
  {
    name: 'audit in the background: every worker looks at once',
    edits: [{ file: auditSlice, search: '!turn!.mine || progress', replace: 'progress' }],
    test: { file: backgroundAudit, title: 'is one of all workers' },
  },
  {
    name: 'audit in the background: what is on hold is not compared',
    edits: [{ file: auditSlice, search: 'where on_hold <> held', replace: 'where false' }],
    test: { file: backgroundAudit, title: 'names item, warehouse, lot and what differs' },
  },
  {
    name: 'audit in the background: what was mended stays',
    edits: [
      {
        file: auditSlice,
        search: 'delete from audit_drift where last_seen <',
        replace: 'delete from audit_drift where now() <',
      },
    ],
    test: { file: backgroundAudit, title: 'names item, warehouse, lot and what differs' },
  },
  {
    name: 'audit in the background: off is on',
    edits: [
      {
        file: 'apps/worker/src/worker.ts',
        search: "config.BACKGROUND_AUDIT === 'off'",
        replace: "config.BACKGROUND_AUDIT === ('' as string)",
      },
    ],
    test: { file: backgroundAudit, title: 'audits nothing when BACKGROUND_AUDIT is off' },
  },
  {
    name: 'traces: OpenTelemetry is loaded whether it is wanted or not',
    edits: [
      {
        file: 'packages/process/src/open-tracing.ts',
        search: "import type { Tracing } from './tracing.ts';",
        replace: "import './open-telemetry.ts';\nimport type { Tracing } from './tracing.ts';",
      },
    ],
    test: { file: 'operation/tracing.test.ts', title: 'nothing of OpenTelemetry is loaded' },
  },
  {
    name: 'traces: a batch is linked to nothing',
    edits: [
      {
        file: 'apps/worker/src/worker.ts',
        search: 'links: requests.map(({ trace }) => trace),',
        replace: 'links: [],',
      },
    ],
    test: { file: 'operation/tracing.test.ts', title: 'a request is a trace' },
  },
  {
    name: 'traces: a process waits for its collector when it stops',
    edits: [
      {
        file: 'packages/process/src/open-telemetry.ts',
        search: 'await within(endWithinMs, provider.shutdown()).catch(() => {});',
        replace: 'await provider.shutdown(); await new Promise(() => setInterval(() => {}, 1000));',
      },
    ],
    test: { file: 'operation/tracing.test.ts', title: 'the service works with a collector that is silent' },
  },
  {
    name: 'fleet: costs of a batch are taken for each request',
    edits: [
      {
        file: 'test/bench/fleet-model.ts',
        search: 'return { each, batch: Math.max(0, (few.cpu - each) * few.size) };',
        replace: 'return { each: few.cpu, batch: 0 };',
      },
    ],
    test: { file: 'bench/fleet-model.test.ts', title: 'costs are found again' },
  },
  {
    name: 'a server that takes no writes any more is believed',
    edits: [{ file: dbClient, search: 'return ofSeveralHosts.has(sql) &&', replace: 'return false &&' }],
    test: { file: 'concurrency/postgres-demoted.test.ts', title: 'never the old one' },
  },
  {
    name: 'a primary that was left behind is taken again',
    edits: [
      {
        file: 'packages/db/src/hosts/primary.ts',
        search: 'if (standing.timeline < timeline) {',
        replace: 'if (false) {',
      },
    ],
    test: { file: 'concurrency/postgres-left-behind.test.ts' },
  },
  {
    name: 'what a worker remembers is not compared with Postgres',
    edits: [
      {
        file: applyBatch,
        search: 'if (isOutdated(parts, requests, levels, items)) throw',
        replace: 'if (false) throw',
      },
    ],
    test: { file: 'concurrency/gates.test.ts', title: 'that Postgres does not have any more' },
  },
  {
    name: 'a replica is not asked how far it is',
    edits: [{ file: replica, search: 'if (await hasReached(own, position)) break;', replace: 'break;' }],
    test: { file: 'concurrency/replica-reads.test.ts', title: 'while the replica stands still' },
  },
  {
    name: 'the primary is asked once how far it is',
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
    name: 'a place in the log of another timeline counts',
    edits: [
      {
        file: replica,
        search: `= lpad(upper(to_hex(\${timeline}::integer)), 8, '0')`,
        replace: `is not null or \${timeline}::integer = 0`,
      },
    ],
    test: { file: 'concurrency/postgres-left-behind.test.ts' },
  },
  {
    name: 'a pooler as DATABASE_URL is taken',
    edits: [{ file: pooler, search: 'if (!(await isPooled(sql))) return;', replace: 'if (sql) return;' }],
    test: { file: 'concurrency/pgbouncer.test.ts', title: 'refused at start as DATABASE_URL' },
  },
  {
    name: 'a pooler whose role has other settings is taken',
    edits: [{ file: pooler, search: 'if (wrong.length === 0) return;', replace: 'if (wrong) return;' }],
    test: { file: 'concurrency/pgbouncer.test.ts', title: 'while its role has not the settings' },
  },
  {
    name: 'as Redis is run: the news of a failover ends a connection that looks for the new master',
    edits: [
      {
        file: 'packages/queue/src/sentinel-connector.ts',
        search: "    this['failoverDetector']?.cleanup();\n",
        replace: '',
      },
    ],
    // With real Sentinels it depends on the moment: most searches take less than the news.
    test: { file: 'failover/sentinel-connector.test.ts' },
  },
  {
    name: 'as Redis is run: a connection stays with a node that no longer has its queue',
    edits: [{ file: 'packages/queue/src/redis.ts', search: '|MOVED|ASK|', replace: '|ASK|' }],
    test: { file: 'failover/cluster.test.ts', title: 'when one hands over' },
  },
  {
    name: 'as Redis is run: a node is found by another key than the queue',
    edits: [
      {
        file: 'packages/queue/src/slot-connector.ts',
        search: "redis.cluster('KEYSLOT', key)",
        replace: "redis.cluster('KEYSLOT', '')",
      },
    ],
    test: { file: 'failover/cluster.test.ts', title: 'doctor and status find all well' },
  },
  {
    name: 'as Redis is run: an api reads all answers over one connection in a Redis Cluster',
    edits: [
      {
        file: 'packages/queue/src/redis.ts',
        search: "const which = areApart ? key : '';",
        replace: "const which = areApart ? '' : '';",
      },
    ],
    test: { file: 'failover/cluster.test.ts', title: 'told by the event' },
  },
  {
    name: 'as Redis is run: doctor takes a refusal of CLIENT for nobody being connected',
    edits: [
      {
        file: 'packages/queue/src/health.ts',
        search: 'return { hidden: messageOf(error), found: [] };',
        replace: 'return { hidden: null, found: [] };',
      },
    ],
    test: { file: 'failover/managed-redis.test.ts', title: 'says what it cannot see' },
  },
  {
    name: 'as Redis is run: all queues may stand on one node of a Redis Cluster',
    edits: [
      {
        file: 'packages/process/src/config.ts',
        search: '    refuseBraces(parsed.data);\n',
        replace: '',
      },
    ],
    test: { file: 'failover/redis-address.test.ts', title: 'all queues on one node' },
  },
];
