/** A known way of breaking the code, and the test that must notice. */
export type Mutant = {
  name: string;
  edits: Edit[];
  /**
   * A file below `test/`, with words that occur only in the title of the named test, or without them the
   * whole file. Or a fault of `test/faults/`, struck this many times.
   */
  test: { file: string; title?: string } | { fault: string; rounds: number };
};

type Edit = { file: string; search: string; replace: string };

const tokenKeys = 'apps/api/src/http/callers/token-keys.ts';
const signingKeys = 'packages/db/src/access/signing-keys.ts';
const compareStock = 'packages/db/src/audit/compare-stock.ts';
const applyBatch = 'packages/db/src/batch/apply-batch.ts';
const allocate = 'packages/domain/src/stock/allocate.ts';
const batchTransaction = 'packages/db/src/batch/batch-pool.ts';
const batcher = 'apps/worker/src/batcher.ts';
const connection = 'apps/api/src/http/connections/connection.ts';
const connections = 'apps/api/src/http/connections/connections.ts';
const strangerCounts = 'apps/api/src/http/connections/stranger-counts.ts';
const gates = 'packages/db/src/batch/gates.ts';
const readBatch = 'packages/db/src/batch/read-batch.ts';
const idempotency = 'packages/db/src/requests/idempotency-keys.ts';
const lane = 'packages/queue/src/submit/lane.ts';
const statementPool = 'packages/libraries/postgres/src/statement-pool.ts';
const replica = 'packages/libraries/postgres/src/servers/replica.ts';
const searchItems = 'packages/db/src/lists/search-items.ts';
const seats = 'packages/queue/src/seats.ts';
const serveWebhooks = 'packages/db/src/webhooks/serve-webhooks.ts';
const deliverWebhook = 'apps/worker/src/webhooks/deliver.ts';
const submit = 'packages/queue/src/submit/submit.ts';
const backup = 'packages/db/src/backup/backup.ts';
const upkeep = 'packages/db/migrations/0004_wrong_clocks.sql';
const signature = 'packages/queue/src/signature.ts';
const redisRights = 'packages/queue/src/redis-rights.ts';
const waiters = 'packages/queue/src/submit/waiters.ts';
const caddyfile = 'docker/proxy/Caddyfile';
const adminMain = 'apps/admin/src/main.ts';
const askAgain = 'packages/libraries/turns/src/ask-again.ts';
const attempt = 'apps/worker/src/webhooks/attempt.ts';
const clients = 'packages/db/src/access/clients.ts';
const connectionSettings = 'packages/libraries/postgres/src/connection-settings.ts';
const consume = 'packages/queue/src/consume/consume.ts';
const identity = 'packages/db/src/backup/identity.ts';
const lastTransactions = 'packages/db/src/status-page/last-transactions.ts';
const listsReplica = 'apps/api/src/lists/replica.ts';
const listStockLevels = 'packages/db/src/lists/list-stock-levels.ts';
const listTurns = 'apps/api/src/lists/list-turns.ts';
const migrate = 'packages/db/src/migrate/migrate.ts';
const offlineQueue = 'packages/client/src/queue/offline-queue.ts';
const outlets = 'packages/libraries/process/src/log/outlets.ts';
const pageQuery = 'packages/paging/src/page-query.ts';
const primary = 'packages/libraries/postgres/src/servers/primary.ts';
const quantities = 'packages/client/src/http/quantities.ts';
const redis = 'packages/libraries/redis/src/redis.ts';
const reverse = 'packages/domain/src/kinds/reverse.ts';
const shareShards = 'packages/queue/src/consume/share-shards.ts';
const watchNeeds = 'apps/api/src/watch-needs.ts';
const writeBatch = 'packages/db/src/batch/write-batch.ts';
const wrongSettings = 'packages/libraries/postgres/src/wrong-settings.ts';

type Broken = { name: string; by: string; edits: Edit[] };

/** `by`: words of the test's title, or how many times the fault strikes. */
const mutant = (
  name: string,
  by: string,
  edits: readonly [file: string, search: string, replace: string][],
): Broken => ({ name, by, edits: edits.map(([file, search, replace]) => ({ file, search, replace })) });

/** Mutants that tests of a file notice. */
const noticedBy = (file: string, broken: readonly Broken[]): Mutant[] =>
  broken.map(({ name, by, edits }) => ({ name, edits, test: { file, ...(by !== '' && { title: by }) } }));

/** Mutants that a fault brings to light. */
const struckBy = (fault: string, broken: readonly Broken[]): Mutant[] =>
  broken.map(({ name, by, edits }) => ({ name, edits, test: { fault, rounds: Number(by) } }));

