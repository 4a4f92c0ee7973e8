/** A chart of the dashboard: what it shows of which expressions. `unit`: as Grafana names it. */
type Chart = { title: string; unit: string; lines: readonly { name: string; expression: string }[] };

type Row = { title: string; charts: readonly Chart[] };

const rate = (metric: string, by: string) => `sum by (${by}) (rate(${metric}[$__rate_interval]))`;
const quantile = (part: number, metric: string, by = '') =>
  `histogram_quantile(${part}, sum by (le${by}) (rate(${metric}_bucket[$__rate_interval])))`;
const quantiles = (metric: string) => [
  { name: 'p50', expression: quantile(0.5, metric) },
  { name: 'p95', expression: quantile(0.95, metric) },
  { name: 'p99', expression: quantile(0.99, metric) },
];
const one = (name: string, expression: string) => [{ name, expression }];

const rows: readonly Row[] = [
  {
    title: 'Is all well?',
    charts: [
      {
        title: 'Alerts',
        unit: 'none',
        lines: one('{{alertname}} {{instance}}', 'ALERTS{alertstate="firing"}'),
      },
      {
        title: 'Postgres, Redis (1: up)',
        unit: 'none',
        lines: [
          {
            name: 'Postgres, {{instance}}',
            expression: 'inventory_api_postgres_up or inventory_worker_postgres_up',
          },
          { name: 'Redis, {{instance}}', expression: 'inventory_api_redis_up or inventory_worker_redis_up' },
        ],
      },
      { title: 'Workers seen', unit: 'none', lines: one('{{instance}}', 'inventory_api_workers') },
      {
        title: 'Clocks: how far Postgres is ahead',
        unit: 's',
        lines: one(
          '{{instance}}',
          'inventory_api_clock_difference_seconds or inventory_worker_clock_difference_seconds',
        ),
      },
    ],
  },
  {
    title: 'Requests',
    charts: [
      {
        title: 'Requests by route',
        unit: 'reqps',
        lines: one('{{method}} {{route}}', rate('inventory_api_requests_total', 'method, route')),
      },
      { title: 'Response time', unit: 's', lines: quantiles('inventory_api_request_duration_seconds') },
      {
        title: 'Response time by route, p95',
        unit: 's',
        lines: one('{{route}}', quantile(0.95, 'inventory_api_request_duration_seconds', ', route')),
      },
      {
        title: 'Requests by status',
        unit: 'reqps',
        lines: one('{{status}}', rate('inventory_api_requests_total', 'status')),
      },
    ],
  },
  {
    title: 'Refusals and failures',
    charts: [
      {
        title: 'Refusals',
        unit: 'reqps',
        lines: [
          { name: '{{code}}', expression: rate('inventory_api_refusals_total', 'code') },
          { name: 'rate limit', expression: 'sum(rate(inventory_api_rate_limited_total[$__rate_interval]))' },
        ],
      },
      {
        title: 'Failures by cause',
        unit: 'reqps',
        lines: one('{{cause}}', rate('inventory_api_failures_total', 'cause')),
      },
      {
        title: 'Token failures',
        unit: 'reqps',
        lines: one('{{reason}}', rate('inventory_api_token_failures_total', 'reason')),
      },
      {
        title: 'Verdicts',
        unit: 'reqps',
        lines: one('{{outcome}}', rate('inventory_api_verdicts_total', 'outcome')),
      },
    ],
  },
  {
    title: 'The queue',
    charts: [
      {
        title: 'Waiting callers',
        unit: 'none',
        lines: one('{{instance}}', 'inventory_api_waiting_requests'),
      },
      {
        title: 'Oldest wait',
        unit: 's',
        lines: one('{{instance}}', 'inventory_api_waiting_oldest_seconds'),
      },
      {
        title: 'Envelopes in Redis',
        unit: 'none',
        lines: one('all', 'max(inventory_api_queue_backlog_envelopes)'),
      },
      {
        title: 'Envelope round trip',
        unit: 's',
        lines: quantiles('inventory_api_envelope_duration_seconds'),
      },
      {
        title: 'Answers by way',
        unit: 'reqps',
        lines: one('{{by}}', rate('inventory_api_answers_total', 'by')),
      },
      {
        title: 'Envelopes not accepted by Redis',
        unit: 'reqps',
        lines: one('{{instance}}', rate('inventory_api_send_failures_total', 'instance')),
      },
    ],
  },
  {
    title: 'Workers',
    charts: [
      { title: 'Busy ratio', unit: 'percentunit', lines: one('{{instance}}', 'inventory_worker_busy_ratio') },
      {
        title: 'Outcomes',
        unit: 'reqps',
        lines: one('{{outcome}}', rate('inventory_worker_requests_total', 'outcome')),
      },
      {
        title: 'Batch steps, p95',
        unit: 's',
        lines: one('{{step}}', quantile(0.95, 'inventory_worker_batch_step_duration_seconds', ', step')),
      },
      {
        title: 'Requests in a batch',
        unit: 'none',
        lines: one(
          'mean',
          'sum(rate(inventory_worker_batch_requests_sum[$__rate_interval])) / sum(rate(inventory_worker_batch_requests_count[$__rate_interval]))',
        ),
      },
      {
        title: 'Failed batches',
        unit: 'reqps',
        lines: one('{{instance}}', rate('inventory_worker_batch_failures_total', 'instance')),
      },
      {
        title: 'Folding lag',
        unit: 's',
        lines: one('{{instance}}', 'inventory_worker_folding_lag_seconds'),
      },
    ],
  },
  {
    title: 'Processes',
    charts: [
      {
        title: 'Connections of callers',
        unit: 'none',
        lines: one('{{instance}}', 'inventory_api_connections'),
      },
      {
        title: 'Connections to Postgres',
        unit: 'none',
        lines: one(
          '{{instance}} {{state}}',
          'inventory_api_postgres_connections or inventory_worker_postgres_connections',
        ),
      },
      {
        title: 'Work waiting for Postgres',
        unit: 'none',
        lines: one('{{kind}}', 'sum by (kind) (inventory_api_postgres_waiting)'),
      },
      {
        title: 'CPU',
        unit: 'percentunit',
        lines: one('{{job}} {{instance}}', 'rate(process_cpu_seconds_total[$__rate_interval])'),
      },
      { title: 'Memory', unit: 'bytes', lines: one('{{job}} {{instance}}', 'process_resident_memory_bytes') },
      {
        title: 'Event loop lag, p99',
        unit: 's',
        lines: one('{{job}} {{instance}}', 'nodejs_eventloop_lag_p99_seconds'),
      },
    ],
  },
];

