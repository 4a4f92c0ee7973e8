import type { HoldRefusal } from '@inventory/db/holds';

/** One line about a lot that can be neither held nor released. */
export function explainHoldRefusal(refusal: HoldRefusal, recNo: number): string {
  switch (refusal) {
    case 'unknown_lot':
      return `there is no lot ${recNo}`;
    case 'not_in_stock':
      return `lot ${recNo} is not in stock`;
    case 'already_held':
      return `lot ${recNo} is on hold already`;
    case 'not_held':
      return `lot ${recNo} is not on hold`;
  }
}
