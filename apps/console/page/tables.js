import { day, moment, signed } from './format.js';
import { html } from './html.js';
import { addressOf } from './routes.js';

const itemLink = (shortID) => html`<a href=${addressOf('item', shortID)}><bdi>${shortID}</bdi></a>`;
const change = ({ lines }) =>
  lines.map(({ delta, spot }) => `${signed(delta)}${spot === '' ? '' : ` at ${spot}`}`).join(', ');

/**
 * The tables. `columns`: the field, its word, and how it is shown; `isRoomy`: only where there is room. `fields`: what
 * `Search` can look for. `icon`: a path in 24 by 24.
 */
export const tables = {
  lots: {
    title: 'Lots',
    icon: 'm4 8 8-4 8 4v8l-8 4-8-4zl8 4 8-4m-8 4v8',
    list: (client, query) => client.lots({ view: 'full', inStock: true, ...query }),
    hasWarehouse: true,
    fields: { itemID: 'Item', spot: 'Spot', serial: 'Serial', rfidTag: 'Tag' },
    columns: [
      {
        name: 'recNo',
        word: 'Lot',
        show: ({ recNo }) => html`<a href=${addressOf('lot', recNo)}>${recNo}</a>`,
      },
      { name: 'shortID', word: 'Item', show: ({ shortID }) => itemLink(shortID) },
      { name: 'description', word: 'Description', isRoomy: true },
      { name: 'units', word: 'Units', isNumber: true },
      { name: 'spot', word: 'Spot' },
      { name: 'warehouse', word: 'Warehouse', isRoomy: true },
      { name: 'serial', word: 'Serial', isRoomy: true },
      { name: 'expires', word: 'Expires', isRoomy: true, show: ({ expires }) => day(expires) },
      { name: 'hold', word: 'Hold', isRoomy: true, show: ({ hold }) => (hold ? 'on hold' : '') },
    ],
  },
  levels: {
    title: 'Levels',
    icon: 'M5 20v-8m7 8V4m7 16v-5',
    list: (client, query) => client.stockLevels({ view: 'full', ...query }),
    hasWarehouse: true,
    fields: { itemID: 'Item' },
    columns: [
      { name: 'shortID', word: 'Item', show: ({ shortID }) => itemLink(shortID) },
      { name: 'description', word: 'Description', isRoomy: true },
      { name: 'inStock', word: 'In stock', isNumber: true },
      { name: 'available', word: 'Available', isNumber: true },
      { name: 'onHold', word: 'On hold', isNumber: true, isRoomy: true },
      { name: 'committed', word: 'Committed', isNumber: true, isRoomy: true },
    ],
  },
  items: {
    title: 'Items',
    icon: 'M4 4h8l8 8-8 8-8-8zm4.5 4.5h.01',
    list: (client, query) => client.items(query),
    fields: { search: 'Text' },
    columns: [
      { name: 'shortID', word: 'Item', show: ({ shortID }) => itemLink(shortID) },
      { name: 'description', word: 'Description' },
      { name: 'partNo', word: 'Part number', isNumber: true, isRoomy: true },
      { name: 'uOM', word: 'Unit', isRoomy: true },
      { name: 'category', word: 'Category', isNumber: true, isRoomy: true },
      { name: 'modified', word: 'Changed', isRoomy: true, show: ({ modified }) => moment(modified) },
    ],
  },
  transactions: {
    title: 'Transactions',
    icon: 'M4 8h15l-4-4m5 12H5l4 4',
    list: (client, query) => client.transactions(query),
    hasWarehouse: true,
    fields: {
      itemID: 'Item',
      serial: 'Serial',
      reference: 'Reference',
      deviceID: 'Device',
      clientId: 'Client',
    },
    columns: [
      {
        name: 'transactionNo',
        word: 'Number',
        show: ({ transactionNo }) =>
          html`<a href=${addressOf('transaction', transactionNo)}>${transactionNo}</a>`,
      },
      { name: 'kind', word: 'Kind', show: ({ kind }) => kind },
      { name: 'itemID', word: 'Item', show: ({ itemID }) => itemLink(itemID) },
      { name: 'lines', word: 'Change', show: (row) => html`<bdi>${change(row)}</bdi>`, text: change },
      { name: 'at', word: 'When', isRoomy: true, show: ({ at }) => moment(at) },
      { name: 'clientId', word: 'Client', isRoomy: true },
    ],
  },
};
