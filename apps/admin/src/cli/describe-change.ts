import type { Change } from '@inventory/domain/contract/change';

/** A change as one line for people. */
export function describeChange(change: Change): string {
  switch (change.type) {
    case 'stock': {
      const lines = change.lines.map(({ recNo, wID, delta, balance }) => {
        return `lot ${recNo} in ${wID}: ${delta > 0 ? '+' : ''}${delta} = ${balance}`;
      });
      const what = `${change.kind} ${change.itemID} (transaction ${change.transactionNo})`;
      return `stock ${what}${lines.length === 0 ? '' : `: ${lines.join(', ')}`}`;
    }
    case 'hold': {
      const reason = change.hold ? `on hold, ${change.holdReason}` : 'released';
      return `hold ${change.shortID}, lot ${change.recNo} in ${change.wID}: ${reason}`;
    }
    case 'item':
      return `item ${change.shortID}: ${change.description}`;
    case 'level': {
      const { onOrder, committed, packed, aSN } = change;
      const quantities = `on order ${onOrder}, committed ${committed}, packed ${packed}, ASN ${aSN}`;
      return `level ${change.shortID} in ${change.wID}: ${quantities}`;
    }
    case 'warehouse':
      return `warehouse ${change.wID}: ${change.name}`;
    case 'scope':
      return `scope: warehouses ${change.warehouses.map(({ wID }) => wID).join(', ') || 'none'}`;
  }
}
