import { html } from './html.js';
import { tables } from './tables.js';

/** The rows of a table. `but`: columns that the view has told already. */
export function Rows({ table, rows, but = [], labelledby }) {
  const columns = tables[table].columns.filter(({ name }) => !but.includes(name));
  const classOf = ({ isNumber, isRoomy }) =>
    [isNumber && 'number', isRoomy && 'roomy'].filter(Boolean).join(' ');
  if (rows.length === 0) return html`<p class="note">None.</p>`;
  return html`
    <table aria-labelledby=${labelledby}>
      <thead><tr>${columns.map((column) => html`<th class=${classOf(column)} scope="col">${column.word}</th>`)}</tr></thead>
      <tbody>
        ${rows.map(
          (row) => html`<tr>
            ${columns.map(
              (column) => html`<td class=${classOf(column)}>
                ${column.show ? column.show(row) : html`<bdi>${row[column.name]}</bdi>`}
              </td>`,
            )}
          </tr>`,
        )}
      </tbody>
    </table>
  `;
}
