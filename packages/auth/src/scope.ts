import type { Client } from './client.ts';
import type { Permission } from './permission.ts';

/** Why a client may not; the contract's messages belong to these. */
export type Denial = 'readOnly' | 'permission' | 'scope';

/** Read-only first, then the permission: the documented order. */
export function denyAction(client: Client, permission: Permission, writes: boolean): Denial | null {
  if (writes && client.readOnly) return 'readOnly';
  return client.permissions.has(permission) ? null : 'permission';
}

/** Every warehouse must be in scope. One that does not exist is in nobody's. */
export function denyWarehouses(client: Client, wids: readonly number[]): Denial | null {
  return wids.every((wid) => client.scope.has(wid)) ? null : 'scope';
}
