import { difference, sum } from '../base/decimals.js';
import { capital, day, effectWord, moment, signed } from '../base/format.js';
import { html } from '../base/html.js';
import { addressOf } from '../base/routes.js';
import { state } from '../base/state.js';
import { isLow } from '../stock/low.js';
import { Marks } from '../stock/marks.js';
import { reasonText } from '../stock/reasons.js';
import { unitOf } from '../stock/units.js';

const link = (view, id) => html`<a href=${addressOf(view, id)}><bdi>${id}</bdi></a>`;
const Unit = ({ of }) => html` <bdi class="unit">${unitOf(of)}</bdi>`;

/** A figure. One below zero is marked, as more was promised than there is. */
const Figure = ({ figure, of }) =>
  html`${
    figure.startsWith('-')
      ? html`<span class="mark">−${figure.slice(1)}</span>`
      : html`<span class="amount ${figure === '0' ? 'quiet' : ''}">${figure}</span>`
  }${of && html`<${Unit} of=${of} />`}`;

const isLoss = ({ delta }) => delta.startsWith('-');
const isMove = ({ lines }) => lines.some(isLoss) && lines.some((line) => !isLoss(line));

/**
 * By how much stock changed, with its sign; of a move, how much went. Empty: a hold, or the list tells only a
 * part.
 */
function changeOf(transaction) {
  const { lines, moreLines, hold } = transaction;
  if (moreLines || hold) return '';
  const told = isMove(transaction) ? lines.filter((line) => !isLoss(line)) : lines;
  return sum(told.map(({ delta }) => delta));
}

/** The spots of a transaction, each once: those that stock came from, and those that it went to. */
function placesOf(transaction) {
  const { lines, moreLines } = transaction;
  const { warehouses } = state.session.me;
  const isFar = new Set(lines.map(({ wID }) => wID)).size > 1;
  const nameOf = ({ wID, spot }) => {
    const warehouse = warehouses.find((each) => each.wID === wID)?.name ?? '';
    return isFar || spot === '' ? [warehouse, spot].filter(Boolean).join(' ') : spot;
  };
  const few = (some) => {
    const names = [...new Set(some.map(nameOf))];
    return names.length > 3 ? `${names.slice(0, 3).join(', ')} …` : names.join(', ');
  };
  const told = isMove(transaction)
    ? `${few(lines.filter(isLoss))} → ${few(lines.filter((line) => !isLoss(line)))}`
    : few(lines);
  return moreLines ? `${told} …` : told;
}

const Change = ({ row }) => {
  if (row.hold) return html`<span class="quiet">lot ${row.hold.recNo}</span>`;
  const change = changeOf(row);
  if (change === '') return html`<span class="quiet">many lots</span>`;
  const shown = isMove(row) || change === '0' ? change : signed(change);
  return html`<span class="amount">${shown}</span><${Unit} of=${row.lines[0] ?? {}} />`;
};

/** Something by which one may go on narrowing: a link to the table of all transactions with it. */
const only = (filter, value) =>
  html`<a class="only" href=${addressOf('transactions', '', { [filter]: value })}><bdi>${value}</bdi></a>`;

/**
 * The tables. `filters`: by their names in filters.js. `columns`: the field, its word, and
 * how it is shown; `text`: how it is saved, if not as the field. `share`: its part of the width, in percent;
 * without one it is saved but not shown. `sorts`: the service can sort by it. `place`: where it stands in a
 * card on a phone; without one it is left out there. `label`: the card says what it is. `icon`: a path in 24
 * by 24.
 */
