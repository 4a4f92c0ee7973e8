import type { SingleRequest } from '@inventory/domain/kinds/kinds';
import type { Queued, QueuedRequest } from '@inventory/domain/request';
import type { Batch } from '@inventory/domain/stock/batch';
import type { Tx } from '@inventory/postgres/pool';
import { type GateId, gateIdsOf, type PartNumbers } from './gates.ts';
import { pickCandidates, type Reading } from './picks/read-candidates.ts';
import { type Facts, readFacts } from './read-facts.ts';

/**
 * `requests`: those whose facts are read, if an atomic batch is one besides its operations. `draws`: whether
 * numbers are drawn; they are if nothing else is said.
 */
export type ReadOptions = { requests?: readonly QueuedRequest[]; draws?: boolean; reading?: Reading };

/** Reads everything against which these operations are decided. `readLevels` may lock the gates. */
export async function readBatch(
  tx: Tx,
  operations: readonly Queued<SingleRequest>[],
  parts: PartNumbers,
  readLevels: (gateIds: readonly GateId[]) => Promise<Batch['levels']>,
  { requests = operations, draws = true, reading }: ReadOptions = {},
): Promise<{ batch: Batch; facts: Facts }> {
  const gateIds = gateIdsOf(operations, parts);
  // Sent at once and answered in order on one connection. The later statements see everything that was
  // committed before the gates were locked.
  const levelsRead = readLevels(gateIds);
  const factsRead = readFacts(tx, requests, gateIds, { draws });
  const lotsRead = pickCandidates(tx, operations, parts, factsRead, reading);
  const [levels, facts, lots] = await Promise.all([levelsRead, factsRead, lotsRead]).catch(async (error) => {
    // If the locks are not won, the later statements fail as well. The locks' error is the reason, so it is
    // the one that is thrown.
    await levelsRead;
    throw error;
  });
  const { now, items, warehouses, reasons } = facts;
  const undecided = { looks: 0, newLots: [], touched: new Set<string>(), shortages: [] };
  return { batch: { now: now.getTime(), items, warehouses, reasons, levels, ...lots, ...undecided }, facts };
}
