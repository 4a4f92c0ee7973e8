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

/**
 * Names, numbers and times of a record. The name of a warehouse, which operators give,
 * may be long as well.
 */
export const fixedBytes = 1500;

/** The most bytes of a page of such records. */
export const pageOf =
  (recordBytes: number) =>
  ({ pageSize }: { pageSize: number }) =>
    pageSize * recordBytes;
