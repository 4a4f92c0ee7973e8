import type { Client } from './client.ts';
import type { Needed } from './permission.ts';

/** Why a client may not; the contract's messages belong to these. */
export type Denial = 'readOnly' | 'permission' | 'scope';

/** Read-only first, then the permission: the documented order. */
export function denyAction(client: Client, needed: Needed, writes: boolean): Denial | null {
  if (writes && client.readOnly) return 'readOnly';
  return hasNeeded(client, needed) ? null : 'permission';
}

function hasNeeded({ permissions }: Client, needed: Needed): boolean {
  if (typeof needed === 'number') return permissions.has(needed);
  if ('anyOf' in needed) return needed.anyOf.some((each) => permissions.has(each));
  return needed.every((each) => permissions.has(each));
}

/** Every warehouse must be in scope. One that does not exist is in nobody's. */
export function denyWarehouses(client: Client, wids: readonly number[]): Denial | null {
  return wids.every((wid) => client.scope.has(wid)) ? null : 'scope';
}
