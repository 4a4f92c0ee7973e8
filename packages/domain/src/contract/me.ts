import { z } from 'zod';
import { Warehouse } from './warehouse.ts';

/** The answer to a client that asks about itself. */
export const Me = z
  .object({
    clientId: z.string().describe('The client of the token'),
    readOnly: z.boolean().describe('true: every write is refused'),
    permissions: z
      .array(z.object({ securityID: z.int(), name: z.string() }))
      .describe('Permissions, by securityID'),
    operations: z
      .array(z.string())
      .describe(
        'The calls that it may make, by operationId; that of a stock transaction is also its `op` in a batch',
      ),
    warehouses: z.array(Warehouse).describe('The scope, by wID'),
    limits: z.object({
      requestsPerMinute: z.int().describe('Requests in a window of 60 s'),
      operationsPerMinute: z.int().describe('Batch operations in a window of 60 s'),
      operationsPerBatch: z.int().describe('Operations in one batch'),
      pageSize: z.int().describe('Records on one page'),
    }),
    tokenExpires: z.iso.datetime().describe('When this token ends'),
    serverTime: z.iso.datetime().describe('The clock of the service'),
    cursor: z.string().describe('The position of the change feed now, for `after` of `GET /Changes`'),
  })
  .meta({ id: 'Me' });
export type Me = z.infer<typeof Me>;
