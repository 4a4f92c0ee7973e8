import { attempt } from '../http/attempt.ts';
import type {
  QueuedOperation,
  QueueStorage,
  RefusedOperation,
  StorageChange,
  StoredOperation,
} from './storage.ts';
import { storageFailed } from './storage-failed.ts';

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
    locks?: {
      request<Result>(name: string, options: object, run: () => Promise<Result>): Promise<Result>;
    };
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
    const transaction = (database: Database, isAgain: boolean) => transact(database, work, isAgain);
    // What only reads changes nothing, however it ends.
    const result = await connection.use(transaction, told !== undefined);
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
      change((store, isAgain) => {
        let known: StoredOperation | undefined;
        let added: Request<number>;
        // The browser numbers them, and gives no number twice.
        const add = () => {
          if (known === undefined) added = store('waiting').put({ operation });
        };
        if (isAgain) {
          const waiting = store('waiting').getAll();
          waiting.onsuccess = () => {
            const stored = waiting.result as StoredOperation[];
            known = stored.find((each) => each.operation.key === operation.key);
            add();
          };
        } else add();
        return () => known?.seq ?? added.result;
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
    lock: (run, signal) => navigator?.locks?.request(`inventory-queue/${name}`, { signal }, run) ?? run(),
    watch(onChange) {
      if (others === undefined) return;
      others.onmessage = ({ data }: { data: StorageChange | null }) => onChange(data ?? undefined);
    },
    async close() {
      others?.close();
      connection.close();
    },
  };
}

/** `isAgain`: it was tried before, and nobody knows whether it was done. */
type Work<Result> = (store: (name: string) => Store, isAgain: boolean) => () => Result;

function transact<Result>(database: Database, work: Work<Result>, isAgain: boolean): Promise<Result> {
  return new Promise((resolve, reject) => {
    const tx = database.transaction(['waiting', 'refused'], 'readwrite', { durability: 'strict' });
    // An error aborts it, too, and only then is it certain that nothing of it stays.
    tx.onabort = () => reject(tx.error);
    const result = work((store) => tx.objectStore(store), isAgain);
    tx.oncomplete = () => resolve(result());
  });
}

/** A connection to the database, which is made again when the browser has closed it, or no longer answers. */
function keepConnection(indexedDB: Browser['indexedDB'], name: string) {
  let opened: Promise<Database> | null = null;
  let isEnded = false;

  const open = () => {
    if (isEnded) return Promise.reject(new Error('the queue was closed'));
    if (opened === null) {
      const connection = openDatabase(indexedDB, name);
      opened = connection;
      const forgetIt = () => forget(connection);
      connection.then((database) => {
        // By the browser, for want of room, or because somebody cleared the page's data.
        database.onclose = forgetIt;
      }, forgetIt);
    }
    return opened;
  };
  const forget = (connection: Promise<Database>) => {
    if (opened === connection) opened = null;
  };
  // Its failure is told by the first call.
  open().catch(() => {});

  return {
    async use<Result>(
      work: (database: Database, isAgain: boolean) => Promise<Result>,
      isWrite: boolean,
    ): Promise<Result> {
      let isUnsure = false;
      for (let tries = 1; ; tries++) {
        const connection = open();
        try {
          const run = async () => work(await connection, tries > 1);
          return await attempt(silentMs * 2 ** tries, undefined, run, silence);
        } catch (error) {
          const name = (error as Error | null)?.name;
          isUnsure ||= isWrite && name === 'TimeoutError';
          // There is no room, and a new connection has no more.
          if (name === 'QuotaExceededError' || isEnded || tries === triesMax)
            throw isUnsure ? storageFailed(silence, error) : error;
          forget(connection);
          // A transaction that still goes on ends before the next connection's work.
          connection.then((database) => database.close()).catch(() => {});
        }
      }
    },
    close() {
      isEnded = true;
      // One that the browser has yet to open is closed then.
      opened?.then(
        (database) => database.close(),
        () => {},
      );
    },
  };
}

// Chromium forgets transactions that begin while it closes their connection: they never end, and a new
// connection works. Each try is given twice the time, in milliseconds: a device may be slow.
const silentMs = 2000;
const triesMax = 5;

const silence = 'IndexedDB does not answer';

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
