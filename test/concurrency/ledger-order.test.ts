import { expect, test } from 'vitest';
import { createRandom, pickOne } from '../faults/random.ts';
import { inChunks } from '../harness/contract/answers.ts';
import { type ApiAnswer, createApiClient } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';

const service = useService({ apis: 2, workers: 2 });

type Lot = {
  recNo: number;
  itemID: string;
  wid: number;
  spot: string;
  units: number;
  expires: string;
  received: string;
};
type Transaction = {
  kind: 'receive' | 'move' | 'issue';
  status: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test compares a body with what it expects.
  body: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  result: any;
};

const never = '9999';
const today = '2026';

/**
 * The rules of the contract, applied to one transaction after the other: the answer each must have had, given
 * the lots that the ones before it left. Only the numbers of new lots come from the answers. Units are
 * halves, which doubles add up exactly.
 */
function replay(lots: Lot[], { kind, body, result }: Transaction): unknown {
  if (kind === 'receive') {
    const { spot = '', expires = never } = body;
    lots.push({ ...body, spot, expires, recNo: result.recNo, received: result.lot.received });
    return { ...result, status: 'received', lot: { ...result.lot, spot, units: body.units, wID: body.wid } };
  }
  const toWid = body.shipToWid ?? body.wid;
  const fromSpot = kind === 'issue' ? body.spot : body.fromSpot;
  const candidates = lots
    .filter((lot) => lot.itemID === body.itemID && lot.wid === body.wid && lot.units > 0)
    .filter((lot) => fromSpot === undefined || lot.spot === fromSpot)
    .filter((lot) => (kind === 'issue' ? lot.expires > today : toWid !== lot.wid || lot.spot !== body.toSpot))
    .sort(
      (a, b) =>
        Number(a.expires <= today) - Number(b.expires <= today) ||
        compare(a.expires, b.expires) ||
        compare(a.received, b.received) ||
        a.recNo - b.recNo,
    );
  const available = candidates.reduce((sum, lot) => sum + lot.units, 0);
  if (available < body.units) {
    const expired = lots
      .filter((lot) => lot.itemID === body.itemID && lot.wid === body.wid && lot.expires <= today)
      .filter((lot) => kind === 'issue' && (fromSpot === undefined || lot.spot === fromSpot))
      .reduce((sum, lot) => sum + lot.units, 0);
    const message = `Not enough stock: ${body.units} asked, ${available} available.`;
    const there = lots
      .filter((lot) => lot.itemID === body.itemID && lot.wid === body.wid && kind === 'move')
      .filter((lot) => toWid === lot.wid && lot.spot === body.toSpot)
      .filter((lot) => fromSpot === undefined || lot.spot === fromSpot)
      .reduce((sum, lot) => sum + lot.units, 0);
    if (available === 0 && there > 0) {
      const figures = { asked: `${body.units}`, available: '0', atDestination: `${there}` };
      const text = `Nothing to move: ${there} lie at the destination already, and no other stock matches.`;
      return { code: 'conflict', message: text, reason: 'nothingToMove', figures };
    }
    return {
      code: 'conflict',
      message: message + (expired > 0 ? ` Not taken: ${expired} expired.` : ''),
      reason: available + expired >= body.units ? 'expired' : 'insufficientStock',
      figures: {
        ...{ asked: `${body.units}`, available: `${available}` },
        ...{ onHold: '0', expired: `${expired}` },
      },
    };
  }
  let missing = body.units;
  const parts = [];
  for (const lot of candidates) {
    if (missing === 0) break;
    const units = Math.min(lot.units, missing);
    missing -= units;
    if (kind === 'issue') {
      lot.units -= units;
      parts.push({ recNo: lot.recNo, units, remaining: lot.units });
    } else {
      parts.push({
        ...moveLot(lots, lot, units, toWid, body.toSpot ?? '', result.lots?.[parts.length]?.recNo),
      });
    }
  }
  return { ...result, recNo: parts[0]!.recNo, units: body.units, lots: parts };
}

