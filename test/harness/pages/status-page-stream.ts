import type { Snapshot } from '@inventory/api/status-page/snapshot';
import type { StockView } from '@inventory/api/status-page/stock-view';

/** The events a viewer of the status page received; the last of each. */
export type WatchedStatusPage = {
  now(): Snapshot | null;
  stock(): StockView | null;
  history(): { fields: string[]; points: (number | null)[][] } | null;
  /** The code of the first cause; null: no problem, or nothing has come yet. */
  cause(): string | null;
  /** Everything received, as bytes of text. */
  text(): string;
  /** Whether more may come. */
  isOpen(): boolean;
  close(): void;
};

/** Opens the stream of the api with this internal port, as a browser does. */
export async function watchStatusPage(
  internalPort: number,
  headers: Record<string, string> = {},
): Promise<WatchedStatusPage> {
  const ending = new AbortController();
  const answer = await fetch(`http://127.0.0.1:${internalPort}/operations/events`, {
    headers,
    signal: ending.signal,
  });
  if (answer.status !== 200) throw new Error(`no stream: ${answer.status}`);
  const last = new Map<string, unknown>();
  let text = '';
  const read = async () => {
    let rest = '';
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const events = (rest + chunk).split('\n\n');
      rest = events.pop()!;
      for (const event of events) {
        const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
        if (name !== undefined) last.set(name, JSON.parse(data!));
      }
    }
  };
  // It ends with the api, or with `close`.
  let isOpen = true;
  read()
    .catch(() => {})
    .finally(() => {
      isOpen = false;
    });
  const lastOf = <Event>(name: string) => (last.get(name) as Event | undefined) ?? null;
  return {
    now: () => lastOf('now'),
    stock: () => lastOf('stock'),
    history: () => lastOf('history'),
    cause: () => lastOf<Snapshot>('now')?.causes[0]?.code ?? null,
    text: () => text,
    isOpen: () => isOpen,
    close: () => ending.abort(),
  };
}
