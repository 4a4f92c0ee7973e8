import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';
import { types } from '../harness/compiled.ts';

// Asked to stop by each signal while it starts.
const program = (signal: string) => `
  import { createLog } from '${import.meta.resolve('@inventory/process/log/log')}';
  import { run } from '${import.meta.resolve('@inventory/process/run')}';
  const log = createLog('api');
  run(log, async () => {
    process.kill(process.pid, '${signal}');
    await new Promise((resolve) => setTimeout(resolve, 200));
    log.info('api is up');
    return { stop: async () => log.info('stopped in order') };
  });`;

test.each(['SIGTERM', 'SIGINT'])(
  '%s to a process that is just starting stops it in order, once it is up',
  async (signal) => {
    const args = ['--import', types, '--input-type=module', '-e', program(signal)];
    const { code, said } = await new Promise<{ code: unknown; said: string }>((resolve) => {
      const env = { ...process.env, LOG_LEVEL: 'info' };
      const child = execFile(process.execPath, args, { env }, (_, stdout, stderr) =>
        resolve({ code: child.exitCode ?? child.signalCode, said: stdout + stderr }),
      );
    });
    expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('stopped in order') });
    expect(said).toContain('api is up');
  },
);
