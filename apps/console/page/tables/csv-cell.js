/**
 * A cell of a CSV file (RFC 4180). No program that opens the file takes a text for a formula, or cuts it at a
 * semicolon. As in the files of the command line (apps/admin/src/cli/csv.ts).
 */
export function csvCellOf(value) {
  const text = String(value ?? '');
  const isNumber = /^-?[\d.]+$/.test(text);
  const safe = isNumber ? text : text.replaceAll(/(^|;)('*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])/g, "$1'$2");
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
