import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { LocalStackError } from './local-stack-error.ts';

// Below the ports that systems use for outgoing connections (32768 and up on Linux). In that range, a client
// that reconnects to a stopped server can get the server's own port and connect to itself, which also keeps
// the server from starting again.
const FIRST_PORT = 20_000;
const LAST_PORT = 29_999;

/** Whether a server could listen on this port of 127.0.0.1 now. */
function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/**
 * Chooses the port for a server: the last one if it is free; otherwise any free one. Fails with
 * LocalStackError if there is none.
 */
export async function choosePort(name: string, remembered?: number): Promise<number> {
  if (remembered !== undefined && (await isPortFree(remembered))) return remembered;
  for (let tries = 0; tries < 100; tries += 1) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    if (await isPortFree(port)) return port;
  }
  throw new LocalStackError(`${name} cannot start: no free port between ${FIRST_PORT} and ${LAST_PORT}`);
}
