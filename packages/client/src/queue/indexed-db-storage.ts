import type { QueuedOperation, QueueStorage, RefusedOperation, StoredOperation } from './storage.ts';

// As much of the browser's interfaces as is used, so that the package needs no types of the DOM.
type Request<Result = unknown> = { result: Result; error: unknown; onsuccess: unknown; onerror: unknown };
type Store = { put(value: unknown): Request<number>; delete(key: number): void; getAll(): Request };
type Transaction = {
  objectStore(name: string): Store;
  oncomplete: unknown;
  onabort: unknown;
  onerror: unknown;
  error: unknown;
};
type Database = {
  createObjectStore(name: string, options: object): void;
  transaction(stores: string[], mode: string, options: object): Transaction;
  close(): void;
};
type Channel = { postMessage(message: null): void; close(): void; onmessage: unknown };
type Browser = {
  BroadcastChannel?: new (name: string) => Channel;
  indexedDB: { open(name: string, version: number): Request<Database> & { onupgradeneeded: unknown } };
  navigator?: {
    locks?: { request<Result>(name: string, run: () => Promise<Result>): Promise<Result> };
  };
};

/**
 * Keeps a queue in the browser's IndexedDB. Pages that share it send one at a time, and tell each other of
 * changes.
 */
export function indexedDbStorage(name: string): QueueStorage {
  const { indexedDB, navigator, BroadcastChannel } = globalThis as unknown as Browser;
  const others = BroadcastChannel && new BroadcastChannel(`inventory-queue/${name}`);
  const opened = openDatabase(indexedDB, name);
  // Its failure is told by the first call.
  opened.catch(() => {});

  async function change<Result>(work: (store: (name: string) => Store) => () => Result): Promise<Result> {
    const database = await opened;
    return new Promise((resolve, reject) => {
      const tx = database.transaction(['waiting', 'refused'], 'readwrite', { durability: 'strict' });
      tx.onabort = tx.onerror = () => reject(tx.error);
      const result = work((store) => tx.objectStore(store));
      tx.oncomplete = () => resolve(result());
    });
  }

  async function changeAndTell<Result>(work: Parameters<typeof change<Result>>[0]): Promise<Result> {
    const result = await change(work);
    others?.postMessage(null);
    return result;
  }

  return {
    load: () =>
      change((store) => {
        const [waiting, refused] = [store('waiting').getAll(), store('refused').getAll()];
        return () => ({
          waiting: waiting.result as StoredOperation[],
          refused: refused.result as RefusedOperation[],
        });
      }),
    add: (operation: QueuedOperation) =>
      changeAndTell((store) => {
        // The browser numbers them, and gives no number twice.
        const added = store('waiting').put({ operation });
        return () => added.result;
      }),
    take: (seqs, kept) =>
      changeAndTell((store) => {
        for (const seq of seqs) {
          store('waiting').delete(seq);
          store('refused').delete(seq);
        }
        for (const each of kept) store('refused').put(each);
        return () => undefined;
      }),
    lock: (run) => navigator?.locks?.request(`inventory-queue/${name}`, run) ?? run(),
    watch(onChange) {
      if (others !== undefined) others.onmessage = onChange;
    },
    async close() {
      others?.close();
      (await opened).close();
    },
  };
}

function openDatabase(indexedDB: Browser['indexedDB'], name: string): Promise<Database> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore('waiting', { keyPath: 'seq', autoIncrement: true });
      request.result.createObjectStore('refused', { keyPath: 'seq' });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
