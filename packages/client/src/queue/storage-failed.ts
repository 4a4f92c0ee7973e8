import { type InventoryError, unanswered } from '../http/inventory-error.ts';

/** The error of an operation of which nobody knows whether it was stored. `message`: what went wrong. */
export function storageFailed(message: string, cause?: unknown): InventoryError {
  return unanswered('storage_failed', `${message}: the operation may be sent later.`, true, cause);
}