export const tables = {
  lots: {
    title: 'Lots',
    noun: 'lots',
    icon: 'm4 8 8-4 8 4v8l-8 4-8-4zl8 4 8-4m-8 4v8',
    list: (client, query, options) => client.lots({ view: 'full', inStock: true, ...query }, options),
    hint: 'Item, spot, serial',
    filters: [
      ...['wid', 'stock', 'hold', 'expiry', 'by', 'spot', 'serial', 'tag', 'since'],
      ...['item', 'serial2', 'lot', 'job'],
    ],
    order: ['received', 'DESC'],
    columns: [
      {
        ...{ name: 'recNo', word: 'Lot', share: 6, sorts: true, place: 'line', label: true },
        show: ({ recNo }) => link('lot', recNo),
      },
      {
        ...{ name: 'shortID', word: 'Item', share: 15, sorts: true, place: 'title' },
        show: ({ shortID }) => link('item', shortID),
      },
      { name: 'description', word: 'Description', share: 15, sorts: true, place: 'sub' },
      {
        ...{ name: 'units', word: 'Units', share: 13, sorts: true, place: 'figure', isNumber: true },
        show: (lot) => html`<${Figure} figure=${lot.units} of=${lot} />`,
      },
      { name: 'uOM', word: 'Unit', text: unitOf },
      { name: 'spot', word: 'Spot', share: 9, sorts: true, place: 'line' },
      { name: 'warehouse', word: 'Warehouse', share: 9, sorts: true, place: 'line' },
      { name: 'serial', word: 'Serial', share: 10, sorts: true, place: 'line', label: true },
      {
        ...{ name: 'received', word: 'Received', share: 9, sorts: true, isRoomy: true },
        show: ({ received }) => html`<span class="amount">${day(received)}</span>`,
      },
      {
        ...{ name: 'expires', word: 'Expires', share: 9, sorts: true, place: 'line', label: true },
        show: (lot) =>
          html`<span class="amount">${day(lot.expires)}</span><${Marks} lot=${{ ...lot, hold: false }} />`,
      },
      {
        ...{ name: 'hold', word: 'Hold', share: 6, sorts: true, place: 'line' },
        show: (lot) => html`<${Marks} lot=${{ ...lot, expires: null }} />`,
      },
    ],
  },
  levels: {
    title: 'Levels',
    noun: 'levels',
    icon: 'M5 20v-8m7 8V4m7 16v-5',
    list: (client, query, options) => client.stockLevels({ view: 'full', ...query }, options),
    hint: 'Name, description, alias',
    filters: ['wid', 'low', 'since', 'item'],
    order: ['partNo', 'ASC'],
    columns: [
      {
        ...{ name: 'shortID', word: 'Item', share: 17, sorts: true, place: 'title' },
        show: ({ shortID }) => link('item', shortID),
      },
      { name: 'description', word: 'Description', share: 19, sorts: true, place: 'sub' },
      { name: 'partNo', word: 'Part no.', share: 8, sorts: true, isNumber: true },
      ...[
        ['inStock', 'In stock', 'line'],
        ['onHold', 'On hold', 'line'],
        ['committed', 'Committed', 'line'],
        ['available', 'Available', 'figure'],
      ].map(([name, word, place]) => ({
        ...{ name, word, share: 10, sorts: true, isNumber: true, place, label: true },
        isBlank: (level) => place === 'line' && name !== 'inStock' && level[name] === '0',
        show: (level) => html`<${Figure} figure=${level[name]} of=${level} />`,
      })),
      {
        ...{ name: 'minimum', word: 'Minimum', share: 9, isNumber: true, place: 'line', label: true },
        isBlank: ({ minimum = null }) => minimum === null,
        show: (level) =>
          isLow(level)
            ? html`<span class="mark">${level.minimum}</span>`
            : html`<span class="amount">${level.minimum}</span>`,
      },
      { name: 'uOM', word: 'Unit', share: 6, text: unitOf },
    ],
  },
  items: {
    title: 'Items',
    noun: 'items',
    icon: 'M4 4h8l8 8-8 8-8-8zm4.5 4.5h.01',
    list: (client, query, options) => client.items(query, options),
    hint: 'Name, description, alias',
    filters: ['discontinued', 'since'],
    order: ['shortID', 'ASC'],
    columns: [
      {
        ...{ name: 'shortID', word: 'Item', share: 18, sorts: true, place: 'title' },
        show: ({ shortID, discontinued }) =>
          html`${link('item', shortID)}${discontinued && html` <span class="mark">Discontinued</span>`}`,
      },
      { name: 'description', word: 'Description', share: 32, sorts: true, place: 'sub' },
      { name: 'uOM', word: 'Unit', share: 8, sorts: true, place: 'line' },
      { name: 'putUp', word: 'Packaging', share: 12, sorts: true, place: 'line' },
      {
        name: 'category',
        word: 'Category',
        share: 8,
        sorts: true,
        isNumber: true,
        place: 'line',
        label: true,
      },
      { name: 'partNo', word: 'Part no.', share: 8, sorts: true, isNumber: true, place: 'line', label: true },
      {
        ...{ name: 'modified', word: 'Changed', share: 14, sorts: true, isRoomy: true },
        show: ({ modified }) => moment(modified),
      },
      { name: 'discontinued', word: 'Discontinued' },
    ],
  },
  transactions: {
    title: 'Transactions',
    noun: 'transactions',
    icon: 'M4 8h15l-4-4m5 12H5l4 4',
    list: (client, query, options) => client.transactions(query, options),
    hint: 'Item, or a whole serial',
    filters: ['wid', 'kind', 'from', 'through', 'client', 'device', 'serial', 'reference', 'item', 'lot'],
    order: ['transactionNo', 'DESC'],
    columns: [
      {
        ...{ name: 'transactionNo', word: 'Number', share: 8, sorts: true, place: 'line', label: true },
        show: ({ transactionNo }) => link('transaction', transactionNo),
      },
      {
        ...{ name: 'kind', word: 'Kind', share: 9, place: 'sub', text: effectWord },
        show: (row) =>
          html`${capital(effectWord(row))}${row.reversedBy !== null && html` <span class="mark">Undone</span>`}`,
      },
      {
        ...{ name: 'itemID', word: 'Item', share: 16, place: 'title' },
        show: ({ itemID }) => link('item', itemID),
      },
      {
        ...{ name: 'lines', word: 'Units', share: 10, place: 'figure', isNumber: true, text: changeOf },
        show: (row) => html`<${Change} row=${row} />`,
      },
      { name: 'uOM', word: 'Unit', text: ({ lines }) => unitOf(lines[0] ?? {}) },
      { name: 'places', word: 'Where', share: 17, place: 'line', text: placesOf },
      {
        ...{ name: 'at', word: 'When', share: 12, place: 'line' },
        show: ({ at }) => moment(at),
      },
      {
        ...{ name: 'clientId', word: 'Client', share: 9, place: 'line' },
        show: ({ clientId }) => only('client', clientId),
      },
      {
        ...{ name: 'deviceID', word: 'Device', share: 8, isRoomy: true },
        show: ({ deviceID }) => deviceID && only('device', deviceID),
      },
      {
        ...{ name: 'reason', word: 'Reason', share: 11, place: 'line' },
        text: ({ reasonCode, hold }) => hold?.reason ?? reasonText(reasonCode),
      },
      { name: 'reasonCode', word: 'Reason code' },
      { name: 'reference', word: 'Reference' },
      { name: 'remark', word: 'Remark' },
      { name: 'reversedBy', word: 'Undone by' },
    ],
  },
};

/** The text of a cell. */
export const textOf = ({ name, text }, row) => String((text ? text(row) : row[name]) ?? '');

/** Puts records in the order of the service: empty ones last, and among equals by number. */
export function inOrder(name, sort) {
  const [field, direction] = sort ?? tables[name].order;
  const [{ name: id }] = tables[name].columns;
  const isEmpty = (value) => value === null || value === '';
  const sign = direction === 'DESC' ? -1 : 1;
  const compare = (a, b) => {
    if (field === 'units') return Math.sign(Number(difference(a, b)));
    return a === b ? 0 : a < b ? -1 : 1;
  };
  return (one, other) =>
    Number(isEmpty(one[field])) - Number(isEmpty(other[field])) ||
    sign * (compare(one[field], other[field]) || one[id] - other[id]);
}
