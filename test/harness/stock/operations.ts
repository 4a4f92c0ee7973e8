import type { Service } from '../service/service.ts';

/** An operation of a batch. */
export type Operation = { op: string } & Record<string, unknown>;

/** A receipt in warehouse 1, as an operation. */
export function receiveOf(itemID: string, units: number, fields: object = {}): Operation {
  return { op: 'receive', itemID, units, wid: 1, reasonCode: 1, ...fields };
}

/** An issue from warehouse 1, as an operation. */
export function issueOf(itemID: string, units: number, fields: object = {}): Operation {
  return { op: 'issue', itemID, units, wid: 1, reasonCode: 2, ...fields };
}

/** The outcome of each operation of a batch: `applied 201`. */
export function outcomesOf(body: { results: { status: string; statusCode: number }[] }): string[] {
  return body.results.map(({ status, statusCode }) => `${status} ${statusCode}`);
}

/** The units of an item in stock, over all warehouses. */
export async function inStock(service: Service, itemID: string): Promise<number> {
  const [level] = await service.sql<{ units: number }[]>`
    select coalesce(sum(in_stock), 0)::float8 as units
    from stock_level
    join item using (part_no)
    where short_id = ${itemID}`;
  return level!.units;
}
