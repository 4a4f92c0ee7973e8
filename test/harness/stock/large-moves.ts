import { expect } from 'vitest';
import type { ApiClient } from '../service/api-client.ts';
import { uniqueName } from '../service/service.ts';
import { type Operation, outcomesOf, receiveOf } from './operations.ts';

export const lotsOfLargeMove = 300;

/**
 * Moves all lots of an item this many times, each under its own key, and returns the applied operations: the
 * answer to each has some 200,000 characters.
 */
export async function applyLargeMoves(
  client: ApiClient,
  itemID: string,
  count: number,
): Promise<Operation[]> {
  const receipts = Array(lotsOfLargeMove).fill(receiveOf(itemID, 1));
  const received = await client.post('/Inventory/Batch', { mode: 'atomic', operations: receipts });
  expect(received.status, received.text.slice(0, 300)).toBe(200);
  const operations = Array.from({ length: count }, (_, index) => ({
    ...{ op: 'move', key: uniqueName('large'), itemID, units: lotsOfLargeMove, wid: 1 },
    // JSON writes each as six characters.
    toSpot: (index % 2 === 0 ? '\u0001' : '\u0002').repeat(100),
  }));
  // A list with such large answers begins in parts.
  const send = () => client.post('/Inventory/Batch', { mode: 'each', operations });
  await expect
    .poll(async () => outcomesOf((await send()).body), { interval: 500 })
    .toEqual(Array(count).fill('applied 200'));
  return operations;
}
