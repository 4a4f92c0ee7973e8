import { type Piece, piece } from '@inventory/postgres/piece';

/**
 * The transactions of these warehouses that meet a condition. A transaction between two warehouses is found
 * by either index, but returned once.
 */
export function touching(wids: readonly number[], columns: Piece, condition: Piece): Piece {
  const scope = piece`${wids}::integer[]`;
  return piece`
    select ${columns} from stock_transaction where wid = any(${scope}) and ${condition}
    union all
    select ${columns} from stock_transaction
    where to_wid = any(${scope}) and to_wid is not null and wid <> all(${scope}) and ${condition}`;
}
