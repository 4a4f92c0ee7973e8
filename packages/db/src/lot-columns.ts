import type { FullLot } from '@inventory/domain/contract/lot';
import type { ReceiveRequest } from '@inventory/domain/contract/receive';
import type { LotState } from '@inventory/domain/stock/batch';

/** What is known of a lot when its receipt is written; `owner`: the item's at that time. */
export type ReceivedLot = { lot: LotState; request: ReceiveRequest; owner: number };

/** `shown`: the field of answers that shows it. */
type KeptColumn = {
  column: string;
  type: 'text' | 'integer' | 'numeric' | 'timestamptz';
  shown: keyof FullLot;
  of: (received: ReceivedLot) => string | number | null | undefined;
};

/** Fields that a receipt begins with and later transactions change: the state of a lot has them. */
type Changing = 'itemID' | 'units' | 'wid' | 'spot' | 'rfidTag' | 'netWeight' | 'grossWeight';

/**
 * The columns that a lot keeps from its receipt for ever, and that every lot split from it has alike. A new
 * field of a receipt does not compile before it stands here, in {@link FullLot} and in the lists.
 */
const kept: Record<Exclude<keyof ReceiveRequest, Changing> | 'owner', KeptColumn> = {
  expires: {
    ...{ column: 'expires', type: 'timestamptz', shown: 'expires' },
    of: ({ lot: { expires } }) => (expires === null ? null : new Date(expires).toISOString()),
  },
  serial: { column: 'serial', type: 'text', shown: 'serial', of: ({ lot }) => lot.serial },
  serial2: { column: 'serial2', type: 'text', shown: 'serial2', of: ({ lot }) => lot.serial2 },
  remark: { column: 'remark', type: 'text', shown: 'remark', of: ({ request }) => request.remark ?? '' },
  owner: { column: 'owner', type: 'integer', shown: 'associate', of: ({ owner }) => owner },
  jobid: { column: 'job_id', type: 'integer', shown: 'jobID', of: ({ request }) => request.jobid ?? 0 },
  price: { column: 'price', type: 'numeric', shown: 'price', of: ({ request }) => request.price?.toString() },
  supplier: { column: 'supplier', type: 'integer', shown: 'supplier', of: ({ request }) => request.supplier },
  line: { column: 'line', type: 'integer', shown: 'line', of: ({ request }) => request.line },
  reference: {
    ...{ column: 'reference', type: 'text', shown: 'reference' },
    of: ({ request }) => request.reference,
  },
  reasonCode: {
    ...{ column: 'reason_code', type: 'integer', shown: 'reasonCode' },
    of: ({ request }) => request.reasonCode,
  },
};

/** Those columns, in one order for every statement. */
export const keptColumns: readonly KeptColumn[] = Object.values(kept);
