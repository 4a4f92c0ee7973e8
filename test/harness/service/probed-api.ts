import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Started, startProcess } from './processes.ts';

/** An api process that reports how long its event loop was held; only the api runs in it. */
export type ProbedApi = {
  port: number;
  baseUrl: string;
  /**
   * Since the last call, in milliseconds: the longest time that the event loop did not turn, the processor
   * time, and the most of that from one turn to the next, which other programs do not lengthen.
   */
  measure(): Promise<{ heldMs: number; workedMs: number; stretchMs: number }>;
  /** The processor time alone, asked for in less time. */
  workedMs(): Promise<number>;
  stop(): Promise<void>;
};

/** Starts one on an existing database and queue. */
export async function startProbedApi(env: Record<string, string>): Promise<ProbedApi> {
  const folder = await mkdtemp(join(tmpdir(), 'loop-probe-'));
  const path = join(folder, 'socket');
  const api: Started = await startProcess(
    'apps/api/src/main.ts',
    { ...env, PORT: '0', LOG_LEVEL: 'info', LOOP_PROBE: path },
    { imports: ['test/harness/watch/loop-probe.ts'] },
  );
  const probe = connect(path);
  await once(probe, 'connect');
  const ask = async (question: 'worked' | 'held') => {
    probe.write(question);
    const [chunk] = await once(probe, 'data');
    return String(chunk).split(' ').map(Number);
  };
  return {
    port: api.port,
    baseUrl: `http://127.0.0.1:${api.port}/api/v1`,
    async measure() {
      const [heldMs = Number.NaN, workedMs = Number.NaN, stretchMs = Number.NaN] = await ask('held');
      return { heldMs, workedMs, stretchMs };
    },
    workedMs: async () => (await ask('worked'))[0]!,
    async stop() {
      probe.destroy();
      await api.stop();
      const { code, signal, lastWords } = await api.exited;
      if (code !== 0) throw new Error(`the api ended with ${signal ?? code}: ${lastWords}`);
      await rm(folder, { recursive: true });
    },
  };
}
