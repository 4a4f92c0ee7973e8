import type { DeviceNumber } from '@inventory/db/requests/device-numbers';
import { PlainError } from '@inventory/process/plain-error';
import type { Report } from '@inventory/process/report';
import type { Operation } from './read-operations.ts';
import type { Result } from './results.ts';

/**
 * Notes which numbers of devices came with operations of which this was told, by their places in the list;
 * undefined: nothing was told of it. Returns at once, and never fails.
 */
export type NoteNumbers = (
  clientId: string,
  operations: readonly Operation[],
  toldOf: (index: number) => Pick<Result, 'status' | 'replayed'> | undefined,
) => void;

// In one statement, which takes some milliseconds.
const togetherMax = 1000;
// Of numbers that wait while Postgres is slow; of what comes then none is noted.
const waitingMax = 20_000;

/**
 * Has those numbers written whose operation may have no transaction of its own: what was refused, and what
 * was applied before, under another number perhaps. What is not applied has not come: its number stays a gap
 * until it is sent again. One statement is under way at a time, whoever sends how much.
 */
export function createNumberNotes(
  write: (numbers: readonly DeviceNumber[]) => Promise<void>,
  report: Report,
): NoteNumbers {
  const waiting: DeviceNumber[] = [];
  let isWriting = false;
  const failed = (error: Error) => report(error, 'the numbers of devices');

  async function writeAll() {
    isWriting = true;
    while (waiting.length > 0) await write(waiting.splice(0, togetherMax)).catch(failed);
    isWriting = false;
  }

  return (clientId, operations, toldOf) => {
    const came = operations.flatMap(({ index, device }) =>
      device !== null && mayLackTransaction(toldOf(index)) ? [{ clientId, ...device }] : [],
    );
    if (came.length === 0) return;
    if (waiting.length + came.length > waitingMax)
      return failed(new PlainError('more numbers of devices come than are written'));
    waiting.push(...came);
    if (!isWriting) void writeAll();
  };
}

function mayLackTransaction(told: ReturnType<Parameters<NoteNumbers>[2]>): boolean {
  if (told === undefined) return false;
  return told.status === 'refused' || (told.status === 'applied' && told.replayed);
}
