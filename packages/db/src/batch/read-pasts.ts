import { type SingleRequest, undoOf } from '@inventory/domain/kinds/kinds';
import type { Queued } from '@inventory/domain/request';
import type { Tx } from '@inventory/postgres/pool';
import { type Candidates, keepLots, type Turns } from './picks/read-picks.ts';
import { readLedger } from './read-ledger.ts';

// Reversals have a limit, too. One transaction has at most 2,000 lines.
const pastLinesMax = 4000;

/** Reads the transactions to reverse, and their lots. */
export async function readPasts(
  tx: Tx,
  requests: readonly Queued<SingleRequest>[],
  found: Candidates,
  facts: Promise<{ outcomes: ReadonlyMap<string, unknown> }>,
  turns: Turns,
): Promise<void> {
  const undoings = requests.flatMap((request) =>
    request.kind === 'reverse' && undoOf(request.of.kind) !== null
      ? [{ requestId: request.requestId, transactionNo: request.body.transactionNo, lines: request.of.lines }]
      : [],
  );
  const all = new Map(undoings.map(({ transactionNo, lines }) => [transactionNo, lines]));
  const isMuch = [...all.values()].reduce((sum, lines) => sum + lines, 0) > pastLinesMax;
  // Requests that are already decided need no room.
  const { outcomes } = isMuch ? await facts : { outcomes: new Map() };
  const asked = new Map<number, number>();
  let read = 0;
  for (const { requestId, transactionNo, lines } of undoings) {
    if (outcomes.has(requestId) || asked.has(transactionNo)) continue;
    read += lines;
    // The others are left for the next batch.
    if (asked.size > 0 && read > pastLinesMax) break;
    asked.set(transactionNo, lines);
  }
  for (const part of inPartsOfLines(asked, turns.lotsMax)) {
    const { reversed, entries } = await readLedger(tx, part);
    for (const transactionNo of part) {
      found.past.set(transactionNo, { isReversed: reversed.has(transactionNo), entries: [] });
    }
    for (const { row, transactionNo, wid, spot, delta } of entries) {
      const [lot] = keepLots(found, [row]);
      found.past.get(transactionNo)!.entries.push({ lot: lot!, wid, spot, delta });
    }
  }
}

/** Splits these transactions into parts with at most this many lines, or with one transaction. */
function inPartsOfLines(asked: ReadonlyMap<number, number>, linesMax: number): number[][] {
  const parts: number[][] = [];
  let left = 0;
  for (const [transactionNo, lines] of asked) {
    if (parts.length === 0 || lines > left) {
      parts.push([]);
      left = linesMax;
    }
    parts.at(-1)!.push(transactionNo);
    left -= lines;
  }
  return parts;
}
