import type { WebhookList } from '@inventory/domain/contract/webhook';
import { one } from '@inventory/domain/examples';
import type { RouteDescription } from '../../http/route-description.ts';

const list: WebhookList = {
  value: [
    {
      webhookID: 1,
      url: 'https://erp.example/inventory',
      kinds: null,
      state: 'active',
      reason: null,
      since: null,
      created: '2026-01-12T08:00:00.000Z',
      lastAttempt: null,
      lastOutcome: null,
      nextAttempt: null,
    },
  ],
};

export const webhooks: RouteDescription = {
  id: 'getWebhooks',
  notes: `
*Extension.* The addresses to which this service sends your changes, as [Standard Webhooks](https://www.standardwebhooks.com) 1.0.0. The operator adds
them and gives you a secret for each, which is shown nowhere here.

A message is a \`POST\` with \`{"type": "inventory.changes", "timestamp": …, "data": {"value": [change], "nextCursor": …}}\`: up to 100 changes and 256 KB in the
order and the form of \`GET /Changes\`, with the cursor behind them; a stock change that alone is larger has its first lines and \`moreLines: true\`. Verify \`webhook-signature\`, and answer 2xx within 15 s; do the work afterwards. The next message comes only then. Any other answer, a
redirect too, is a failure: the same message comes again, with the same \`webhook-id\`, after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, and not before a
\`Retry-After\`. After that, or at once when you answer 410, the webhook is \`disabled\`. After a 413, the next message has half as many changes, under a new id.

\`reason\`: \`operator\`, \`gone\` (410), \`failed\` (every attempt), \`restored\` (the database was, from a backup), \`clientDisabled\`, \`permission\` (no 11).
\`lastOutcome\`: the status of the last answer, or \`timeout\`, \`unreachable\`, \`unknownHost\`, \`addressRefused\`, \`tls\`, \`brokenOff\`, \`noSecret\`; \`unfinished\` while an attempt is under way, or if its worker ended.`,
  answer: one('One that has not sent anything yet', list),
};
