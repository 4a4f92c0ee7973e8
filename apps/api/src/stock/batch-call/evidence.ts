import type { OperationHead } from '@inventory/domain/contract/batch';
import { parseDateTime } from '@inventory/domain/date-time';
import type { FieldErrors } from '@inventory/domain/refusals/refused';
import type { Evidence } from '@inventory/domain/request';

/**
 * When a batch came, by the clock of Postgres, and when it was sent, by the device's clock (null if not
 * given). Milliseconds since 1970.
 */
export type SentTimes = { receivedAt: number; sentAt: number | null };

// The difference between clocks that is tolerated.
const futureMaxMs = 5 * 60_000;
const firstMoment = Date.parse('0001-01-01T00:00:00Z');

/**
 * The device's notes about an operation, with the error of its clock corrected; undefined if there are none.
 */
export function evidenceOf(
  { capturedAt, deviceID, deviceSeq }: OperationHead,
  { receivedAt, sentAt }: SentTimes,
): Evidence | { errors: FieldErrors } | undefined {
  if (capturedAt === undefined && deviceID === undefined && deviceSeq === undefined) return undefined;
  const captured = capturedAt === undefined ? null : parseDateTime(capturedAt)!.at;
  const corrected = captured === null || sentAt === null ? null : captured + Math.round(receivedAt - sentAt);
  const known = corrected ?? captured;
  if (known !== null && known > receivedAt + futureMaxMs) {
    return { errors: { capturedAt: ['must not be more than 5 minutes in the future.'] } };
  }
  if (known !== null && known < firstMoment) {
    return { errors: { capturedAt: ['must be after the year 0, the clock error of sentAt taken off.'] } };
  }
  return {
    capturedAt: captured,
    correctedAt: corrected,
    deviceId: deviceID ?? null,
    deviceSeq: deviceSeq ?? null,
  };
}
