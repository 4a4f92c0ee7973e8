import type { Metrics } from '@inventory/process/telemetry/metrics';

/** How the webhooks of all clients are. `stopped`: disabled, but not by an operator. */
export type WebhookReadings = {
  states: Record<'active' | 'failing' | 'paused' | 'disabled' | 'stopped', number>;
  /** Since the one that fails for longest began to. */
  failingSeconds: number;
  /** Of this worker. */
  underWay: number;
};

/** Registers the metrics of webhooks. The returned function counts an attempt by its outcome. */
export function addWebhookMetrics(
  metrics: Metrics,
  readings: () => WebhookReadings,
): (outcome: string) => void {
  const attempts = metrics.counter(
    'inventory_worker_webhook_attempts_total',
    'Attempts to send a message of a webhook, by outcome.',
    ['outcome'],
  );
  metrics.gauge(
    'inventory_worker_webhooks',
    'Webhooks of all clients, by state; stopped: disabled, but not by an operator.',
    () => readings().states,
    'state',
  );
  metrics.gauge(
    'inventory_worker_webhook_failing_seconds',
    'Time since the webhook began to fail that has failed for longest, or was disabled for that.',
    () => readings().failingSeconds,
  );
  metrics.gauge(
    'inventory_worker_webhooks_under_way',
    'Webhooks that this worker is sending to.',
    () => readings().underWay,
  );
  return (outcome) => attempts.inc({ outcome: classOf(outcome) });
}

/** `arrived`, `gone`, `redirected` or `refused` if the receiver answered; otherwise the word. */
function classOf(outcome: string): string {
  if (outcome === '410') return 'gone';
  const first = /^([1-9])\d\d$/.exec(outcome)?.[1];
  if (first === undefined) return outcome;
  return first === '2' ? 'arrived' : first === '3' ? 'redirected' : 'refused';
}
