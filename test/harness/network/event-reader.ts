import { onTestFinished } from 'vitest';

/** An event of a stream: its data, parsed, and its id. Without data, only the id moves. */
// biome-ignore lint/suspicious/noExplicitAny: events have their own names.
export type StreamEvent = { id: string | null; data: any };

export type EventReader = {
  status: number;
  contentType: string | null;
  /** The next event with data; null: the stream has ended. */
  next(): Promise<StreamEvent | null>;
  /** The last id so far. */
  lastId(): string | null;
  /** Disconnects. */
  close(): void;
};

/** Reads server-sent events, as a browser's `EventSource` does. */
export async function readEvents(url: string, headers: Record<string, string>): Promise<EventReader> {
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const response = await fetch(url, {
    headers: { Accept: 'text/event-stream', ...headers },
    signal: gone.signal,
  });
  const chunks = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let id: string | null = null;
  return {
    status: response.status,
    contentType: response.headers.get('Content-Type'),
    async next() {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end === -1) {
          const { value, done } = await chunks.read();
          if (done) return null;
          text += value;
          continue;
        }
        const fields = text
          .slice(0, end)
          .split('\n')
          .map((line) => line.split(/: (.*)/s));
        text = text.slice(end + 2);
        const of = (name: string) => fields.filter(([field]) => field === name).map(([, value]) => value);
        id = of('id')[0] ?? id;
        const data = of('data');
        if (data.length > 0) return { id, data: JSON.parse(data.join('\n')) };
      }
    },
    lastId: () => id,
    close: () => gone.abort(),
  };
}
