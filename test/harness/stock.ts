import { expect } from 'vitest';
import { errorObject } from './answers.ts';
import type { ApiClient } from './api-client.ts';

/** Receives stock in warehouse 1 unless told otherwise; returns the answer's body. */
export async function receive(
  client: ApiClient,
  itemID: string,
  units: number,
  fields: object = {},
): Promise<{ recNo: number; lot: { partNo: number; received: string } }> {
  const answer = await client.post('/Inventory/Receive', { itemID, units, wid: 1, reasonCode: 0, ...fields });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

/** The same, when only the number of the lot matters. */
export async function receiveLot(
  client: ApiClient,
  itemID: string,
  units: number,
  fields: object = {},
): Promise<number> {
  return (await receive(client, itemID, units, fields)).recNo;
}

/** The refusal of more units than there are; `untaken`: its words about lots that match and are not taken. */
export function notEnough(asked: number, available: number, untaken = '') {
  const message = `Not enough stock: ${asked} asked, ${available} available.`;
  return errorObject(409, 'conflict', message + (untaken === '' ? '' : ` Not taken: ${untaken}.`));
}
