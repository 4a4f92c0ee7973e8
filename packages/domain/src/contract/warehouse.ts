import { z } from 'zod';

/** A warehouse as its client, the feed and webhooks show it. */
export const Warehouse = z.object({
  wID: z.int().describe('Warehouse ID'),
  name: z.string().describe('Warehouse name'),
});
export type Warehouse = z.infer<typeof Warehouse>;
