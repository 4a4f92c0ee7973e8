import { lengthMax } from '@inventory/domain/fields';

// How large the JSON of a record can be. A test asks each list for its largest page.

// A control character takes six bytes in JSON, and no other character more.
export const bytesOf = (length: number) => 6 * length;

/** The most bytes of texts of these kinds. */
export const textBytes = {
  shortId: bytesOf(lengthMax.shortId),
  label: bytesOf(lengthMax.label),
  description: bytesOf(lengthMax.description),
  remark: bytesOf(lengthMax.remark),
};

/** Names, numbers and times of a record. Operators may give a warehouse a long name. */
export const fixedBytes = 1500;

/** The most bytes of a page of such records. `fullBytes`: of a record with `view=full`. */
export const pageOf =
  (recordBytes: number, fullBytes = recordBytes) =>
  ({ pageSize, view }: { pageSize: number; view?: 'full' | undefined }) =>
    pageSize * (view === 'full' ? fullBytes : recordBytes);
