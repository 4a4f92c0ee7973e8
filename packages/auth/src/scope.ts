import type { Needed } from '@inventory/domain/permission';
import type { Client } from './client.ts';

/** Why a client may not do something. Each has a message in the contract. */
export type Denial = 'readOnly' | 'permission' | 'scope';

/** Checks read-only first, then the permission, as documented. */
export function denyAction(client: Client, needed: Needed, writes: boolean): Denial | null {
  if (writes && client.readOnly) return 'readOnly';
  return hasNeeded(client, needed) ? null : 'permission';
}

function hasNeeded({ permissions }: Client, needed: Needed): boolean {
  if (typeof needed === 'number') return permissions.has(needed);
  if ('anyOf' in needed) return needed.anyOf.some((each) => permissions.has(each));
  return needed.every((each) => permissions.has(each));
}

/** All warehouses must be in scope. A warehouse that does not exist never is. */
export function denyWarehouses(client: Client, wids: readonly number[]): Denial | null {
  return wids.every((wid) => client.scope.has(wid)) ? null : 'scope';
}
