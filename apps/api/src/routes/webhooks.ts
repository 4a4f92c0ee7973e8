import { listWebhooks, type Webhook as Stored } from '@inventory/db/webhooks/list-webhooks';
import { type Webhook, WebhookList } from '@inventory/domain/contract/webhook';
import { formatDateTime } from '@inventory/domain/date-time';
import { Permission } from '@inventory/domain/permission';
import type { StatementPool } from '@inventory/postgres/statement-pool';
import { answerBytes } from '../http/answer-bytes.ts';
import { noWarehouses, route } from '../http/route.ts';
import { webhooks } from '../openapi/descriptions/webhooks.ts';

/** The client's own webhooks: `GET /Webhooks`. There are at most fifty, so they are one answer. */
export function webhookRoutes({ reads }: { reads: StatementPool }) {
  return [
    route({
      method: 'GET',
      path: '/Webhooks',
      isExtension: true,
      summary: 'Your webhooks, and how they are',
      permission: Permission.ItemMasterList,
      writes: false,
      warehouses: noWarehouses,
      answer: { 200: WebhookList },
      answerBytes: answerBytes.webhooks,
      keyed: false,
      paged: 'never',
      notFound: null,
      description: webhooks,
      handle: async ({ client, wait }) => {
        const found = await reads.run((sql) => listWebhooks(sql, { clientId: client.clientId }), wait);
        const list: WebhookList = { value: found.map(toRecord) };
        return { status: 200, text: JSON.stringify(list) };
      },
    }),
  ];
}

function toRecord(stored: Stored): Webhook {
  const { webhookId, url, kinds, state, why, lastOutcome } = stored;
  const at = (moment: Date | null) => (moment === null ? null : formatDateTime(moment.getTime()));
  return {
    ...{ webhookID: webhookId, url, kinds, state, reason: why },
    ...{ since: at(stored.since), created: formatDateTime(stored.created.getTime()) },
    ...{ lastAttempt: at(stored.lastAttempt), lastOutcome, nextAttempt: at(stored.nextAttempt) },
  };
}
