import type { ReceiveRequest } from '@inventory/domain/kinds/receive';
import type { FullLot } from '@inventory/domain/lot';
import type { LotState, Receipt } from '@inventory/domain/stock/batch';

/** The facts about a lot when its receipt is written. `owner`: the item's owner at that time. */
export type ReceivedLot = { lot: LotState; request: Receipt; owner: number };

/** `shown`: the field of answers that shows it. */
type KeptColumn = {
  column: string;
  type: 'text' | 'integer' | 'numeric' | 'timestamptz';
  shown: keyof FullLot;
  of: (received: ReceivedLot) => string | number | null | undefined;
};

/** Fields that later transactions change. They are part of the lot's state. */
type Changing = 'itemID' | 'units' | 'wid' | 'spot' | 'rfidTag' | 'netWeight' | 'grossWeight';

/**
 * The columns that a lot keeps from its receipt, and that all lots split from it share. A new field of a
 * receipt does not compile until it is added here, in {@link FullLot} and in the lists.
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

/** These columns, in the same order for every statement. */
export const keptColumns: readonly KeptColumn[] = Object.values(kept);
