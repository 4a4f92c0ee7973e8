import { connect, type Socket } from 'node:net';
import { within } from '@inventory/process/within';

export type RawAnswer = {
  status: number;
  /** By name in lower case. */
  headers: Map<string, string>;
  text: string;
};

/** A connection that sends bytes as they are. */
export type RawConnection = {
  socket: Socket;
  write(...parts: (string | Uint8Array)[]): void;
  /** The next whole answer; null when the connection closes before it is complete, or nothing comes. */
  next(): Promise<RawAnswer | null>;
  /** How the other side ends the connection: `reset` when not in order, `open` when it does not end it. */
  outcome(): Promise<'ended' | 'reset' | 'open'>;
};

const patienceMs = 20_000;

/** Opens a connection to a port of this machine. `from`: the address to connect from. */
export function openRaw(port: number, from = '127.0.0.1'): RawConnection {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  let bytes = Buffer.alloc(0);
  let chunks: Buffer[] = [];
  let pendingLength = 0;
  let wantedLength = 0;
  let wasReset = false;
  let hasClosed = false;
  let waiting: (() => void)[] = [];
  const wake = () => {
    const woken = waiting;
    waiting = [];
    for (const each of woken) each();
  };
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    pendingLength += chunk.length;
    if (pendingLength >= wantedLength) wake();
  });
  socket.on('error', () => {
    wasReset = true;
  });
  const closed = new Promise<'ended' | 'reset'>((resolve) => {
    socket.on('close', () => {
      hasClosed = true;
      wake();
      resolve(wasReset ? 'reset' : 'ended');
    });
  });

  /** The first answer received; null while it is incomplete. */
  function takeAnswer(): RawAnswer | null {
    bytes = Buffer.concat([bytes, ...chunks]);
    chunks = [];
    pendingLength = 0;
    wantedLength = 0;
    const headLength = bytes.indexOf('\r\n\r\n');
    if (headLength < 0) return null;
    const [first = '', ...lines] = bytes.subarray(0, headLength).toString('latin1').split('\r\n');
    const headers = new Map(
      lines.map((line) => [line.split(':')[0]!.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const end = headLength + 4 + Number(headers.get('content-length') ?? 0);
    wantedLength = end - bytes.length;
    if (wantedLength > 0) return null;
    const text = bytes.subarray(headLength + 4, end).toString('utf8');
    bytes = bytes.subarray(end);
    return { status: Number(first.split(' ')[1]), headers, text };
  }

  return {
    socket,
    outcome: () => within(patienceMs, closed).catch(() => 'open' as const),
    write(...parts) {
      for (const part of parts) socket.write(part);
    },
    async next() {
      for (;;) {
        const answer = takeAnswer();
        if (answer !== null || hasClosed) return answer;
        const more = new Promise<boolean>((resolve) => waiting.push(() => resolve(true)));
        if (!(await within(patienceMs, more).catch(() => false))) return null;
      }
    },
  };
}
