import { expect } from 'vitest';
import { conflictObject } from '../contract/answers.ts';
import type { ApiClient } from '../service/api-client.ts';

/** Receives stock, in warehouse 1 unless told otherwise; returns the answer's body. */
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

/** The refusal of more units than there are; `untaken`: its words about matching lots that are not taken. */
export function notEnough(asked: number, available: number, untaken = '') {
  const message = `Not enough stock: ${asked} asked, ${available} available.`;
  const of = (what: string) => Number(new RegExp(`([\\d.]+) ${what}`).exec(untaken)?.[1] ?? 0);
  const [onHold, expired] = [of('on hold'), of('expired')];
  const reason =
    available + onHold >= asked ? 'onHold' : available + expired >= asked ? 'expired' : 'insufficientStock';
  const not = untaken.startsWith('at least')
    ? { onHoldAtLeast: onHold, expiredAtLeast: expired }
    : { onHold, expired };
  return conflictObject(
    reason,
    { asked, available, ...not },
    message + (untaken === '' ? '' : ` Not taken: ${untaken}.`),
  );
}