function moveLot(lots: Lot[], lot: Lot, units: number, wID: number, spot: string, newRecNo: number) {
  if (units === lot.units && wID === lot.wid) {
    lot.spot = spot;
    return { recNo: lot.recNo, fromRecNo: lot.recNo, units, remaining: units, wID, spot };
  }
  lot.units -= units;
  lots.push({ ...lot, recNo: newRecNo, units, wid: wID, spot });
  return { recNo: newRecNo, fromRecNo: lot.recNo, units, remaining: lot.units, wID, spot };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Sends again a request that a slow machine was too busy for, but not one that may have been applied. */
async function taken(send: () => Promise<ApiAnswer>): Promise<void> {
  for (;;) {
    const { status, body } = await send();
    if (status !== 503 || !body.message.includes('nothing was applied')) return;
  }
}

test('lots are taken in the order of allocation, whatever runs beside: replaying the ledger gives the same answers', async () => {
  const client = await service.client();
  const processes = service.baseUrls.map((baseUrl) =>
    createApiClient(baseUrl, client.clientId, client.token),
  );
  const itemIDs = [await service.item(), await service.item(), await service.item()];
  const random = createRandom(6);
  const spots = ['', 'A', 'B'];
  const maybe = <T>(value: T) => (random() < 0.3 ? value : undefined);
  await inChunks(1200, 100, async (index) => {
    const itemID = pickOne(random, itemIDs);
    const wid = pickOne(random, [1, 2]);
    const units = (1 + Math.floor(random() * 16)) / 2;
    const caller = processes[index % 2]!;
    const kind = pickOne(random, ['receive', 'receive', 'move', 'issue'] as const);
    if (kind === 'receive') {
      const expires = pickOne(random, [undefined, '2001-01-01', '2090-01-01', '2091-01-01']);
      const spot = pickOne(random, spots);
      const body = { itemID, units, wid, reasonCode: 0, spot, expires };
      await taken(() => caller.post('/Inventory/Receive', body));
    } else if (kind === 'issue') {
      const spot = maybe(pickOne(random, spots));
      const body = { itemID, units: units * 2, wid, reasonCode: 0, spot };
      await taken(() => caller.post('/Inventory/Issue', body));
    } else {
      const away = random() < 0.5;
      const to = away ? { shipToWid: 3 - wid, toSpot: maybe('A') } : { toSpot: pickOne(random, ['A', 'B']) };
      const body = { itemID, units, wid, fromSpot: maybe(''), ...to };
      await taken(() => caller.post('/Inventory/Move', body));
    }
  });
  const transactions = await service.sql<Transaction[]>`
    select kind, status, body, result
    from stock_transaction
    where status <> 'abandoned'
    order by transaction_no`;
  const lots: Lot[] = [];
  const differences = [];
  for (const transaction of transactions) {
    const expected = replay(lots, transaction);
    if (JSON.stringify(expected) !== JSON.stringify(transaction.result)) {
      differences.push({ ...transaction, expected });
    }
  }
  expect(differences.slice(0, 3)).toEqual([]);
  const stored = await service.sql`
    select rec_no::integer as "recNo", wid, spot, units::float8 as units
    from lot
    order by rec_no`;
  const modelled = lots.map(({ recNo, wid, spot, units }) => ({ recNo, wid, spot, units }));
  expect(modelled.sort((a, b) => a.recNo - b.recNo)).toEqual([...stored]);
  // The run covered the interesting cases: full batches, and many transactions with several lots.
  const several = transactions.filter(({ result }) => result.lots?.length > 1);
  expect(several.length).toBeGreaterThan(60);
  expect(transactions.filter(({ status }) => status === 'refused').length).toBeGreaterThan(20);
  // Except those whose outcome a slow machine could not tell.
  expect(transactions.length).toBeGreaterThan(700);
});
