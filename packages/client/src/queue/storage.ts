import type { Operation } from '../api/types.ts';

/** An operation with all that makes it the same at every send. */
export type QueuedOperation = Operation & {
  key: string;
  capturedAt: string;
  deviceID: string;
};

/** `seq`: its place in the queue, and its `deviceSeq`. */
export type StoredOperation = { seq: number; operation: QueuedOperation };

/** An operation that the service will never apply as it is. */
export type RefusedOperation = StoredOperation & {
  statusCode: number;
  /** The service's error object. */
  error: { error: string; message: string; reason?: string; [field: string]: unknown };
  /**
   * `unknown`: it was sent before, and its client has lost a right or a warehouse since, so an earlier send
   * may have been applied.
   */
  outcome: 'notApplied' | 'unknown';
};

/** The storage of an offline queue. Each change is durable and whole once its promise is kept. */
export type QueueStorage = {
  /** All that is there, oldest first. */
  load(): Promise<{ waiting: readonly StoredOperation[]; refused: readonly RefusedOperation[] }>;
  /** The oldest that wait, at most so many. Without it, all are loaded for each list that is sent. */
  oldest?(count: number): Promise<readonly StoredOperation[]>;
  /**
   * Stores an operation behind all others. Returns its number: greater than every one that was given out
   * before, also of operations that are gone.
   */
  add(operation: QueuedOperation): Promise<number>;
  /** Takes the operations with these numbers out, and keeps the refused ones apart. */
  take(seqs: readonly number[], refused: readonly RefusedOperation[]): Promise<void>;
  /**
   * Runs this while nobody else sends from the same storage. Without it, nobody else can. The signal ends the
   * wait for others.
   */
  lock?<Result>(run: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /**
   * Calls this whenever somebody else has changed the storage. Unless it was `take`, whose change is
   * told, all is loaded again.
   */
  watch?(onChange: (change?: StorageChange) => void): void;
  close?(): Promise<void>;
};

/** A change of a storage, as `take` made it. */
export type StorageChange = {
  taken?: readonly number[];
  refused?: readonly RefusedOperation[];
};

/** At most so many of these. */
export function firstOf<Each>(all: Iterable<Each>, count: number): Each[] {
  const found: Each[] = [];
  for (const each of all) {
    if (found.length === count) break;
    found.push(each);
  }
  return found;
}
