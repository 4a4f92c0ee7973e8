import type { Socket } from 'node:net';
import { addCount } from '@inventory/turns/add-count';
import type { Standing } from './caller-standing.ts';

/** How many connections of strangers each address has. */
export class StrangerCounts {
  readonly #standing: Standing;
  readonly #perAddressMax: number;
  readonly #strangers = new Map<string, number>();
  readonly #networkOf = new WeakMap<Socket, string>();

  /** `perAddressMax`: see `ConnectionsOptions`. */
  constructor(standing: Standing, perAddressMax: number) {
    this.#standing = standing;
    this.#perAddressMax = perAddressMax;
  }

  /** Counts a new connection. */
  add(socket: Socket, network: string): void {
    this.#networkOf.set(socket, network);
    addCount(this.#strangers, network, 1);
  }

  /** Counts a connection no more: it is closed, or its caller is known. */
  remove(socket: Socket): void {
    addCount(this.#strangers, this.#networkOf.get(socket)!, -1);
  }

  isStranger(socket: Socket): boolean {
    return !this.#standing.isKnown(socket);
  }

  /** Whether the connection is a stranger's, and its address has too many of those. */
  has(socket: Socket): boolean {
    if (this.#perAddressMax === 0 || !this.isStranger(socket)) return false;
    return this.#strangers.get(this.#networkOf.get(socket)!)! > this.#perAddressMax;
  }
}
