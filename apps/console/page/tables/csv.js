import { state } from '../base/state.js';
import { csvCellOf } from './csv-cell.js';
import { openReader } from './list-reader.js';
import { tables, textOf } from './tables.js';

const pageSize = 250;
// A long list leaves the other calls of this client their part of its limit.
const shareOfLimit = 0.6;
const pagesAtOnce = 10;

/**
 * Saves a whole list as it is searched, filtered and sorted. `onProgress` is told how many rows there are,
 * and of how many, or null. Throws if it cannot be read, or if `signal` ends it; then nothing is saved.
 */
export async function saveCsv(name, asked, { onProgress, signal }) {
  const { columns } = tables[name];
  const { requestsPerMinute } = state.session.me.limits;
  const betweenMs = 60_000 / (requestsPerMinute * shareOfLimit);
  const lineOf = (cells) => `${cells.map(csvCellOf).join()}\r\n`;
  const parts = ['\uFEFF', lineOf(columns.map(({ word }) => word))];
  const reader = await openReader(name, asked, { pageSize, rowsMax: Number.POSITIVE_INFINITY, signal });
  // A record that moved to a later page meanwhile is saved already. The first column names it.
  const [{ name: id }] = columns;
  const known = new Set();
  let hasMore = true;
  for (let page = 1; hasMore; page++) {
    const begun = Date.now();
    const read = await reader.page(page);
    signal.throwIfAborted();
    const rows = read.rows.filter((row) => !known.has(row[id]));
    for (const row of rows) known.add(row[id]);
    parts.push(rows.map((row) => lineOf(columns.map((column) => textOf(column, row)))).join(''));
    hasMore = read.hasMore;
    onProgress(known.size, read.total);
    const restMs = begun + betweenMs - Date.now();
    if (hasMore && page >= pagesAtOnce && restMs > 0) await new Promise((end) => setTimeout(end, restMs));
    signal.throwIfAborted();
  }
  save(`${name}.csv`, parts);
}

function save(fileName, parts) {
  const address = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }));
  const link = Object.assign(document.createElement('a'), { href: address, download: fileName });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
