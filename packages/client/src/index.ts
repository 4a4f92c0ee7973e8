// The package's face: all that a program imports.
export type * from './api/types.ts';
export type { Feed } from './changes/feed.ts';
export type { Mirror, MirrorOptions, MirrorStore, Upsert } from './changes/mirror.ts';
export {
  type CallOptions,
  type ClientOptions,
  InventoryClient,
  type ItemName,
  type WriteOptions,
} from './client.ts';
export { InventoryError, type Outcome } from './http/inventory-error.ts';
export { newKey } from './http/new-key.ts';
export type { Listing, Page } from './lists/listing.ts';
export { fileStorage } from './queue/file-storage.ts';
export { indexedDbStorage } from './queue/indexed-db-storage.ts';
export { memoryStorage } from './queue/memory-storage.ts';
export type { OfflineQueue, OfflineQueueOptions } from './queue/offline-queue.ts';
export type { Decided } from './queue/send-oldest.ts';
export type { QueuedOperation, QueueStorage, RefusedOperation, StoredOperation } from './queue/storage.ts';
export { verifyWebhook, type WebhookMessage } from './webhook.ts';
