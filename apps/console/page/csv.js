import { state, update } from './state.js';
import { tables } from './tables.js';

/** Saves a whole list, with the filters that are set. */
export async function saveCsv(name, query) {
  const { list, columns } = tables[name];
  try {
    const lines = [columns.map(({ word }) => cellOf(word)).join()];
    for await (const record of list(state.session.client, query))
      lines.push(columns.map(({ name: field, text }) => cellOf(text ? text(record) : record[field])).join());
    save(`${name}.csv`, `${lines.join('\r\n')}\r\n`);
  } catch (error) {
    update({ notice: { text: error.message, level: 'bad' } });
  }
}

/** A cell (RFC 4180). No program that opens the file takes a text for a formula. */
function cellOf(value) {
  const text = String(value ?? '');
  const isFormula = /^[=+\-@\t\r]/.test(text) && !/^-?[\d.]+$/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function save(fileName, text) {
  const address = URL.createObjectURL(new Blob(['\uFEFF', text], { type: 'text/csv' }));
  const link = Object.assign(document.createElement('a'), { href: address, download: fileName });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
