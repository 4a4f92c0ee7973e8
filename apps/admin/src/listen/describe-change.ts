import type { Change } from '@inventory/domain/contract/change';

/** A change as one line for a person. */
export function describeChange(change: Change): string {
  switch (change.type) {
    case 'stock': {
      const { at, transactionNo, kind, itemID, clientId, reference } = change;
      const lines = change.lines.map(({ recNo, wID, spot, delta, balance }) => {
        const place = spot === '' ? `${wID}` : `${wID} ${spot}`;
        return `lot ${recNo} in ${place}: ${delta > 0 ? '+' : ''}${delta} to ${balance}`;
      });
      const named = [
        at,
        `transaction ${transactionNo}`,
        kind,
        itemID,
        ...(reference === null ? [] : [reference]),
      ];
      return `${named.join('  ')}  by ${clientId}  ${lines.join('; ') || 'no change'}`;
    }
    case 'hold': {
      const { recNo, shortID, wID, hold, holdReason } = change;
      const state = hold ? `on hold${holdReason === null ? '' : `: ${holdReason}`}` : 'released';
      return `lot ${recNo}  ${shortID}  in ${wID}  ${state}`;
    }
    case 'item':
      return `item ${change.partNo}  ${change.shortID}  ${change.description}  ${change.aliases.join(', ')}`;
    case 'level': {
      const { shortID, wID, onOrder, committed, packed, aSN, minimum } = change;
      const least = minimum === undefined ? '' : `, minimum ${minimum}`;
      return `level  ${shortID}  in ${wID}  on order ${onOrder}, committed ${committed}, packed ${packed}, aSN ${aSN}${least}`;
    }
    case 'low': {
      const { shortID, wID, minimum, available, low } = change;
      const state = low ? 'low' : minimum === null ? 'without a minimum' : 'enough again';
      return `low  ${shortID}  in ${wID}  ${state}: available ${available}, minimum ${minimum ?? 'none'}`;
    }
    case 'warehouse':
      return `warehouse ${change.wID}  ${change.name}`;
    case 'scope':
      return `scope  warehouses ${change.warehouses.map(({ wID }) => wID).join(', ') || 'none'}`;
  }
}
