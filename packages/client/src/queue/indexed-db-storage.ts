import type {
  QueuedOperation,
  QueueStorage,
  RefusedOperation,
  StorageChange,
  StoredOperation,
} from './storage.ts';

// As much of the browser's interfaces as is used, so that the package needs no types of the DOM.
type Request<Result = unknown> = { result: Result; error: unknown; onsuccess: unknown; onerror: unknown };
type Store = {
  put(value: unknown): Request<number>;
  delete(key: number): void;
  getAll(query?: null, count?: number): Request;
};
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
  onclose: unknown;
};
type Channel = { postMessage(message: StorageChange | null): void; close(): void; onmessage: unknown };
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
  const connection = keepConnection(indexedDB, name);

  async function change<Result>(work: Work<Result>, told?: StorageChange | null): Promise<Result> {
    const result = await connection.use((database) => transact(database, work));
    if (told !== undefined) others?.postMessage(told);
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
    oldest: (count) =>
      change((store) => {
        const waiting = store('waiting').getAll(null, count);
        return () => waiting.result as StoredOperation[];
      }),
    add: (operation: QueuedOperation) =>
      change((store) => {
        // The browser numbers them, and gives no number twice.
        const added = store('waiting').put({ operation });
        return () => added.result;
      }, null),
    take: (taken, refused) =>
      change(
        (store) => {
          for (const seq of taken) {
            store('waiting').delete(seq);
            store('refused').delete(seq);
          }
          for (const each of refused) store('refused').put(each);
          return () => undefined;
        },
        { taken, refused },
      ),
    lock: (run) => navigator?.locks?.request(`inventory-queue/${name}`, run) ?? run(),
    watch(onChange) {
      if (others === undefined) return;
      others.onmessage = ({ data }: { data: StorageChange | null }) => onChange(data ?? undefined);
    },
    async close() {
      others?.close();
      await connection.close();
    },
  };
}

type Work<Result> = (store: (name: string) => Store) => () => Result;

function transact<Result>(database: Database, work: Work<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const tx = database.transaction(['waiting', 'refused'], 'readwrite', { durability: 'strict' });
    // An error aborts it, too, and only then is it certain that nothing of it stays.
    tx.onabort = () => reject(tx.error);
    const result = work((store) => tx.objectStore(store));
    tx.oncomplete = () => resolve(result());
  });
}

/** A connection to the database, which is made again when the browser has closed it. */
function keepConnection(indexedDB: Browser['indexedDB'], name: string) {
  let opened: Promise<Database> | null = null;

  const open = () => {
    opened ??= openDatabase(indexedDB, name).then(
      (database) => {
        // By the browser, for want of room, or because somebody cleared the page's data.
        database.onclose = forget;
        return database;
      },
      (error) => {
        forget();
        throw error;
      },
    );
    return opened;
  };
  const forget = () => {
    opened = null;
  };
  // Its failure is told by the first call.
  open().catch(() => {});

  return {
    async use<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
      const connection = open();
      try {
        return await work(await connection);
      } catch (error) {
        const isClosed = opened !== connection || (error as Error | null)?.name === 'InvalidStateError';
        if (!isClosed) throw error;
        // Nothing of it was done: a transaction that the browser ends is taken back whole.
        if (opened === connection) forget();
        return work(await open());
      }
    },
    async close() {
      const last = opened;
      opened = Promise.reject(new Error('the queue was closed'));
      opened.catch(() => {});
      (await last)?.close();
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
