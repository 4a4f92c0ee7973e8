import { createRequire } from 'node:module';

type Metric = { prototype: Record<string, () => void> };

// Loaded before an api or a worker: turns metrics off, to measure their cost.
const requireAsProcess = createRequire(import.meta.resolve('@inventory/process/telemetry/metrics'));
const { Counter, Gauge, Histogram } = requireAsProcess('prom-client') as {
  [Kind in 'Counter' | 'Gauge' | 'Histogram']: Metric;
};
Counter.prototype.inc = () => {};
Gauge.prototype.set = () => {};
Histogram.prototype.observe = () => {};
