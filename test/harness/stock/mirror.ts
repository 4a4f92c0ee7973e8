import type { Change, OrderedLevel } from '@inventory/domain/contract/change';
import type { Item } from '@inventory/domain/contract/item';
import type { StockLevel } from '@inventory/domain/contract/stock-level';
import type { FullLot } from '@inventory/domain/lot';
import { formatQuantity, parseQuantity } from '@inventory/domain/quantity';

/** The records of the lists. Levels are of one warehouse each: a sum does not tell order quantities. */
export type Lists = {
  lots: FullLot[];
  levels: (StockLevel & { wID: number })[];
  items: Item[];
  /** Gates below their minimum. */
  low: Gate[];
};

type Gate = { partNo: number; wID: number };

/** The gates as texts, in one order. */
export function gateTexts(gates: readonly Gate[]): string[] {
  return gates.map(({ partNo, wID }) => `${partNo} in ${wID}`).sort();
}

/** A copy of the lists that the change feed keeps up to date. */
export type Mirror = {
  apply(change: Change): void;
  /**
   * The records of the lists, in order of number. `modified` of lots is left out: a lot also counts as
   * modified when its item or its warehouse was renamed.
   */
  state(): { lots: Omit<FullLot, 'modified'>[]; levels: StockLevel[]; items: Item[]; low: string[] };
};

type Ordered = Pick<OrderedLevel, 'onOrder' | 'committed' | 'packed' | 'aSN'>;

/** Adds up decimals without the errors of floating point. */
function sum(figures: readonly number[]): number {
  const total = figures.reduce((all, each) => all + parseQuantity(String(each)), 0n);
  return Number(formatQuantity(total));
}

/** Begins with what the lists showed. */
export function createMirror({ lots, levels, items, low }: Lists): Mirror {
  const lotsByNo = new Map(lots.map((lot) => [lot.recNo, lot]));
  const itemsByNo = new Map(items.map((item) => [item.partNo, item]));
  const orders = new Map<number, Map<number, Ordered>>();
  const names = new Map<number, string>();

  function order({ partNo, wID, onOrder, committed, packed, aSN }: Omit<OrderedLevel, 'type' | 'shortID'>) {
    const ofItem = orders.get(partNo) ?? new Map();
    orders.set(partNo, ofItem.set(wID, { onOrder, committed, packed, aSN }));
  }
  levels.forEach(order);
  const lowGates = new Set(gateTexts(low));

  function take(lot: FullLot) {
    lotsByNo.set(lot.recNo, lot);
    // It shows the present name of its warehouse, and so do all others.
    names.set(lot.wID, lot.warehouse);
  }

  return {
    apply(change) {
      switch (change.type) {
        case 'stock':
          return change.lots.forEach(take);
        case 'hold': {
          const { type, ...lot } = change;
          return take(lot);
        }
        case 'item': {
          const { type, aliases, aliasUnits, ...item } = change;
          itemsByNo.set(item.partNo, item);
          return;
        }
        case 'level':
          return order(change);
        case 'low': {
          const [gate] = gateTexts([change]);
          if (change.low) lowGates.add(gate!);
          else lowGates.delete(gate!);
          return;
        }
        case 'warehouse':
          names.set(change.wID, change.name);
          return;
      }
    },
    state() {
      const byNo = <Record>(records: Map<number, Record>) =>
        [...records].sort(([one], [other]) => one - other).map(([, record]) => record);
      const shown = byNo(lotsByNo).map(({ modified, ...lot }) => ({
        ...lot,
        description: itemsByNo.get(lot.partNo)!.description,
        warehouse: names.get(lot.wID) ?? lot.warehouse,
      }));
      const partNos = new Set([...orders.keys(), ...shown.map(({ partNo }) => partNo)]);
      const levelsNow = [...partNos]
        .sort((one, other) => one - other)
        .map((partNo) => {
          const own = shown.filter((lot) => lot.partNo === partNo);
          const inStock = sum(own.map(({ units }) => units));
          const onHold = sum(own.filter(({ hold }) => hold).map(({ units }) => units));
          const ordered = [...(orders.get(partNo)?.values() ?? [])];
          const quantity = (name: keyof Ordered) => sum(ordered.map((each) => each[name]));
          const [committed, packed] = [quantity('committed'), quantity('packed')];
          return {
            partNo,
            available: sum([inStock, -onHold, -committed, -packed]),
            ...{ inStock, onOrder: quantity('onOrder'), onHold, committed, packed, aSN: quantity('aSN') },
          };
        });
      return { lots: shown, levels: levelsNow, items: byNo(itemsByNo), low: [...lowGates].sort() };
    },
  };
}
