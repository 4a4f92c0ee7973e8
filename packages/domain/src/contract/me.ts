import { z } from 'zod';

/** The answer to a client that asks about itself. */
export const Me = z
  .object({
    clientId: z.string().describe('The client that the token speaks for'),
    readOnly: z.boolean().describe('true: every write is refused'),
    permissions: z
      .array(z.object({ securityID: z.int(), name: z.string() }))
      .describe('Permissions, by securityID'),
    warehouses: z
      .array(z.object({ wID: z.int().describe('Warehouse ID'), name: z.string().describe('Warehouse name') }))
      .describe('The scope, by wID'),
    limits: z.object({
      requestsPerMinute: z.int().describe('Requests in a window of 60 s'),
      operationsPerMinute: z.int().describe('Operations of batches in a window of 60 s'),
      operationsPerBatch: z.int().describe('Operations of one batch'),
      pageSize: z.int().describe('Records of one page'),
    }),
    tokenExpires: z.iso.datetime().describe('When the token that was sent ends'),
    serverTime: z.iso.datetime().describe('The clock of the service'),
  })
  .meta({ id: 'Me' });
export type Me = z.infer<typeof Me>;