// Each search text occurs exactly once in its file; a mutant that no longer fits the code fails the run.
export const mutants: readonly Mutant[] = [
  ...noticedBy('concurrency/answers.test.ts', [
    mutant('answer from a failed event', 'reported as failed after it was applied', [
      [
        submit,
        'if (envelope !== undefined) void this.#waiters.settle(envelope);',
        `if (envelope !== undefined) {
          this.#waiters.complete(envelope, envelope.requestIds.map(() => ['abandoned', null]));
        }`,
      ],
    ]),
    mutant('lost completions are not looked up', 'completion never arrives', [
      [waiters, 'void this.#look(toLook)', 'void 0'],
    ]),
    mutant('waitUntilFinished with removeOnComplete', '201 for every request', [
      [
        submit,
        "import { jobIdOf, type Told } from '../answer-streams.ts';",
        "import { QueueEvents } from 'bullmq';\nimport type { Told } from '../answer-streams.ts';\nlet ends: any;",
      ],
      [
        submit,
        'jobId: jobIdOf(this.#lines.reader, ++this.#jobCount),',
        'jobId: `${++this.#jobCount}-${crypto.randomUUID()}`,',
      ],
      [
        submit,
        `await queue.add('envelope', signed, { jobId, ...jobOptions });`,
        `ends ??= new QueueEvents(queue.name, {
        connection: this.#producer.duplicate({ maxRetriesPerRequest: null, commandTimeout: undefined }) as any,
        prefix: this.#options.prefix,
      });
      const job = await queue.add('envelope', signed, { jobId, ...jobOptions });
      job.waitUntilFinished(ends, 2500).then(
        (result: any) => this.#waiters.complete(envelope, openAnswer(keys, { queue: queue.qualifiedName, jobId }, result)!),
        () => this.#waiters.complete(envelope, envelope.requestIds.map(() => ['abandoned', null])),
      );`,
      ],
    ]),
  ]),
  ...noticedBy('concurrency/waiters.test.ts', [
    mutant('a process that stood still gives up without asking Postgres', 'stood still for its whole time', [
      [waiters, 'if (now - this.#sweptAt >= stoodStillMs) {', 'if (now < 0) {'],
    ]),
  ]),
  ...noticedBy('concurrency/answers-apart.test.ts', [
    mutant('answers of a Redis whose clock is behind are skipped', 'whose clock is behind', [
      ['packages/queue/src/answer-streams.ts', "consumer.on('ready', startOver);", ''],
    ]),
  ]),
  ...noticedBy('concurrency/shards.test.ts', [
    mutant('a silent worker keeps its seat', 'a seat expires by itself', [
      [seats, 'tonumber(expires) <= now', 'tonumber(expires) <= 0'],
    ]),
    mutant('a shard out of use is left with its jobs', 'held until it is empty', [
      [seats, 'for shard = count, largest do', 'for shard = count, -1 do'],
    ]),
    mutant('a worker without Postgres keeps its shards', 'cannot do its work', [
      [
        seats,
        "if isAble == '1' then table.insert(able, seats[index]) end",
        'table.insert(able, seats[index])',
      ],
    ]),
    mutant('shards out of use are never searched for work', 'not in use, of an api that does not know', [
      [shareShards, 'if (served.has(0) && rounds % looksEvery === 0) found = await findWork();', ''],
    ]),
    mutant('a dead worker holds its shards when the clock of Redis is set back', 'dated further ahead', [
      [seats, ' or tonumber(expires) > latest', ''],
    ]),
  ]),
  ...noticedBy('concurrency/redis-away.test.ts', [
    mutant('enableOfflineQueue: true', 'a command fails at once', [
      [redis, 'enableOfflineQueue: false', 'enableOfflineQueue: true'],
    ]),
    mutant(
      'every reply of a wrong server ends the connection again',
      'many replies that ask for another server',
      [[redis, 'if (!isToReconnect || redis.stream?.writableEnded !== true) disconnect', 'disconnect']],
    ),
  ]),
  ...noticedBy('concurrency/start-up.test.ts', [
    mutant('synchronous_commit = off accepted', 'synchronous_commit = off', [
      [wrongSettings, `synchronous_commit: { isRight: (value) => value !== 'off', wanted: 'on' },`, ''],
    ]),
    mutant('a schema of another version accepted', 'it must be migrated', [
      [migrate, 'if (found < known) {', 'if (found < 0) {'],
    ]),
    mutant('a process accepts tables that are too new', 'it needs a newer version', [
      [migrate, 'if (oldest <= known) return;', 'return;'],
    ]),
    mutant('a process refuses newer tables that still suit it', 'is still good for this version', [
      [migrate, '  refuseNewer(found, known, oldest);\n}', '  refuseNewer(found, known, found);\n}'],
    ]),
  ]),
  ...noticedBy('concurrency/gates.test.ts', [
    mutant('gates unsorted', 'opposite directions', [
      [
        gates,
        `'order by part_no, wid for no key update of stock_level'`,
        '`order by part_no ${Math.random() < 0.5 ? "asc" : "desc"}, wid for no key update of stock_level`',
      ],
    ]),
    mutant('gate created inside the transaction, in order of arrival', 'first to touch the same items', [
      [applyBatch, 'let own = await makeGates(pool.sql, unique, parts).catch(', 'let own = parts; void ('],
      [
        applyBatch,
        'const { batch, facts, times } = await lockAndRead(tx, requests, parts);',
        `await makeGates(tx as unknown as Sql, requests, parts);
  const { batch, facts, times } = await lockAndRead(tx, requests, parts);`,
      ],
      [
        gates,
        `order by part_no, wid
    on conflict do nothing`,
        'on conflict do nothing',
      ],
    ]),
    mutant("a worker's memory is not compared with Postgres", 'Postgres has lost', [
      [applyBatch, 'if (isOutdated(parts, operations, batch.levels, facts)) throw', 'if (false) throw'],
    ]),
  ]),
  ...noticedBy('concurrency/list-scans.test.ts', [
    mutant('all gates read, and the list again for each', 'each list is read once', [
      [
        gates,
        'stock_level.part_no = any(array[wanted.part_no]) and stock_level.wid = any(array[wanted.wid])',
        'stock_level.part_no = wanted.part_no and stock_level.wid = wanted.wid',
      ],
    ]),
  ]),
  ...noticedBy('concurrency/batch.test.ts', [
    mutant('SKIP LOCKED on gates', '20 of 20 units are seen', [
      [gates, "of stock_level'", "of stock_level skip locked'"],
    ]),
    mutant('lots read before the gate', '20 of 20 units are seen', [
      [
        readBatch,
        `  const levelsRead =`,
        `  const lotsRead = await pickCandidates(tx, operations, parts, Promise.resolve({ now: new Date(), outcomes: new Map() }));
  const levelsRead =`,
      ],
      [readBatch, '  const lotsRead = pickCandidates(tx, operations, parts, factsRead, reading);\n', ''],
    ]),
    mutant('batch without running balances', 'for 60 of 100 units', [
      [
        allocate,
        'const taken = lot.units < missing ? lot.units : missing;',
        `if (!unitsRead.has(lot)) unitsRead.set(lot, lot.units);
    const taken = unitsRead.get(lot)! < missing ? unitsRead.get(lot)! : missing;`,
      ],
      [
        allocate,
        'export type Taking =',
        `const unitsRead = new WeakMap<LotState, Quantity>();
export type Taking =`,
      ],
    ]),
    mutant('a failed write and its commit not awaited', 'when Postgres chokes', [
      [batchTransaction, 'Promise.all([begin, written])', 'begin'],
      [batchTransaction, `if (command !== 'COMMIT') throw`, 'if (false) throw'],
    ]),
    mutant('answer sent before the commit', 'whose commit itself fails', [
      [
        batchTransaction,
        'const { command } = await untilClosed(connection, committed);',
        `const command: string = 'COMMIT';`,
      ],
    ]),
    mutant('a transaction begun ahead outlives its connection', 'ended the connection that waited', [
      [batchTransaction, 'if (connection.isOpen()) return connection;', 'return connection;'],
      [batchTransaction, 'if (connection.isOpen() && !ended)', 'if (!ended)'],
    ]),
    mutant('deadline not checked', 'whose deadline has passed', [
      [applyBatch, 'if (now > request.deadline)', 'if (now < 0)'],
    ]),
    mutant('a batch that fails is not cut', 'when Postgres chokes', [
      [
        batcher,
        'else await this.#applyInPieces(others, others.length >> 1, outcomes);',
        'else for (const each of others) outcomes.set(each.requestId, await this.#fail(each));',
      ],
    ]),
    mutant('the second half of a batch that fails goes first', 'when Postgres chokes', [
      [
        batcher,
        'const piece = requests.slice(from, from + size);',
        `const rest = requests.length - from - size;
      const piece = requests.slice(Math.max(0, rest), rest + size);`,
      ],
    ]),
    mutant('a missing answer becomes null', 'a request whose deadline has passed', [
      [writeBatch, "case when json_typeof(result) <> 'null' then result end", 'result'],
    ]),
  ]),
  ...noticedBy('contract/stock-levels.test.ts', [
    mutant('float sums', 'more than 15 digits', [
      [listStockLevels, `inStock: 'sum(in_stock)'`, `inStock: 'sum(in_stock::float8)::numeric'`],
    ]),
  ]),
  ...noticedBy('concurrency/revoked-rights.test.ts', [
    mutant('rights not checked again when a request is applied', '', [
      [applyBatch, 'return denial === null ? null :', 'return denial !== undefined ? null :'],
    ]),
  ]),
  ...noticedBy('contract/items-search.test.ts', [
    mutant('search: the text of an item is not folded', 'German', [
      [searchItems, '`strpos(search_fold(${raw(column)}), ', '`strpos(${raw(column)}, '],
    ]),
    mutant('search: aliases are left out', 'each once, in the order of the list', [
      [searchItems, "where ${isCandidate('alias')} and", "where false and ${isCandidate('alias')} and"],
    ]),
  ]),
  ...noticedBy('concurrency/search-looks.test.ts', [
    mutant('search: a text of few items reads all', 'by its index when the table was analysed', [
      [searchItems, 'piece`search_pieces(${raw(text)}) @> (select search_pieces(${search}))`', 'piece`true`'],
    ]),
  ]),
  ...noticedBy('contract/scan.test.ts', [
    mutant('scan: a lot of another batch of the item matches', 'counts for its own item only', [
      ['apps/api/src/scan/scan-codes.ts', 'serial: gs1?.serial2 ?? null', 'serial: null'],
    ]),
  ]),
  ...noticedBy('security/non-interference.test.ts', [
    mutant('scan: lots of all warehouses', 'codes of marks', [
      [
        'packages/db/src/scan/find-matches.ts',
        '= asked.value and ${raw(isSet)} and wid = any(${wids}::integer[])',
        '= asked.value and ${raw(isSet)} and wid <> all(array[0 * cardinality(${wids}::integer[])])',
      ],
    ]),
  ]),
  ...noticedBy('contract/scope.test.ts', [
    mutant('scope missing in a total', 'changes not a byte of any list', [
      [
        'packages/db/src/lists/pages/read-page.ts',
        `select count(*) from \${counted} where \${list.where}\`,`,
        `select count(*) from \${counted}\`,`,
      ],
    ]),
  ]),
  ...noticedBy('contract/paging.test.ts', [
    // Either guard alone is enough, so both go.
    mutant('sort column interpolated', 'an unknown sort is ignored', [
      [pageQuery, 'sort !== undefined && sortColumns.includes(sort) ? sort : undefined', 'sort'],
      [
        'packages/db/src/lists/pages/read-page.ts',
        'query.sort === undefined ? undefined : list.sortColumns[query.sort]',
        'query.sort === undefined ? undefined : { by: query.sort, emptyLast: false }',
      ],
    ]),
  ]),
  ...noticedBy('security/strangers.test.ts', [
    mutant('refusals of unknown callers do not wait their turn', '401 waits its turn', [
      ['apps/api/src/http/callers/strangers.ts', 'else await wait(ctx, payer);', ''],
    ]),
  ]),
  ...noticedBy('security/secret-comparison.test.ts', [
    mutant('secret compared with ===', '', [
      [
        'packages/auth/src/secret.ts',
        'if (timingSafeEqual(given, digests[index] ?? nobody) &&',
        `if (given.toString('hex') === Buffer.from(digests[index] ?? nobody).toString('hex') &&`,
      ],
    ]),
  ]),
  ...noticedBy('contract/token.test.ts', [
    mutant('a right secret refused because of wrong ones', 'whatever wrong ones came', [
      [
        'apps/api/src/routes/token.ts',
        'if (!isSecretOf(secret, digests)) {',
        `const isRight = isSecretOf(secret, digests);
    const spent = isRight && !(await guesses.count(ctx.state.address, clientId)).allowed;
    if (!isRight || spent) {`,
      ],
    ]),
  ]),
  ...noticedBy('security/tokens.test.ts', [
    mutant('authentication skipped', 'changed in any part', [
      [
        'packages/auth/src/token.ts',
        'const { payload, protectedHeader } = await jwtVerify(',
        'const { payload, protectedHeader } = await readUnverified(',
      ],
      [
        'packages/auth/src/token.ts',
        'async function importKey(',
        `async function readUnverified(token: string, ..._checks: unknown[]) {
  const [protectedHeader, payload] = token.split('.').map((part, index) => (index < 2 ? JSON.parse(Buffer.from(part, 'base64url').toString()) : null));
  return { payload, protectedHeader };
}
async function importKey(`,
      ],
    ]),
    mutant('a new signing key signs at once', 'trusted at once and signs later', [
      [signingKeys, 'await insertKey(tx, key, keySettleSeconds);', 'await insertKey(tx, key, 0);'],
    ]),
  ]),
  ...noticedBy('concurrency/lost-backends.test.ts', [
    mutant("the commit's tag not checked", 'a pooler on the way', [
      [batchTransaction, `if (command !== 'COMMIT') throw`, 'if (false) throw'],
    ]),
    mutant("batches at the database's default isolation", 'read committed', [
      [batchTransaction, 'begin isolation level read committed', 'begin'],
    ]),
    mutant('every error with a code counts as an outage', 'an outage is', [
      [
        'packages/libraries/postgres/src/pool.ts',
        'return error instanceof postgres.PostgresError ? unavailable.test(code) : unreachable.has(code);',
        'return unreachable.has(code) || code.length === 5;',
      ],
    ]),
  ]),
  ...noticedBy('concurrency/large-issues.test.ts', [
    mutant('no limit of lots for one transaction', 'an issue of 1,000 lots', [
      [
        allocate,
        'if (parts.length <= lotsPerTransactionMax) return parts;',
        'if (parts.length > 0) return parts;',
      ],
    ]),
    mutant('lots taken ahead of lots not yet read', 'the first lots in order', [
      [allocate, 'order(lot, horizon) > 0', 'lot.recNo < 0'],
    ]),
    mutant('available lots counted before the batch took some', 'than the request before it left', [
      [allocate, ' || batch.touched.has(gateKey(pick.partNo, pick.wid))', ''],
    ]),
  ]),
  ...noticedBy('concurrency/held-gates.test.ts', [
    mutant('a whole batch waits for a held gate', 'while somebody holds another gate', [
      [batcher, 'if (error instanceof GatesHeldError) {', 'if (false) {'],
    ]),
    mutant('requests waiting for a gate are lost with their lane', 'held in turn', [
      [
        'apps/worker/src/held-gates.ts',
        'if (own.length > 0) this.#laneOf(name).waiting.unshift(...own);',
        'held.waiting.unshift(...own);',
      ],
    ]),
  ]),
  ...noticedBy('concurrency/overload.test.ts', [
    mutant('no admission control', 'arrive in one turn', [[lane, '+ lane.roundTripMs > busyFromMs', '< 0']]),
    mutant('the time of lost answers is not learnt', 'arrive in one turn', [
      [lane, 'lane.roundTripMs += (', 'if (now - envelope.sentAt < 125) lane.roundTripMs += ('],
    ]),
    mutant('admission ignores requests waiting for the end of the turn', 'arrive in one turn', [
      [
        lane,
        'const ahead = lane.waiting.length - (limits.inFlightMax - lane.sent.size) * limits.envelopeMax;',
        'const ahead = lane.sent.size < limits.inFlightMax ? -1 : lane.waiting.length;',
      ],
    ]),
  ]),
  ...struckBy('postgres kill -9', [
    mutant('synchronous_commit = off, as the fault harness sees it', '2', [
      [wrongSettings, `synchronous_commit: { isRight: (value) => value !== 'off', wanted: 'on' },`, ''],
      [connectionSettings, `TimeZone: 'UTC',`, `TimeZone: 'UTC', synchronous_commit: 'off',`],
    ]),
  ]),
  ...struckBy('worker kill -9', [
    mutant('no request claim, as the fault harness sees it', '40', [
      [
        writeBatch,
        'plain(({ transaction }) => transaction.request.requestId)',
        'plain(() => crypto.randomUUID())',
      ],
      [applyBatch, 'if (now > request.deadline)', 'if (now < 0)'],
    ]),
    mutant('answer from the clock alone, as the fault harness sees it', '16', [
      ['packages/db/src/requests/settle.ts', 'order by 1) as asked', 'order by 1) as asked where false'],
      [
        'packages/db/src/requests/settle.ts',
        'return readOutcomes(sql, requests);',
        `return new Map(requests.map(({ requestId: id }) => [id, { status: 'abandoned', result: null }]));`,
      ],
      [applyBatch, 'if (now > request.deadline)', 'if (now < 0)'],
      [waiters, 'void this.#look(toLook)', 'void 0'],
    ]),
    mutant('an atomic batch is committed in parts, as the fault harness sees it', '3', [
      [
        'packages/domain/src/atomic.ts',
        `if (decision.status === 'refused') return refused(index, decision.refusal);`,
        `if (decision.status === 'refused') return { status: 'applied', operations: decided };`,
      ],
    ]),
    mutant('counted lots read before the gates, as the fault harness sees it', '3', [
      [gates, `'order by part_no, wid for no key update of stock_level'`, `'order by part_no, wid'`],
    ]),
  ]),
  ...noticedBy('concurrency/redis-silent.test.ts', [
    mutant('an idle connection is not probed', 'that nobody uses', [
      [redis, 'redis.ping()', 'Promise.reject()'],
    ]),
    mutant('a replica counts as the server', 'after a failover', [[redis, '(READONLY|', '(']]),
    mutant('the canary concludes nothing from silence', 'answers nothing', [
      ['packages/queue/src/consume/service-watch.ts', `return name === 'ReplyError' ||`, 'return true ||'],
    ]),
    mutant('the canary takes a full Redis for a broken connection', 'a Redis that is full', [
      ['packages/queue/src/consume/service-watch.ts', `return name === 'ReplyError' ||`, 'return false ||'],
    ]),
  ]),
  ...noticedBy('concurrency/large-answers.test.ts', [
    mutant('large answers travel through Redis', 'carries only a note that a large answer is stored', [
      ['packages/queue/src/envelope.ts', 'if (isStored && isApart)', 'if (!isStored && isApart)'],
    ]),
  ]),
  ...noticedBy('concurrency/keys.test.ts', [
    mutant('keys shared by all clients', 'of another client', [
      [idempotency, 'return `${key.digest} ${clientId}`;', 'return key.digest + clientId.slice(99);'],
    ]),
    mutant('another request under a key accepted in one batch', 'three times in one batch', [
      [idempotency, 'first.key.fingerprint === request.key.fingerprint', 'true'],
    ]),
    mutant('keys claimed in order of arrival', 'two items to two workers', [
      [idempotency, `order by client_id collate "C", decode(digest, 'base64')`, ''],
    ]),
    mutant('keys refused in order of arrival', 'each in another order', [
      [idempotency, 'order by client_id collate "C", key_digest', 'order by max(asked_at), random()'],
    ]),
    mutant('a key claimed after it was refused for its send', 'while its batch waited', [
      [idempotency, 'when key.request_id is null and ${isOpen} then', 'when key.request_id is null then'],
    ]),
    mutant('a refused key not checked', 'came before another send', [
      [
        idempotency,
        `return isRefused(row, key.askedAt) ? { status: 'abandoned', result: null } : null;`,
        'return null;',
      ],
    ]),
    mutant('a verdict on one send, not on its key', 'came before another send', [
      [
        'packages/db/src/requests/settle.ts',
        'others.length > 0 && abandon(sql, others),',
        'requests.length > 0 && abandon(sql, requests),',
      ],
      ['packages/db/src/requests/settle.ts', 'keyed.length > 0 && refuseKeys(sql, keyed),', ''],
    ]),
    mutant('a request refused by the queue not settled', 'the other process has under way', [
      [
        'apps/api/src/stock/sender.ts',
        `if (answer.status !== 'busy' || !isKeyed(request)) return answer;`,
        'if (Date.now() > 0 || !isKeyed(request)) return answer;',
      ],
    ]),
    mutant('requests in doubt after a connection ended while settling', 'a request that the queue refuses', [
      [askAgain, 'performance.now() + againAfterMs > untilMs', 'performance.now() > 0'],
    ]),
  ]),
  ...noticedBy('concurrency/statement-pool.test.ts', [
    mutant('a connection that swallows statements is kept', 'others are served beside it', [
      [statementPool, 'late = setImmediate(() => suspectSince(connection, startedAt));', 'late = undefined;'],
    ]),
    mutant('a process that stood still throws its connections away', 'nor taken for hanging', [
      [
        statementPool,
        'late = setImmediate(() => suspectSince(connection, startedAt));',
        'suspectSince(connection, startedAt);',
      ],
    ]),
    mutant('a list goes on after its caller left', 'ends in Postgres when its caller goes', [
      [statementPool, 'onGone?.(giveUp)', 'onGone?.(() => {})'],
    ]),
    mutant('a connection is used again after a cancel', 'a cancel that comes late', [
      [statementPool, 'if (gaveUp || cancelled)', 'if (gaveUp)'],
    ]),
    mutant('a broken transaction goes on, on another connection', 'the rest of a transaction', [
      [statementPool, '(cancels && isOutage(error))', 'false'],
    ]),
    mutant('the rows of finished statements are kept', 'rows that were read are not kept', [
      ['packages/libraries/postgres/src/cancellable.ts', 'statements.delete(each);', 'void each;'],
    ]),
  ]),
  ...noticedBy('concurrency/migrations.test.ts', [
    mutant('a migration applied without its note', 'broken off before it is noted', [
      [
        'packages/db/src/migrate/run-migration.ts',
        '${opening(lockMs, statementMs)}${script}`',
        '${opening(lockMs, statementMs)}${script}\\ncommit;`',
      ],
    ]),
  ]),
  ...noticedBy('concurrency/retention.test.ts', [
    mutant('workers remove transactions whose key is left', 'never before its key', [
      [upkeep, 'if not round.has_left then', 'if true then'],
    ]),
    mutant('workers remove transactions as young as keys', 'workers remove', [
      [
        upkeep,
        "transactions := remove_undone_transactions(round.keys_until - interval '1 day', count_max)",
        'transactions := remove_undone_transactions(round.keys_until, count_max)',
      ],
    ]),
    mutant('applied transactions removed with refused ones', 'workers remove', [
      [
        upkeep,
        "where status <> 'applied' and at < least(until, retention_now() - interval '8 days')",
        "where at < least(until, retention_now() - interval '8 days')",
      ],
    ]),
    mutant('old keys are never removed', 'workers remove', [
      ['apps/worker/src/retention-keeper.ts', 'await removePiece()', 'false'],
    ]),
  ]),
  ...noticedBy('security/secrets-in-logs.test.ts', [
    mutant('libraries print directly', 'libraries print', [
      [outlets, 'of consoleMethods) {', 'of consoleMethods.slice(9)) {'],
    ]),
  ]),
  ...noticedBy('security/errors-in-logs.test.ts', [
    mutant('a job that fails keeps the error in Redis', 'an envelope that fails', [
      [consume, `throw new EnvelopeError('an envelope was not applied', { cause: error });`, 'throw error;'],
    ]),
  ]),
  ...noticedBy('security/signing-keys.test.ts', [
    mutant('a signing key verifies for ever', 'whose last token has ended', [
      ['packages/auth/src/token.ts', 'known.until <= now.getTime()', 'known.until <= 0'],
      [signingKeys, 'and (retired is null or retired > now() -', 'and (true or retired > now() -'],
    ]),
    mutant('a token is cached without its signing key', 'that was withdrawn', [
      [tokenKeys, 'return keys.ring.verifying.has(claims.kid) ? found : null;', 'return found;'],
    ]),
    mutant('signing keys read four times a minute', 'that was withdrawn', [
      [tokenKeys, 'const maxAgeMs = 500;', 'const maxAgeMs = 15_000;'],
    ]),
    mutant('an unknown signing key is not looked up', 'made a moment ago', [
      [tokenKeys, 'await within(authenticateWithinMs, keys.readSince(performance.now()));', 'void 0;'],
    ]),
    mutant('the private half of a signing key is deleted at rotation', 'and no other', [
      [signingKeys, 'where retired <= retention_now() or', 'where retired is not null or'],
    ]),
    mutant('the private half of a retired signing key stays', 'and no other', [
      [signingKeys, 'where retired <= retention_now() or', 'where'],
    ]),
    mutant('secrets never expire', 'an expired secret', [
      [clients, 'and not disabled and (expires is null or expires > now())', 'and not disabled'],
    ]),
    mutant('private halves retired while no process ran stay', 'and no other', [
      [tokenKeys, 'void pool.run(deleteRetiredHalves).catch(failed);', 'void failed;'],
    ]),
  ]),
  ...noticedBy('local/stack.test.ts', [
    mutant('Redis without passwords', 'Redis refuses connections without a name', [
      [redisRights, 'user default off resetchannels -@all', 'user default on nopass ~* &* +@all'],
    ]),
    mutant(
      'the worker may touch all keys of the service in Redis',
      'Redis refuses connections without a name',
      [
        [
          redisRights,
          'worker: (prefix) => [`~${prefix}:{stock-*`, `~${prefix}:{webhooks}*`]',
          "worker: (prefix) => [`~${prefix}:{stock-*`, '~*']",
        ],
      ],
    ),
  ]),
  ...noticedBy('concurrency/envelope-versions.test.ts', [
    mutant('the version of an envelope is not signed', 'that no api signed is refused, not left', [
      [
        signature,
        'sign(keys.signing(), `envelope ${version}`, place, text)',
        'sign(keys.signing(), `envelope 1`, place, text)',
      ],
      [
        signature,
        'isSignedBy(key, `envelope ${version}`, place, text, mac)',
        'isSignedBy(key, `envelope 1`, place, text, mac)',
      ],
    ]),
    mutant('an unknown envelope circulates for ever', 'is dropped in the end', [
      [consume, 'if (job.attemptsStarted > leftTimesMax) return false;', ''],
    ]),
  ]),
  ...noticedBy('docker/containers.test.ts', [
    mutant('the api container sees the password of the owner', 'its own secrets alone', [
      ['docker-compose.yml', '- secrets-api:/secrets:ro', '- secrets:/secrets:ro'],
    ]),
    mutant('Postgres on a network with a route out', 'has no route out', [
      [
        'docker-compose.yml',
        'networks: [inside]\n    restart: unless-stopped\n    stop_grace_period: 60s',
        'networks: [inside, outside]\n    restart: unless-stopped\n    stop_grace_period: 60s',
      ],
    ]),
  ]),
  ...noticedBy('concurrency/list-turns.test.ts', [
    mutant('one client may run all costly lists', 'two at once in Postgres', [
      [listTurns, 'costly: { perClient: 1, total: 2 }', 'costly: { perClient: 2, total: 2 }'],
    ]),
    mutant('lists are served in order of arrival, not by client', 'go between those of one client', [
      ['packages/libraries/turns/src/fair-line.ts', 'if (places.delete(name)) places.set(name, own);', ''],
    ]),
  ]),
  ...noticedBy('contract/next-modified-since.test.ts', [
    mutant('X-Next-Modified-Since is read after the page', 'is read before the page', [
      [
        'apps/api/src/lists/page-reader.ts',
        `const next = await nextModifiedSince.read(sql);
    return { ...(await page(sql)), nextModifiedSince: next };`,
        `const read = await page(sql);
    return { ...read, nextModifiedSince: await nextModifiedSince.read(sql) };`,
      ],
    ]),
  ]),
  ...noticedBy('admin/commands.test.ts', [
    mutant('a secret that cannot be written is shown with 0', 'meets a full disk', [
      [adminMain, "if (code === 'EPIPE' || isOutputLost) return;", "if (code !== 'nothing') return;"],
    ]),
    mutant('tokens outlive their revoked secrets', 'ends earlier tokens', [
      ['apps/api/src/http/callers/authenticator.ts', 'issuedAt < tokensFrom ? null', 'issuedAt < 0 ? null'],
    ]),
    mutant('a client with a new secret gets the token of the old one', 'ends earlier tokens', [
      [tokenKeys, ' && kept.issuedAt >= tokensFrom', ''],
    ]),
  ]),
  ...noticedBy('concurrency/left-behind.test.ts', [
    mutant('connections opened while Postgres cannot be asked', 'cannot be asked', [
      ['packages/libraries/postgres/src/left-behind.ts', 'catch(() => asked.length)', 'catch(() => 0)'],
    ]),
  ]),
  ...noticedBy('concurrency/changes-waiting.test.ts', [
    mutant('callers that go are waited for', 'those that go leave nothing', [
      ['apps/api/src/changes/feed.ts', 'const forget = onGone?.(end);', 'const forget = onGone?.(() => {});'],
    ]),
  ]),
  ...noticedBy('concurrency/synchronous-standby.test.ts', [
    mutant('a cursor tells what no standby has', 'no standby has the write', [
      [
        'packages/db/src/changes/read-position.ts',
        'case when known_no > ${since} then ${onStandbys} end as on_standbys',
        'case when known_no > ${since} and false then ${onStandbys} end as on_standbys',
      ],
    ]),
    mutant('the cursor of /Me waits for a standby', 'without using up the connections', [
      ['apps/api/src/routes/me.ts', 'await feed.soon();', 'await feed.position();'],
    ]),
    mutant('commits waiting for a standby are not reported', 'without using up', [
      [watchNeeds, 'hangingCommits === 0 && verdicts.counts().suspect === 0', 'hangingCommits === 0'],
    ]),
    mutant('failures during hanging commits count as overload', 'without using up', [
      [watchNeeds, "presence.isThere('postgres') && hangingCommits === 0", "presence.isThere('postgres')"],
    ]),
    mutant('an api that can read is not ready while commits hang', 'without using up', [
      ['apps/api/src/internal-port.ts', 'authentication.run(reach)', 'verdicts.run(reach)'],
    ]),
    mutant('verdicts with hanging commits use up the connections of Postgres', 'without using up', [
      [statementPool, 'if (isLeft) leftBehind.add(untilDone(connection.sql));', ''],
    ]),
    mutant('doctor: any attached standby counts as acknowledging', 'without using up', [
      [
        'apps/admin/src/doctor/replication-checks.ts',
        'waitsForStandby(replication) && !(await isCommitAnswered(sql))',
        'waitsForStandby(replication) && (await isCommitAnswered(sql)) === null',
      ],
    ]),
  ]),
  ...noticedBy('security/connections.test.ts', [
    mutant(
      'a malformed request is answered before the answers that are due',
      'comes after the answers that are due',
      [[connection, 'if (this.#current === null) this.#end(isPart', 'if (!isPart) this.#end(isPart']],
    ),
    mutant('no limit of connections', 'idle for longest', [
      [connections, 'this.connections.size < this.#options.connectionsMax', 'this.connections.size >= 0'],
    ]),
    mutant('a fleet behind one address is a crowd of strangers', 'make no room for strangers', [
      [strangerCounts, 'this.#perAddressMax === 0 || !this.isStranger(socket)', 'this.#perAddressMax === 0'],
    ]),
  ]),
  ...noticedBy('admin/backup.test.ts', [
    mutant('a backup of many moments', 'is of one moment', [
      [
        backup,
        'begin isolation level repeatable read read only;',
        'begin isolation level read committed read only;',
      ],
      [backup, "await tx.unsafe(`set transaction snapshot '${exported!.snapshot}'`);", '{}'],
    ]),
    mutant('a backup holds the keys that sign', 'holds no key that signs', [
      ['packages/db/src/backup/backup-tables.ts', "  'signing_key',\n", ''],
    ]),
    mutant('a backup has its name before it is whole', 'broken off leaves no file', [
      ['apps/admin/src/cli/write-target.ts', '`${path}.part-${process.pid}`', 'path'],
      [
        'apps/admin/src/cli/write-target.ts',
        `    } catch (error) {
      await rm(part, { force: true });
      throw error;`,
        `    } catch (error) {
      throw error;`,
      ],
    ]),
    mutant('the checksum of a backup is not checked', 'changed in its text', [
      ['packages/db/src/backup/backup-file.ts', "if (hash.digest('hex') !== sha256) throw damaged();", ''],
    ]),
    mutant('a failed restore commits its rows', 'in the middle has restored nothing', [
      ['packages/db/src/backup/restore.ts', "await tx.unsafe('begin isolation level read committed');", ''],
    ]),
    mutant('numbers are given out again after a restore', 'has everything acknowledged before it began', [
      [identity, 'const numbersPerSecond = 20_000;', 'const numbersPerSecond = 0;'],
    ]),
  ]),
  ...noticedBy('docker/compose.test.ts', [
    mutant('the proxy resends requests that may have arrived', 'sends none twice', [
      [caddyfile, 'lb_try_interval 50ms', 'lb_try_interval 50ms\n\t\tlb_retry_match method POST'],
    ]),
    mutant("the proxy trusts anybody's forwarded address", 'believes nobody else', [
      [caddyfile, '255.255.255.255/32', '0.0.0.0/0'],
    ]),
  ]),
  ...noticedBy('admin/refusals.test.ts', [
    mutant('migrate writes to a database before refusing it', 'could lose answered writes', [
      [migrate, 'await refuseBeforeMigrating(connection, steps);', ''],
    ]),
  ]),
  ...noticedBy('operating/status-page.test.ts', [
    mutant('operations: bodies are shown', 'without anything that a body', [
      [lastTransactions, 'client_id as client, status,', 'body::text as client, status,'],
    ]),
  ]),
  ...noticedBy('contract/batch-atomic.test.ts', [
    mutant('decisions of a refused atomic batch are written', 'the first operation that the stock refuses', [
      [applyBatch, '{ ...batch, levels: new Map(), lotsByRecNo: new Map(), newLots: [] }', 'batch'],
    ]),
  ]),
  ...noticedBy('contract/batch.test.ts', [
    mutant('operations of a batch are all sent at once, in any order', 'keep the order of the list', [
      [
        'apps/api/src/stock/batch-call/run-each.ts',
        'for (const [place, { itemId }] of tasks.entries()) {',
        'for (const [place] of tasks.entries()) {\n    const itemId = String(place);',
      ],
      [
        lane,
        'let count = alone < 0 ? waiting.length : alone;',
        'waiting.reverse();\n  let count = alone < 0 ? waiting.length : alone;',
      ],
    ]),
    mutant('an operation is applied behind one of its list that was not', 'behind one that is not applied', [
      [
        applyBatch,
        'const isBarred = after !== undefined && !passed.has(after.requestId);',
        'const isBarred = after === null;',
      ],
    ]),
  ]),
  ...noticedBy('concurrency/list-order.test.ts', [
    mutant('the order of a list holds only within a batch', 'in one batch or in several', [
      ['packages/db/src/batch/read-facts.ts', '[...requests, ...missingBefore(requests)]', '[...requests]'],
    ]),
    mutant('an operation waits only for earlier ones in its own batch', 'waits for a held gate', [
      [
        applyBatch,
        '!passed.has(after.requestId);',
        '!passed.has(after.requestId) && requests.some((each) => each.requestId === after.requestId);',
      ],
    ]),
  ]),
  ...noticedBy('contract/reverse.test.ts', [
    mutant('a transaction is reversed more than once', 'with ten at once', [
      [reverse, 'if (past.isReversed) return', 'if (past.isReversed && batch.now < 0) return'],
      [
        'packages/db/schema/06-ledger.sql',
        'create unique index stock_transaction_reverses_key',
        'create index stock_transaction_reverses_key',
      ],
    ]),
    mutant('a reversal out of scope differs from a missing one', '404: not there', [
      [
        'apps/api/src/stock/subjects.ts',
        'return { refusal: unknownSubject(kind) };',
        'return { refusal: of === undefined ? unknownSubject(kind) : forbidden.scope };',
      ],
    ]),
  ]),
  ...noticedBy('contract/dry-run.test.ts', [
    mutant('a dry run draws numbers', 'the answer of an issue', [
      ['packages/db/src/batch/dry-run.ts', 'draws: false', 'draws: true'],
    ]),
    mutant('a dry run is applied', 'counts and reversals', [
      [
        'apps/api/src/stock/transactions.ts',
        'return isDryRun ? tryOut(request, caller, wait) : transact(request, caller);',
        'return transact(request, caller);',
      ],
    ]),
    mutant('a dry run keeps its key', 'counts and reversals', [
      [
        'apps/api/src/stock/transactions.ts',
        'if (key !== undefined) {\n      const queued = sender.queued(request, { clientId: client.clientId, arrivedAt, key });',
        `if (key !== undefined) {
      const queued = sender.queued(request, { clientId: client.clientId, arrivedAt, key });
      await sender.settleAll([queued], 1000);`,
      ],
    ]),
  ]),
  ...noticedBy('deploy/kubernetes.test.ts', [
    mutant('kubernetes: commits go on without a standby', 'an answered transaction is on two machines', [
      ['deploy/kubernetes/postgres/cluster.yaml', 'dataDurability: required', 'dataDurability: preferred'],
    ]),
  ]),
  ...noticedBy('operating/background-audit.test.ts', [
    mutant(
      'background audit: levels and lots of two moments',
      'finds nothing while stock changes all the time',
      [
        [
          compareStock,
          'const [row] = await send<Compared>(sql)`\n    with slice as materialized (\n      select 0',
          'const before = JSON.stringify(await sql`select * from stock_level`);\n' +
            '  const [row] = await send<Compared>(sql)`\n    with slice as materialized (\n      select 0',
        ],
        [
          compareStock,
          'from stock_level\n      where (part_no, wid) >',
          'from json_populate_recordset(null::stock_level, ${before}::text::json) as stock_level\n' +
            '      where (part_no, wid) >',
        ],
      ],
    ),
  ]),
  ...noticedBy('concurrency/asynchronous-standby.test.ts', [
    mutant('a read-only server is believed', 'never the old one', [
      ['packages/libraries/postgres/src/pool.ts', 'return ofSeveralHosts.has(sql) &&', 'return false &&'],
    ]),
    mutant('a former primary is accepted again', 'the promoted server alone', [
      [primary, 'if (standing.timeline < timeline) {', 'if (false) {'],
    ]),
    mutant('a position on another timeline counts', 'the promoted server alone', [
      [
        replica,
        `= lpad(upper(to_hex(\${timeline}::integer)), 8, '0')`,
        `is not null or \${timeline}::integer = 0`,
      ],
    ]),
    mutant("a replica's position is not checked", 'while the replica stands still', [
      [replica, 'if (await hasReached(own, position)) break;', 'break;'],
    ]),
    mutant("the primary's position is read once", 'while the replica stands still', [
      [
        listsReplica,
        'const position = await askPosition(null);',
        'const position = await (once ??= askPosition(null));',
      ],
      [
        listsReplica,
        'let restUntil = 0;',
        'let restUntil = 0;\n  let once: Promise<Position> | null = null;',
      ],
    ]),
  ]),
  ...noticedBy('client/retries.test.ts', [
    mutant('client: a lost answer is forgotten', 'an answer that was lost, and then 503 to the end', [
      ['packages/client/src/http/persist.ts', "isUnsure = failure.outcome === 'unknown';", ''],
    ]),
    mutant('client: a write without its key', 'the answer is lost', [
      [
        'packages/client/src/http/call-form.ts',
        'if (takesKey && !headers.has(keyHeader)) headers.set(keyHeader, newKey());',
        '',
      ],
    ]),
    mutant('client: 403 settles an earlier send', 'a refusal before the key is looked up', [
      ['packages/client/src/http/outcome.ts', '[400, 409].includes', '[400, 403, 409].includes'],
    ]),
    mutant('client: each call asks for a token', 'is fetched once for all calls', [
      ['packages/client/src/http/token.ts', 'asking ??= askOnce()', 'asking = askOnce()'],
    ]),
  ]),
  ...noticedBy('client/offline-queue.test.ts', [
    mutant('client: an operation leaves the queue at any answer', 'an operation stays until its answer', [
      [
        'packages/client/src/queue/send-oldest.ts',
        "return result?.status === 'applied' || result?.status === 'refused';",
        'return result !== undefined;',
      ],
    ]),
    mutant('client: half a line stays in the file', 'a file that ends at any byte', [
      ['packages/client/src/queue/whole-file.ts', 'await file.truncate(length);', ''],
    ]),
  ]),
  ...noticedBy('client/changes.test.ts', [
    mutant('client: a mirror keeps old names', 'a mirror is equal to the lists', [
      ['packages/client/src/changes/mirror.ts', 'if (isRenamed) {', 'if (isRenamed && false) {'],
    ]),
    mutant('client: a webhook of any age', 'a webhook is taken for real', [
      ['packages/client/src/webhook.ts', 'const toleranceMs = 300_000;', 'const toleranceMs = 3e12;'],
    ]),
  ]),
  ...noticedBy('client/calls.test.ts', [
    mutant('client: an exact client turns every number into a text', 'an exact client gives and takes', [
      [quantities, 'number !== undefined && decimals.has(name.slice(1, -1))', 'number !== undefined'],
    ]),
    mutant('client: results are counted by list', 'a batch of any length goes in lists', [
      ['packages/client/src/batch.ts', 'index: from + place', 'index: place'],
    ]),
  ]),
  ...noticedBy('concurrency/webhooks-workers.test.ts', [
    mutant('the lease of a webhook keeps nobody out', 'killed in the middle of a message', [
      [
        serveWebhooks,
        'const isUnleased = piece`(leased_until is null or',
        'const isUnleased = piece`(true or',
      ],
    ]),
  ]),
  ...noticedBy('concurrency/webhooks-workers.test.ts', [
    mutant('a client may occupy all places of a worker', 'has eight messages under way', [
      ['apps/worker/src/webhooks/webhooks.ts', 'const ofClientMax = 8;', 'const ofClientMax = 800;'],
    ]),
  ]),
  ...noticedBy('contract/webhooks.test.ts', [
    mutant('a message is made anew for each attempt', 'the same bytes under the same id', [
      [deliverWebhook, 'judged.lost || judged.isNewScope ? null', 'judged !== null ? null'],
    ]),
    mutant('a message of another scope is sent', 'would tell too much', [
      [deliverWebhook, 'judged.lost || judged.isNewScope ? null', 'judged.lost ? null'],
    ]),
    mutant('the end of a message counts without its lease', 'names another place meanwhile', [
      [serveWebhooks, 'if (!found.held) return false;', ''],
    ]),
    mutant('the webhooks of a client without the permission go on', 'pauses its webhooks', [
      [serveWebhooks, ' || !client.permissions.has(Permission.ItemMasterList)', ''],
      ['apps/worker/src/webhooks/look-out.ts', " || state === 'paused') return false;", ') return false;'],
    ]),
    mutant('Retry-After is not honoured', 'answered with', [
      [attempt, 'pauseAfter(attempt, sent.retryAfterMs)', 'pauseAfter(attempt, null)'],
    ]),
  ]),
  ...noticedBy('security/webhook-addresses.test.ts', [
    mutant('only the first address of a receiver is checked', 'among its addresses', [
      ['packages/libraries/webhooks/src/resolve.ts', 'of addresses) {', 'of addresses.slice(0, 1)) {'],
    ]),
    mutant('the name of a receiver is looked up again for the connection', 'looked up once', [
      [
        'packages/libraries/webhooks/src/bounded-connection.ts',
        'if (all) done(null, addresses);',
        "if (all) import('node:dns').then(({ lookup }) => lookup(host, { all }, done));",
      ],
    ]),
  ]),
  ...noticedBy('console/console.test.ts', [
    mutant('console: the secret is always kept', 'the device no secret unless asked to', [
      ['apps/console/page/session/session.js', "if (isKept) await keep('signIn'", "await keep('signIn'"],
    ]),
    mutant('console: a right to receive suffices to count', 'a client sees only what it may do', [
      [
        'packages/domain/src/kinds/count.ts',
        'permission: [Permission.PositiveAdjustment, Permission.NegativeAdjustment],\n  undo',
        'permission: Permission.PositiveAdjustment,\n  undo',
      ],
    ]),
    mutant('console: work that was refused later is forgotten', 'a refused one waits for a person', [
      [
        'apps/console/page/session/session.js',
        '({ operation }) => !askers.has(operation.key)',
        '({ operation }) => askers.has(operation.key)',
      ],
    ]),
    mutant('console: a tab hears nothing of the others', 'two tabs of a client', [
      ['packages/client/src/queue/indexed-db-storage.ts', 'others?.postMessage(told);', ''],
    ]),
    mutant('console: a tab leaves the work of one that ended', 'two tabs of a client', [
      [offlineQueue, "page.addEventListener?.('online', start, { signal });", ''],
    ]),
  ]),
];
