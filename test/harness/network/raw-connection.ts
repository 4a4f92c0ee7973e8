import { connect, type Socket } from 'node:net';
import { brotliDecompressSync, unzipSync } from 'node:zlib';
import { within } from '@inventory/process/within';

/** An answer as it came over a socket. */
export type RawAnswer = {
  status: number;
  /** By name in lower case. */
  headers: Map<string, string>;
  text: string;
  /** Its JSON, or undefined. */
  // biome-ignore lint/suspicious/noExplicitAny: a test compares a body with what it expects.
  body: any;
};

type Bytes = string | Uint8Array;

/** A connection that sends bytes as they are. */
export type RawConnection = {
  socket: Socket;
  write(...parts: Bytes[]): void;
  /**
   * The next whole answer, without a body to HEAD; null when the connection closes before it is complete, or
   * nothing comes.
   */
  next(options?: { isHead?: boolean }): Promise<RawAnswer | null>;
  /** How the other side ends the connection: `reset` when not in order, `open` when it does not end it. */
  outcome(): Promise<'ended' | 'reset' | 'open'>;
};

const patienceMs = 60_000;
const endOfHead = '\r\n\r\n';

/** Opens a connection to a port of this machine. `from`: the address to connect from. */
export function openRaw(port: number, from = '127.0.0.1'): RawConnection {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true });
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
  function takeAnswer(isHead: boolean): RawAnswer | null {
    bytes = Buffer.concat([bytes, ...chunks]);
    chunks = [];
    pendingLength = 0;
    const { answer, length } = parseAnswer(bytes, isHead);
    wantedLength = length - bytes.length;
    if (answer !== null) bytes = bytes.subarray(length);
    return answer;
  }

  return {
    socket,
    outcome: () => within(patienceMs, closed).catch(() => 'open' as const),
    write(...parts) {
      for (const part of parts) socket.write(part);
    },
    async next({ isHead = false } = {}) {
      for (;;) {
        const answer = takeAnswer(isHead);
        if (answer !== null || hasClosed) return answer;
        const more = new Promise<boolean>((resolve) => waiting.push(() => resolve(true)));
        if (!(await within(patienceMs, more).catch(() => false))) return null;
      }
    },
  };
}

/** The first answer in these bytes, or null while it is incomplete, and its length as far as it is known. */
function parseAnswer(bytes: Buffer, isHead: boolean): { answer: RawAnswer | null; length: number } {
  const headLength = bytes.indexOf(endOfHead);
  if (headLength < 0) return { answer: null, length: 0 };
  const [first = '', ...lines] = bytes.toString('latin1', 0, headLength).split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.split(':')[0]!.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const status = Number(first.split(' ')[1]);
  const hasBody = !isHead && status >= 200 && status !== 204 && status !== 304;
  const bodyFrom = headLength + endOfHead.length;
  const length = bodyFrom + (hasBody ? Number(headers.get('content-length') ?? 0) : 0);
  if (bytes.length < length) return { answer: null, length };
  const text = decoded(bytes.subarray(bodyFrom, length), headers.get('content-encoding')).toString();
  return { answer: { status, headers, text, body: parseJson(text) }, length };
}

function decoded(body: Buffer, encoding: string | undefined): Buffer {
  if (encoding === 'br') return brotliDecompressSync(body);
  return encoding === undefined || body.length === 0 ? body : unzipSync(body);
}

/** The value of a text; undefined if it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends requests on a connection that is opened again after the other side has ended it. */
export type RawCaller = {
  /**
   * Sends bytes as they are and reads one answer; null when the connection closes without one. `end`: nothing
   * more is sent on this connection. Fails when nothing comes.
   */
  send(bytes: Uint8Array, options?: { isHead?: boolean; end?: boolean }): Promise<RawAnswer | null>;
  /** Sends all at once and reads an answer to each; those behind one that ends the connection go again. */
  sendAll(requests: readonly Uint8Array[]): Promise<RawAnswer[]>;
  close(): void;
};

/** Calls a port of this machine. */
export function openRawCaller(port: number): RawCaller {
  let connection: RawConnection | undefined;

  function write(bytes: Uint8Array): RawConnection {
    if (connection === undefined || !connection.socket.writable) connection = openRaw(port);
    connection.write(bytes);
    return connection;
  }

  /** Reads an answer, and ends the connection if it says so. */
  async function receive({ socket, next }: RawConnection, isHead = false): Promise<RawAnswer | null> {
    let answer = await next({ isHead });
    // It comes before the answer.
    while (answer?.status === 100) answer = await next({ isHead });
    const isLate = answer === null && !socket.destroyed;
    if (answer === null || answer.headers.get('connection') === 'close') socket.destroy();
    if (isLate) throw new Error(`no answer within ${patienceMs} ms`);
    const mayLackLength = answer === null || isHead || [204, 304].includes(answer.status);
    if (!mayLackLength && !answer!.headers.has('content-length'))
      throw new Error(`an answer without Content-Length: ${answer!.status}`);
    return answer;
  }

  return {
    async send(bytes, { isHead = false, end = false } = {}) {
      const used = write(bytes);
      if (!end) return receive(used, isHead);
      used.socket.end();
      return receive(used, isHead).finally(() => used.socket.destroy());
    },
    async sendAll(requests) {
      const answers: RawAnswer[] = [];
      while (answers.length < requests.length) {
        const left = requests.slice(answers.length);
        const used = write(Buffer.concat(left));
        const first = await receive(used);
        if (first === null) throw new Error(`no answer: ${Buffer.from(left[0]!).toString('latin1', 0, 200)}`);
        answers.push(first);
        for (let count = 1; count < left.length && !used.socket.destroyed; count++) {
          const answer = await receive(used);
          if (answer !== null) answers.push(answer);
        }
      }
      return answers;
    },
    close: () => connection?.socket.destroy(),
  };
}
