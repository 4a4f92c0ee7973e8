/** The metrics on a process's internal port: each sample by its name with labels, and the described names. */
export type ReadMetrics = {
  /** The value of `name` or `name{label="value"}`, written in that form; undefined when it is missing. */
  value(name: string): number | undefined;
  /** The kind of each metric, by its name. */
  kinds: Map<string, string>;
  text: string;
};

/** Reads the metrics of the process with this internal port. */
export async function readMetrics(internalPort: number): Promise<ReadMetrics> {
  const answer = await fetch(`http://127.0.0.1:${internalPort}/metrics`);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`no metrics: ${answer.status}`);
  const samples = new Map<string, number>();
  const kinds = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, name, kind] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (name !== undefined) kinds.set(name, kind!);
    const [, sample, value] = /^([a-z_]+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
    if (sample !== undefined) samples.set(sample, Number(value));
  }
  return { value: (name) => samples.get(name), kinds, text };
}
