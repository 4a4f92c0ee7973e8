import { piece } from '@inventory/postgres/piece';

/** The number of the lot of a hold. */
export const heldLot = piece`(stock_transaction.result->>'recNo')::bigint`;

/** Holds and releases, which have no lines: with `heldLot`, by their index. */
export const isHold = piece`stock_transaction.kind = 'hold' and stock_transaction.wid is not null`;
