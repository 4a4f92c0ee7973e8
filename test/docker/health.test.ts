import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';

const script = join(import.meta.dirname, '../../docker/health.sh');
// Answers like api and worker on their internal port.
const program = `
  import { createServer } from 'node:http';
  const [ready] = process.argv.slice(1);
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/readyz' ? Number(ready) : 200);
    response.end();
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

let init: ChildProcess | undefined;
afterEach(() => {
  // As long as their parent is there to identify them by.
  for (const pid of childrenOf(init!.pid!)) process.kill(pid, 'SIGKILL');
  init!.kill('SIGKILL');
});

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** A process as in a container: below its init process. */
async function startBelowInit(readyStatus: number) {
  init = spawn(
    'bash',
    [
      '-c',
      '"$@" & wait $!',
      'init',
      process.execPath,
      '--input-type=module',
      '-e',
      program,
      String(readyStatus),
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const [printed] = await once(init.stdout!, 'data');
  const [service] = childrenOf(init.pid!);
  return { port: Number(printed), init: init.pid!, service: service! };
}

function check(port: number, initPid: number, more = {}): Promise<{ code: number; said: string }> {
  const env = { ...process.env, INTERNAL_PORT: String(port), ...more };
  return new Promise((resolve) => {
    execFile('bash', [script, String(initPid)], { env }, (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code), said: stdout.trim() }),
    );
  });
}

const isLinux = process.platform === 'linux';

test.runIf(isLinux)('0 for a process that is ready', async () => {
  const { port, init } = await startBelowInit(200);
  expect(await check(port, init)).toEqual({ code: 0, said: '' });
});

test.runIf(isLinux)('1 for a process that says it is not ready, and it is left alone', async () => {
  const { port, init, service } = await startBelowInit(503);
  expect(await check(port, init)).toEqual({ code: 1, said: '' });
  expect(childrenOf(init)).toEqual([service]);
});

test.runIf(isLinux)('1 while nobody listens, and a starting process is left alone', async () => {
  const { init, service } = await startBelowInit(200);
  // No server's port: too low for the system to hand out.
  expect(await check(1, init)).toEqual({ code: 1, said: '' });
  expect(childrenOf(init)).toEqual([service]);
});

test.runIf(isLinux)('a process that hangs is killed, so that it starts anew', async () => {
  const { port, init: pid, service } = await startBelowInit(200);
  process.kill(service, 'SIGSTOP');
  const ended = once(init!, 'exit');
  expect(await check(port, pid, { HEALTH_PATIENCE_SECONDS: '1' })).toEqual({
    code: 1,
    said: 'no answer: the process is killed and will be restarted',
  });
  await expect.poll(() => childrenOf(pid)).toEqual([]);
  // 128 plus the number of SIGKILL.
  expect(await ended).toEqual([137, null]);
});
