import { holdLot } from '@inventory/db/operator/holds';
import { expect, test } from 'vitest';
import type { ApiAnswer, ApiClient } from '../service/api-client.ts';
import { type Service, useService } from '../service/service.ts';
import { inStock } from '../stock/operations.ts';

export type StockCall = 'Receive' | 'Move' | 'Issue' | 'Count' | 'Reverse' | 'Hold';

// biome-ignore lint/suspicious/noExplicitAny: a test compares a record with what it expects.
type Shown = any;

/** The stock of one item, as one client sees and changes it. */
export type ItemStock = {
  client: ApiClient;
  itemID: string;
  /** Sends a transaction of this item, in warehouse 1 unless told otherwise. */
  call(name: StockCall, fields?: object, headers?: Record<string, string>): Promise<ApiAnswer>;
  /** The same, when it must be applied; returns the answer's body. */
  done(name: StockCall, fields?: object): Promise<ApiAnswer['body']>;
  /** Receives units; returns the number of their lot. */
  addLot(units: number, fields?: object): Promise<number>;
  hold(recNo: number): Promise<unknown>;
  /** Every lot of the item by its number, or those that match a query such as `&inStock=true`. */
  lots(query?: string): Promise<Shown[]>;
  /** The units in stock, over all warehouses. */
  units(): Promise<number>;
};

export function stockOf(service: Service, client: ApiClient, itemID: string): ItemStock {
  const stock: ItemStock = {
    ...{ client, itemID },
    call: (name, fields = {}, headers) =>
      client.post(
        `/Inventory/${name}`,
        name === 'Reverse' || name === 'Hold' ? fields : { itemID, wid: 1, reasonCode: 0, ...fields },
        headers,
      ),
    async done(name, fields) {
      const answer = await stock.call(name, fields);
      expect(answer.status, answer.text).toBeLessThan(300);
      return answer.body;
    },
    addLot: async (units, fields = {}) => (await stock.done('Receive', { units, ...fields })).recNo,
    hold: (recNo) => holdLot(service.sql, { recNo, reason: 'inspection' }),
    async lots(query = '') {
      const { body } = await client.get(`/Inventory?itemID=${itemID}&sort=recNo&pageSize=250${query}`);
      return body.value;
    },
    units: () => inStock(service, itemID),
  };
  return stock;
}

/**
 * The whole service for one test file, and `test` with what most tests of the contract begin with: a client
 * that may do everything in warehouses 1 and 2, a new item, and its stock. Each is made for the test that
 * names it.
 */
export function useStock(options: Parameters<typeof useService>[0] = {}) {
  const service = useService(options);
  return {
    service,
    test: test
      .extend('client', () => service.client())
      .extend('itemID', () => service.item())
      .extend('stock', ({ client, itemID }) => stockOf(service, client, itemID)),
  };
}
