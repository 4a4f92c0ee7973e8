import type { Operation } from '../api/types.ts';
import { newKey } from '../http/new-key.ts';
import { jsonText } from '../http/quantities.ts';
import { createLoop, type Loop } from './send-loop.ts';
import { createSender, type Decided, type Send, type Sender } from './send-oldest.ts';
import type {
  QueuedOperation,
  QueueStorage,
  RefusedOperation,
  StorageChange,
  StoredOperation,
} from './storage.ts';
import { createView, type View } from './view.ts';

export type OfflineQueueOptions = {
  storage: QueueStorage;
  /** The device, as the history shows it. */
  deviceID: string;
  /** Called when `size`, `refused` or `error` is another one. */
  onChange?: ((queue: OfflineQueue) => void) | undefined;
  /**
   * Called with each definite answer that this queue hears, once its lists show it. Another program on the
   * same storage hears its own.
   */
  onDecided?: ((operation: StoredOperation, result: Decided) => void) | undefined;
};

export type OfflineQueue = {
  /**
   * Stores an operation, which is then sent as soon as that is possible. `capturedAt`, `deviceID`,
   * `deviceSeq` and `key` are filled in. An operation with a `key` that waits already is stored once. Throws
   * TypeError for a value that cannot be sent, such as NaN, and the error of the storage.
   */
  push(operation: Operation): Promise<QueuedOperation>;
  /** How many operations wait. */
  readonly size: number;
  /** Operations that the service will not apply as they are. They stay until they are forgotten. */
  readonly refused: readonly RefusedOperation[];
  /** Why nothing is sent now; null while all is well. It is tried again, whatever it is. */
  readonly error: unknown;
  /** Takes a refused operation off the list. */
  forget(key: string): Promise<void>;
  /** Resolves when no operation waits. */
  drained(): Promise<void>;
  /**
   * Stops sending and closes the storage. What waits is sent by the next queue on it. Calls made after it are
   * refused.
   */
  close(): Promise<void>;
};

/** Opens a queue on a storage and begins to send what waits there. */
export function openOfflineQueue(
  send: Send,
  { storage, deviceID, onChange = () => {}, onDecided = () => {} }: OfflineQueueOptions,
): OfflineQueue {
  const closing = new AbortController();
  const view = createView(storage);
  const sender = createSender(send, storage, closing.signal, (change, decided) => {
    view.note(change);
    for (const each of decided) inform(() => onDecided(...each));
  });
  const drains: { resolve(): void; reject(error: unknown): void }[] = [];
  let failure: unknown = null;
  let isLoaded = false;
  const load = loadOnce(view, closing.signal, () => {
    isLoaded = true;
    sender.doubt(view.waiting.keys());
    if (failure !== null) loop.hurry();
  });

  function tell(error: unknown = failure): void {
    failure = error;
    if (view.waiting.size === 0) for (const { resolve } of drains.splice(0)) resolve();
    inform(() => onChange(queue));
  }

  const stores = shareByKey(async (operation) => {
    await load();
    const known = view.waitingWith(operation.key);
    if (known !== undefined) return { deviceSeq: known.seq, ...known.operation };
    const seq = await storage.add(operation);
    view.note({ added: { seq, operation } });
    loop.start();
    tell();
    return { deviceSeq: seq, ...operation };
  });

  async function work(): Promise<void> {
    if (!isLoaded) return load();
    // If there is nothing, another program has sent what waited.
    if (!(await sender.sendList())) await view.load();
  }

  const loop = createLoop({
    hasWork: () => !isLoaded || view.waiting.size > 0,
    ...{ work, tell, signal: closing.signal },
  });

  const queue: OfflineQueue = {
    get size() {
      return view.waiting.size;
    },
    get refused() {
      return view.refused;
    },
    get error() {
      return failure;
    },
    async push(given) {
      const operation = withEvidence(given, deviceID);
      // One that cannot be sent would hold up all that come behind it.
      jsonText(operation);
      return stores.begin(operation);
    },
    async forget(key) {
      await load();
      const seqs = view.refused.filter((each) => each.operation.key === key).map(({ seq }) => seq);
      await storage.take(seqs, []);
      view.note({ taken: seqs });
      tell();
    },
    async drained() {
      await load();
      if (view.waiting.size > 0)
        await new Promise<void>((resolve, reject) => drains.push({ resolve, reject }));
    },
    async close() {
      closing.abort();
      await loop.rested();
      await stores.rested();
      for (const { reject } of drains.splice(0)) reject(new Error('the queue was closed'));
      await storage.close?.();
    },
  };
  const ignore = () => {};
  storage.watch?.((change) => hear(change, load, view, sender).then(() => tell(), ignore));
  loop.start();
  whenOnline(loop, closing.signal);
  return queue;
}

/**
 * Makes the function that reads the storage, once. After a failure, the next call reads it again: it may be
 * free, or there, by now. When the queue is closed, nothing is read any more.
 */
function loadOnce(view: View, closing: AbortSignal, onLoaded: () => void): () => Promise<void> {
  let loaded: Promise<void> | null = null;
  return () => {
    if (closing.aborted) return Promise.reject(new Error('the queue was closed'));
    loaded ??= view.load().then(onLoaded, (error) => {
      loaded = null;
      throw error;
    });
    return loaded;
  };
}

/** Others may have sent what they stored. */
async function hear(
  change: StorageChange | undefined,
  load: () => Promise<void>,
  view: View,
  sender: Sender,
): Promise<void> {
  await load();
  if (change !== undefined) return view.note(change);
  const known = new Set(view.waiting.keys());
  await view.load();
  sender.doubt([...view.waiting.keys()].filter((seq) => !known.has(seq)));
}

/** Calls with one key at the same time share the work of the first. `rested` resolves when all have ended. */
function shareByKey(work: (operation: QueuedOperation) => Promise<QueuedOperation>) {
  const running = new Map<string, Promise<QueuedOperation>>();
  return {
    begin(operation: QueuedOperation): Promise<QueuedOperation> {
      const same = running.get(operation.key);
      if (same !== undefined) return same;
      const begun = work(operation).finally(() => running.delete(operation.key));
      running.set(operation.key, begun);
      return begun;
    },
    rested: () => Promise.allSettled(running.values()),
  };
}

/** Calls a listener. An error of it is nobody's here: it is told as uncaught, and the queue goes on. */
function inform(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** Browsers tell when the network is back. Others may have stored work and ended meanwhile. */
function whenOnline({ hurry, start }: Loop, signal: AbortSignal): void {
  const page = globalThis as {
    addEventListener?: (name: string, listener: () => void, options: object) => void;
  };
  page.addEventListener?.('online', hurry, { signal });
  page.addEventListener?.('online', start, { signal });
}

/** Fills in what makes the operation the same at every send. A field given as undefined hides nothing. */
function withEvidence(operation: Operation, deviceID: string): QueuedOperation {
  const given = Object.entries(operation).filter(([, value]) => value !== undefined && value !== null);
  const evidence = { capturedAt: new Date().toISOString(), deviceID, key: newKey() };
  return { ...evidence, ...Object.fromEntries(given) } as QueuedOperation;
}
