import { html } from '../base/html.js';
import { tables, textOf } from './tables.js';

/** The columns of a table that are shown. `but`: those that the view has told already. */
export const columnsOf = (table, but = []) =>
  tables[table].columns.filter(({ name, share }) => share !== undefined && !but.includes(name));

/** The rows of a table. */
export function Rows({ table, rows, but, labelledby }) {
  const columns = columnsOf(table, but);
  if (rows.length === 0) return html`<p class="note">None.</p>`;
  return html`<div class="sheet"><table role="table" aria-labelledby=${labelledby}>
    <${Head} columns=${columns} />
    <tbody role="rowgroup">${rows.map((row) => html`<${Row} columns=${columns} row=${row} />`)}</tbody>
  </table></div>`;
}

/** `head`: makes what stands at the head of a column. */
export function Head({ columns, head = ({ word }) => word, ariaSort = () => undefined }) {
  return html`
    <colgroup>${columns.map(({ share, isRoomy }) => html`<col class=${isRoomy ? 'roomy' : ''} style=${{ width: `${share}%` }} />`)}</colgroup>
    <thead role="rowgroup"><tr role="row">
      ${columns.map((column) => html`<th class=${classOf(column)} role="columnheader" scope="col" aria-sort=${ariaSort(column)}>${head(column)}</th>`)}
    </tr></thead>
  `;
}

/**
 * A row; where there is little room a card, so it says what it is in spite of its look. `index`: its place in
 * the list, from 0.
 */
export function Row({ columns, row, index }) {
  return html`<tr role="row" aria-rowindex=${index === undefined ? undefined : index + 2}>
    ${columns.map((column) => {
      const { name, word, label, show } = column;
      const isBlank = column.isBlank?.(row) ?? ['', 'false'].includes(textOf(column, row));
      return html`<td class="${classOf(column)} ${isBlank ? 'blank' : ''}" role="cell">
        ${label && html`<span class="label">${word} </span>`}${
          show
            ? show(row)
            : html`<bdi title=${name === 'description' ? row[name] : undefined}>${textOf(column, row)}</bdi>`
        }
      </td>`;
    })}
  </tr>`;
}

const classOf = ({ name, isNumber, isRoomy, place = 'left-out' }) =>
  ['cell', `of-${name}`, place, isNumber && 'number', isRoomy && 'roomy'].filter(Boolean).join(' ');
