import { connect, type Socket } from 'node:net';
import { brotliDecompressSync, unzipSync } from 'node:zlib';

/** An answer as it came over a socket. `body`: its JSON, or undefined. */
export type RawAnswer = {
  status: number;
  headers: Map<string, string>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test compares a body with what it expects.
  body: any;
};

/**
 * One connection, for one request at a time; opened when needed, and again after the other side has ended it.
 */
export type RawConnection = {
  /**
   * Sends bytes as they are and reads one answer; null when the connection closes without one. `noBody`: for
   * an answer to HEAD. `end`: nothing more is sent on this connection. Fails when nothing comes for
   * `withinMs`.
   */
  send(
    parts: readonly (string | Uint8Array)[],
    options?: { noBody?: boolean; end?: boolean },
  ): Promise<RawAnswer | null>;
  close(): void;
};

const endOfHead = '\r\n\r\n';

/** Connects to a port of this machine. */
export function connectRaw(port: number, { withinMs = 60_000 } = {}): RawConnection {
  let socket: Socket | undefined;

  function open(): Socket {
    if (socket !== undefined && !socket.destroyed && socket.writable) return socket;
    const opened = connect({ port, host: '127.0.0.1', noDelay: true });
    opened.on('error', () => {});
    opened.once('close', () => {
      if (socket === opened) socket = undefined;
    });
    socket = opened;
    return opened;
  }

  return {
    send(parts, { noBody = false, end = false } = {}) {
      const used = open();
      return new Promise((resolve, reject) => {
        let received = Buffer.alloc(0);
        const clear = () => {
          clearTimeout(clock);
          used.off('data', read);
          used.off('close', ended);
        };
        const done = (answer: RawAnswer | null) => {
          clear();
          if (end || answer === null || answer.headers.get('connection') === 'close') used.destroy();
          resolve(answer);
        };
        const read = (chunk: Buffer) => {
          received = Buffer.concat([received, chunk]);
          try {
            const answer = parseAnswer(received, noBody);
            if (answer !== null) done(answer);
          } catch (error) {
            clear();
            used.destroy();
            reject(error);
          }
        };
        const ended = () => done(null);
        const clock = setTimeout(() => {
          clear();
          used.destroy();
          reject(new Error(`no answer within ${withinMs} ms to ${String(parts[0]).slice(0, 300)}`));
        }, withinMs);
        used.on('data', read);
        used.on('close', ended);
        for (const part of parts) used.write(part);
        if (end) used.end();
      });
    },
    close: () => socket?.destroy(),
  };
}

/** The first answer in these bytes, or null while it is incomplete. */
function parseAnswer(bytes: Buffer, noBody: boolean): RawAnswer | null {
  const headLength = bytes.indexOf(endOfHead);
  if (headLength < 0) return null;
  const [first = '', ...lines] = bytes.toString('latin1', 0, headLength).split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.split(':')[0]!.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const status = Number(first.split(' ')[1]);
  const bodyFrom = headLength + endOfHead.length;
  // `100 Continue` comes before the answer.
  if (status === 100) return parseAnswer(bytes.subarray(bodyFrom), noBody);
  const hasBody = !noBody && status !== 204 && status !== 304;
  const bodyLength = hasBody ? Number(headers.get('content-length') ?? Number.NaN) : 0;
  if (Number.isNaN(bodyLength)) throw new Error(`an answer without Content-Length: ${first}`);
  if (bytes.length < bodyFrom + bodyLength) return null;
  const text = decoded(
    bytes.subarray(bodyFrom, bodyFrom + bodyLength),
    headers.get('content-encoding'),
  ).toString();
  return { status, headers, text, body: parseJson(text) };
}

function decoded(body: Buffer, encoding: string | undefined): Buffer {
  if (encoding === 'br') return brotliDecompressSync(body);
  return encoding === undefined || body.length === 0 ? body : unzipSync(body);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
