import { createHash, randomInt, randomUUID } from 'node:crypto';
import { createRequestId } from '@inventory/api/http/request-id';
import { applyBatch } from '@inventory/db/batch/apply-batch';
import { createBatchPool } from '@inventory/db/batch/batch-pool';
import { createPartNumbers } from '@inventory/db/batch/gates';
import { foldArrivals } from '@inventory/db/lists/fold-arrivals';
import type { SingleRequest } from '@inventory/domain/kinds/kinds';
import type { QueuedRequest } from '@inventory/domain/request';
import { connect, type Sql } from '@inventory/postgres/pool';

const hourMs = 3_600_000;

/** Applies requests as a worker does, without HTTP and without a queue. */
export function openApplier(url: string) {
  const pool = createBatchPool(connect(url, { name: 'bench-growth', connectionsMax: 3, byKeys: true }));
  const parts = createPartNumbers();
  return {
    /** Returns the answers. Throws unless all requests are applied. */
    async apply(requests: QueuedRequest[]): Promise<string[]> {
      const outcomes = await applyBatch(pool, requests, parts);
      return requests.map(({ requestId }) => {
        const outcome = outcomes.get(requestId);
        if (outcome?.status !== 'applied') throw new Error(`not applied: ${JSON.stringify(outcome)}`);
        return outcome.result ?? '';
      });
    },
    async end() {
      await pool.end({ timeout: 5 });
      await pool.sql.end();
    },
  };
}

let counter = 0;

/** A request of `single`, with a key or device data if wanted. */
export function queued(single: SingleRequest, { key = false, evidence = false } = {}): QueuedRequest {
  counter += 1;
  const digestOf = (text: string) => createHash('sha256').update(text).digest('base64');
  const now = Date.now();
  return {
    requestId: createRequestId(),
    clientId: 'bench',
    deadline: now + hourMs,
    ...single,
    ...(key && {
      key: { digest: digestOf(`k${counter}`), fingerprint: digestOf(`f${counter}`), askedAt: now },
    }),
    ...(evidence && {
      evidence: {
        ...{ capturedAt: now, correctedAt: now },
        ...{ deviceId: `scanner-${counter % 40}`, deviceSeq: counter },
      },
    }),
  };
}

/** Bytes of each table and index of the database, by name; out-of-line values count for the table. */
async function sizesOf(sql: Sql): Promise<Map<string, number>> {
  const rows = await sql<{ name: string; bytes: number }[]>`
    select relname as name, pg_relation_size(pg_class.oid) + coalesce(pg_total_relation_size(nullif(reltoastrelid, 0)), 0) as bytes
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`;
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

/** For one kind of transaction, the bytes each table and index grew by per transaction. */
type Growth = { name: string; bytes: Map<string, number> };

/**
 * Applies `count` transactions of each kind, 64 in a batch, to a database with the items `I0`, `I1` and so
 * on, and measures how its tables and indexes grow.
 */
export async function weighTransactions(
  sql: Sql,
  url: string,
  items: number,
  count: number,
): Promise<Growth[]> {
  const applier = openApplier(url);
  const item = () => `I${randomInt(items)}`;
  const spot = () => `A-${randomInt(60)}-${randomInt(5)}`;
  const receive = () => ({ itemID: item(), units: 1000, wid: 1, reasonCode: 1, spot: spot() });
  const marks = () => ({
    serial: `S${randomUUID().slice(0, 12)}`,
    reference: `PO-${randomInt(100_000)}`,
    remark: 'Delivered at gate 4, seal intact, counted twice',
  });
  const singles: Record<string, () => SingleRequest> = {
    receive: () => ({ kind: 'receive', body: receive() }),
    'receive, with serial, reference and remark': () => ({
      kind: 'receive',
      body: { ...receive(), ...marks() },
    }),
    issue: () => ({ kind: 'issue', body: { itemID: item(), units: 1, wid: 1, reasonCode: 2 } }),
    'move of a part': () => ({ kind: 'move', body: { itemID: item(), units: 1, wid: 1, toSpot: spot() } }),
  };
  const kinds = Object.entries(singles).flatMap(([name, next]) => {
    const plain = { name, next: () => queued(next()) };
    if (name.includes('with')) return [plain];
    const withKey = { name: `${name}, with a key`, next: () => queued(next(), { key: true }) };
    const whole = { key: true, evidence: true };
    return [plain, withKey, { name: `${name}, with a key and evidence`, next: () => queued(next(), whole) }];
  });
  const run = async (next: () => QueuedRequest, wanted: number) => {
    for (let done = 0; done < wanted; done += 64) {
      await applier.apply(Array.from({ length: Math.min(64, wanted - done) }, next));
      // As the workers do. Otherwise the arrivals would count, too.
      if (done % 6400 === 0) await foldArrivals(sql, 60_000);
    }
    await foldArrivals(sql, 60_000);
    // Makes the space that updates free reusable, as in a running service.
    await sql`vacuum`;
  };
  const growths: Growth[] = [];
  // First pages, and lots for the later issues.
  await run(kinds[0]!.next, Math.max(4 * items, 6400));
  for (const { name, next } of kinds) {
    const before = await sizesOf(sql);
    await run(next, count);
    const after = await sizesOf(sql);
    const bytes = new Map<string, number>();
    for (const [relation, size] of after) {
      const grown = (size - (before.get(relation) ?? 0)) / count;
      if (grown >= 0.5) bytes.set(relation, grown);
    }
    growths.push({ name, bytes });
  }
  await applier.end();
  return growths;
}
