import { randomUUID } from 'node:crypto';
import { type AtomicRefusal, decideAtomic } from '@inventory/domain/atomic';
import { jsonText } from '@inventory/domain/json-text';
import { decide, itemIdOf, pickOf, type SingleRequest } from '@inventory/domain/kinds/kinds';
import { tooManyLotsForBatch } from '@inventory/domain/refusals/conflict';
import type { Refusal } from '@inventory/domain/refusals/refused';
import type { Queued } from '@inventory/domain/request';
import { lotsPerTransactionMax } from '@inventory/domain/stock/allocate';
import { type Batch, gateKey } from '@inventory/domain/stock/batch';
import type { LotFilter } from '@inventory/domain/stock/lot-filter';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import { raw, send } from '@inventory/postgres/piece';
import type { Sql, Tx } from '@inventory/postgres/pool';
import { createPacer, inSteps, type Pacer } from '@inventory/process/pacer';
import { createPartNumbers, type GateId, readLevels, readNames, underShortIds } from './gates.ts';
import { expiry, filters, found, picksTable } from './picks/pick-statements.ts';
import { atomicReading } from './picks/read-candidates.ts';
import { completeShortages } from './picks/untaken-stock.ts';
import { readBatch } from './read-batch.ts';

/** The answer of a dry run: the JSON text of the body, or the refusal. */
export type Trial = { status: 'applied'; text: string } | { status: 'refused'; refusal: Refusal };

/** The same for several operations: the text of each new body by index, or the refusal of the list. */
export type AtomicTrial =
  | { status: 'applied'; texts: (string | undefined)[] }
  | { status: 'refused'; refusal: AtomicRefusal };

/**
 * Decides a transaction with the same code as a real one, on the data of one moment. It writes nothing: the
 * database transaction is read-only, takes no lock and draws no number.
 */
export function tryOut(sql: Sql, sent: SingleRequest, clientId: string): Promise<Trial> {
  return sql.begin('isolation level repeatable read read only', async (tx) => {
    const { batch, requests, partNo, now } = await readUnlocked(tx, [sent], clientId, createPacer());
    const request = requests[0]!;
    const decision = decide(batch, request);
    await completeShortages(tx, batch);
    if (decision.status === 'undecided') return { status: 'refused' as const, refusal: tooMany };
    if (decision.status === 'refused') return decision;
    const answer = decision.answer(null);
    const pick = partNo === undefined ? null : pickOf(partNo, request);
    // A count takes all lots.
    const isPart = pick !== null && pick.units !== null;
    const skipped = isPart ? { skipped: await readSkipped(tx, pick.lots, now) } : {};
    return { status: 'applied' as const, text: jsonText({ ...answer, ...skipped }) };
  }) as Promise<Trial>;
}

/**
 * Like {@link tryOut}, for the operations of an atomic batch. `decided`: outcomes that are stored under their
 * keys, by index. Yields the event loop, however much is read.
 */
export function tryOutTogether(
  sql: Sql,
  sent: readonly SingleRequest[],
  clientId: string,
  decided: ReadonlyMap<number, StoredOutcome>,
): Promise<AtomicTrial> {
  return sql.begin('isolation level repeatable read read only', async (tx) => {
    const pace = createPacer();
    const { batch, requests } = await readUnlocked(tx, sent, clientId, pace);
    const operations = requests.map((request) => ({ ...request, requestId: randomUUID(), ownKey: null }));
    const outcomes = new Map([...decided].map(([index, outcome]) => [operations[index]!.requestId, outcome]));
    const decision = await inSteps(decideAtomic(batch, operations, outcomes), pace);
    await completeShortages(tx, batch);
    if (decision.status === 'applied') {
      const texts: (string | undefined)[] = [];
      for (const each of decision.operations) {
        await pace();
        texts.push('decision' in each ? jsonText(each.decision.answer(null)) : undefined);
      }
      return { status: 'applied' as const, texts };
    }
    if (decision.status !== 'refused') throw new Error('no outcome that was found is open');
    return decision;
  }) as Promise<AtomicTrial>;
}

// A dry run may read as much as a batch.
const tooMany = tooManyLotsForBatch(lotsPerTransactionMax);

async function readUnlocked(
  tx: Tx,
  sent: readonly SingleRequest[],
  clientId: string,
  pace: Pacer,
): Promise<{ batch: Batch; requests: SingleRequest[]; partNo: number | undefined; now: Date }> {
  const parts = createPartNumbers();
  await readNames(tx, new Set(sent.map(itemIdOf)), parts);
  const requests = underShortIds(sent, parts);
  const queued = requests.map(
    (request): Queued<SingleRequest> => ({
      ...request,
      requestId: randomUUID(),
      clientId,
      deadline: Number.POSITIVE_INFINITY,
    }),
  );
  const readAll = (gateIds: readonly GateId[]) => readAllLevels(tx, gateIds);
  const options = { draws: false, reading: atomicReading(pace) };
  const { batch, facts } = await readBatch(tx, queued, parts, readAll, options);
  return { batch, requests, partNo: parts.byShortId.get(itemIdOf(requests[0]!)), now: facts.now };
}

/** A gate that does not exist yet is empty. */
async function readAllLevels(tx: Tx, gateIds: readonly GateId[]): Promise<Batch['levels']> {
  const levels = await readLevels(tx, gateIds);
  for (const { partNo, wid } of gateIds) {
    const stored = { inStock: 0n, onHold: 0n, used: false };
    const key = gateKey(partNo, wid);
    if (!levels.has(key)) levels.set(key, { partNo, wid, ...stored, stored });
  }
  return levels;
}

const skippedMax = 50;
// The number of available lots and of lots on hold that are examined.
const lookedAtMax = 1000;

/**
 * The lots in stock of a pick's item and warehouse that the pick skips, and why. None if the pick names a lot
 * by its recNo.
 */
async function readSkipped(tx: Tx, pick: LotFilter, now: Date): Promise<{ recNo: number; reason: string }[]> {
  if (pick.recNo !== undefined) return [];
  const rows = await send<{ rec_no: number; reason: string }>(tx)`
    select rec_no, reason
    from (
      select lot.rec_no,
        case
          -- Also true if a lot lacks a value that the pick asks for.
          when (${raw(filters)}) is not true then 'filter'
          when lot.hold then 'onHold'
          when picks.expired_too = 0 and coalesce(lot.expires, 'infinity') < picks.now then 'expired'
        end as reason
      from ${picksTable([pick], now)}
      cross join lateral (
        (
          select *
          from lot
          where lot.part_no = picks.part_no and lot.wid = picks.wid and lot.active and not lot.hold
            and ${raw(found.any)}
          order by ${raw(expiry)}, lot.received, lot.rec_no
          limit ${lookedAtMax}
        )
        union all
        (
          select *
          from lot
          where lot.part_no = picks.part_no and lot.wid = picks.wid and lot.active and lot.hold
            and ${raw(found.any)}
          order by ${raw(expiry)}, lot.received, lot.rec_no
          limit ${lookedAtMax}
        )
      ) as lot
    ) as looked
    where reason is not null
    limit ${skippedMax}`;
  return rows.map(({ rec_no, reason }) => ({ recNo: rec_no, reason }));
}
