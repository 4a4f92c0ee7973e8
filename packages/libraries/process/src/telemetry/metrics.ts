import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Seconds, from half a millisecond to longer than any caller waits. */
export const durationBuckets = [
  ...[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25],
  // If an answer is lost, the request is answered shortly after 2.5 s, and never later than 3.5 s.
  ...[0.5, 1, 2.5, 2.6, 3.2, 5, 10],
];

/** Requests in an envelope or a batch. */
export const sizeBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** The current value of a gauge: a number, or one for each value of its label. */
export type Reading = number | Readonly<Record<string, number>>;

/**
 * One value of a metric. `name`: the metric's name; for a part of a histogram with `_bucket`, `_sum` or
 * `_count`.
 */
export type Sample = { name: string; labels: Readonly<Record<string, string | number>>; value: number };

/**
 * The metrics of a process. Each name is `inventory_<api or worker>_<what>_<unit>`. A label has few values,
 * all defined here: never a client, an item or other text from a caller. docs/metrics.md lists all metrics,
 * and a test compares.
 */
export type Metrics = {
  counter<Label extends string = never>(
    name: string,
    help: string,
    labels?: readonly Label[],
  ): Counter<Label>;
  /**
   * A counter that is kept elsewhere, with one value for each value of its label. For code that every request
   * passes: adding to a number costs nothing.
   */
  counted(name: string, help: string, read: () => Readonly<Record<string, number>>, label: string): void;
  histogram<Label extends string = never>(
    name: string,
    help: string,
    buckets: readonly number[],
    labels?: readonly Label[],
  ): Histogram<Label>;
  /** A gauge that is read at each scrape. With a label, only the values that were read then are shown. */
  gauge(name: string, help: string, read: () => Reading, label?: string): void;
  /**
   * The current samples of a metric; for a histogram, the same as in its text. Empty if there is no such
   * metric.
   */
  samples(name: string): Promise<readonly Sample[]>;
  /** All metrics in the text format of Prometheus. */
  read(): Promise<{ text: string; type: string }>;
};

/** Creates the metrics of a process, including those of Node and of the process itself. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    counter: (name, help, labels = []) => new Counter({ name, help, labelNames: [...labels], registers }),
    counted(name, help, read, label) {
      new Counter({
        name,
        help,
        labelNames: [label],
        registers,
        collect() {
          this.reset();
          for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count);
        },
      });
    },
    histogram: (name, help, buckets, labels = []) =>
      new Histogram({ name, help, buckets: [...buckets], labelNames: [...labels], registers }),
    gauge(name, help, read, label) {
      new Gauge({
        name,
        help,
        labelNames: label === undefined ? [] : [label],
        registers,
        collect() {
          const reading = read();
          if (typeof reading === 'number') return this.set(reading);
          // Removes values that are no longer reported.
          this.reset();
          for (const [value, number] of Object.entries(reading)) this.set({ [label!]: value }, number);
        },
      });
    },
    async samples(name) {
      const found = await registry.getSingleMetric(name)?.get();
      return (found?.values ?? []).map((each) => ({
        name: (each as { metricName?: string }).metricName ?? name,
        labels: each.labels as Sample['labels'],
        value: each.value,
      }));
    },
    read: async () => ({ text: await registry.metrics(), type: registry.contentType }),
  };
}
