// Where a program would see a formula begin: at the beginning of a text, or behind a line end, a semicolon or
// a tab, at which some programs cut even within quotes; and where a text begins with a blank character.
const formulas = /(?<=^|[;\t\r\n])(?=['"]*[=+\-@\uff1d\uff0b\uff0d\uff20])|(?<=^|;)(?=['"]*[\t\r\n])/g;

/**
 * A cell of a CSV file (RFC 4180). No program that opens the file takes a text or a part of it for a formula.
 * As in the files of the command line (apps/admin/src/cli/csv.ts).
 */
export function csvCellOf(value) {
  const text = String(value ?? '');
  const isNumber = /^-?[\d.]+$/.test(text);
  const safe = isNumber ? text : text.replaceAll(formulas, "'");
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