const source = { type: 'prometheus', uid: 'inventory' };
const columns = 24;
const chartHeight = 7;

/** The dashboard as Grafana reads it. */
export function dashboard() {
  const panels: object[] = [];
  let y = 0;
  for (const { title, charts } of rows) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: columns, h: 1 },
    });
    y += 1;
    const perLine = charts.length > 4 ? 3 : charts.length;
    const w = columns / perLine;
    for (const [index, chart] of charts.entries()) {
      const gridPos = {
        x: (index % perLine) * w,
        y: y + Math.floor(index / perLine) * chartHeight,
        w,
        h: chartHeight,
      };
      panels.push(panelOf(chart, panels.length + 1, gridPos));
    }
    y += Math.ceil(charts.length / perLine) * chartHeight;
  }
  return {
    uid: 'inventory',
    title: 'Inventory service',
    editable: false,
    refresh: '5s',
    time: { from: 'now-30m', to: 'now' },
    timezone: 'browser',
    schemaVersion: 39,
    panels,
  };
}

function panelOf({ title, unit, lines }: Chart, id: number, gridPos: object) {
  return {
    id,
    type: 'timeseries',
    title,
    datasource: source,
    gridPos,
    fieldConfig: {
      defaults: {
        unit,
        min: unit === 's' && title.startsWith('Clocks') ? null : 0,
        custom: { fillOpacity: 8 },
      },
      overrides: [],
    },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
    targets: lines.map(({ name, expression }, index) => ({
      refId: String.fromCharCode(65 + index),
      datasource: source,
      expr: expression,
      legendFormat: name,
    })),
  };
}
