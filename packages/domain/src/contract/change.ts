import { z } from 'zod';
import { FullLot } from '../lot.ts';
import { Item } from './item.ts';
import { Minimum, StockLevel } from './stock-level.ts';
import { Transaction } from './transaction.ts';
import { Warehouse } from './warehouse.ts';

/** The fields that place a change; each kind has its own fields beside it. */
const typed = <Type extends string>(type: Type, meaning: string) => ({
  type: z.literal(type).describe(meaning),
});

const StockChange = z
  .object({
    ...typed('stock', 'An applied stock transaction'),
    ...Transaction.omit({ lines: true, moreLines: true }).shape,
    lines: Transaction.shape.lines.describe(
      'All lines in scope, in order; empty for a count that changed nothing',
    ),
    moreLines: Transaction.shape.moreLines.describe(
      'Only in a message of a webhook: true if it has no room for all lines and lots. Read the transaction and its lots',
    ),
    lots: z
      .array(FullLot)
      .describe('The lots of the lines as they are now, whole; one that is gone is `active: false`'),
  })
  .meta({ id: 'StockChange' });

const HoldChange = z
  .object({ ...typed('hold', 'A lot that was put on hold or released, as it is now'), ...FullLot.shape })
  .meta({ id: 'HoldChange' });

const ItemChange = z
  .object({
    ...typed('item', 'An item that was created or changed, or whose aliases were, as it is now'),
    ...Item.shape,
    aliases: z.array(z.string()).describe('All aliases of the item'),
    aliasUnits: z
      .array(z.object({ alias: z.string(), units: z.number() }))
      .optional()
      .describe('The aliases of which one scan stands for other than 1 unit, if there are any'),
  })
  .meta({ id: 'ItemChange' });

/** The quantities of an item in a warehouse that follow from no lot. */
const OrderedLevel = z
  .object({
    ...typed(
      'level',
      'Order quantities or the minimum of an item in a warehouse that were set, as they are now',
    ),
    partNo: StockLevel.shape.partNo,
    shortID: Item.shape.shortID,
    wID: FullLot.shape.wID,
    onOrder: StockLevel.shape.onOrder,
    committed: StockLevel.shape.committed,
    packed: StockLevel.shape.packed,
    aSN: StockLevel.shape.aSN,
    minimum: z.number().optional().describe('The units that should be available; missing: no minimum is set'),
  })
  .meta({ id: 'LevelChange' });
export type OrderedLevel = z.infer<typeof OrderedLevel>;

const LowChange = z
  .object({
    ...typed(
      'low',
      'An item of which `available` fell below its minimum in a warehouse, or is back. `minimum` and `available` are those of that moment',
    ),
    ...Minimum.shape,
  })
  .meta({ id: 'LowChange' });

const WarehouseChange = z
  .object({ ...typed('warehouse', 'A warehouse that was renamed'), ...Warehouse.shape })
  .meta({ id: 'WarehouseChange' });

const ScopeChange = z
  .object({
    ...typed('scope', 'Your warehouses are others than when the cursor was given: read the lists again'),
    warehouses: z.array(Warehouse).describe('The scope now, by wID'),
  })
  .meta({ id: 'ScopeChange' });

/** One change of the feed. */
const Change = z
  .discriminatedUnion('type', [
    StockChange,
    HoldChange,
    ItemChange,
    OrderedLevel,
    LowChange,
    WarehouseChange,
    ScopeChange,
  ])
  .meta({ id: 'Change' });
export type Change = z.infer<typeof Change>;

/** The answer of the change feed. */
export const ChangePage = z
  .object({
    value: z.array(Change).describe('The changes, in order'),
    nextCursor: z
      .string()
      .describe('The value for the next `after`. It is given even if there are no changes'),
    hasMore: z.boolean().describe('true when more changes follow now'),
    cursors: z
      .array(z.string())
      .describe('For each change the cursor behind it, so that a reader can stop in the middle of a page')
      .optional(),
  })
  .meta({ id: 'ChangePage' });
