import { InventoryError } from '../http/inventory-error.ts';

/** The error of an operation of which nobody knows whether it was stored. `message`: what went wrong. */
export function storageFailed(message: string, cause: unknown): InventoryError {
  return new InventoryError({
    ...{ status: 0, code: 'storage_failed', outcome: 'unknown', cause },
    message: `${message}: the operation may be sent later.`,
  });
}
