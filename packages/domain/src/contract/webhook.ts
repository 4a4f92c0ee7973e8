import { z } from 'zod';

/** The kinds of changes that a webhook may be limited to. It is always told of a new scope. */
export const changeKinds = ['stock', 'hold', 'item', 'level', 'low', 'warehouse'] as const;

const when = (meaning: string) => z.iso.datetime().nullable().describe(meaning);

/** A webhook as its client sees it, without its secrets. */
export const Webhook = z
  .object({
    webhookID: z.int().describe('Webhook number'),
    url: z.string().describe('The address to which messages are sent'),
    kinds: z.array(z.string()).nullable().describe('The types of changes that are sent; null: all'),
    state: z
      .enum(['active', 'failing', 'paused', 'disabled'])
      .describe('`failing`: tried again. `paused`: the client may not read changes. `disabled`: for good'),
    reason: z.string().nullable().describe('The reason why it is paused or disabled'),
    since: when('Since when it has failed, or is disabled'),
    created: z.iso.datetime().describe('When it was added'),
    lastAttempt: when('When a message was last sent'),
    lastOutcome: z
      .string()
      .nullable()
      .describe('The status of the last answer, or a word for what went wrong before one came'),
    nextAttempt: when('When the message that has failed is sent again'),
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof Webhook>;

/** The answer of `GET /Webhooks`. */
export const WebhookList = z
  .object({ value: z.array(Webhook).describe('The webhooks of the client, by number') })
  .meta({ id: 'WebhookList' });
export type WebhookList = z.infer<typeof WebhookList>;
