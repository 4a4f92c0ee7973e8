import { html } from './html.js';
import { namedIn, useLive } from './live.js';
import { addressOf } from './routes.js';
import { Rows } from './rows.js';
import { state } from './state.js';
import { Actions } from './work-form.js';

// Each takes a call of its own.
const warehousesMax = 8;

/** An item: its figures in each warehouse, its lots, its last transactions. */
export function Item({ shortID }) {
  const isAbout = (change) =>
    change.itemID === shortID || namedIn(change).some((each) => each.shortID === shortID);
  const [shown, problem] = useLive(() => readItem(shortID), isAbout, 'Offline: these figures may be old.');
  const told = state.told?.shortID === shortID ? { ...state.told, shortID: undefined } : {};
  const item = shown?.item;
  return html`
    <section class="card" aria-labelledby="item">
      <p class="quiet">Item${item && ` ${item.partNo}`}</p>
      <h1 id="item"><bdi>${item?.shortID ?? shortID}</bdi>${item?.discontinued && html` <span class="mark">Discontinued</span>`}</h1>
      ${item && html`<p><bdi>${item.description}</bdi></p>`}
      <${Actions} about=${{ ...told, itemID: shortID }} stocked=${stockedIn(shown)} />
      ${problem && html`<p class="alert" role="alert">${problem}</p>`}
      ${shown === null && problem === null && html`<p class="note" role="status">Loading …</p>`}
      ${shown && html`<${Figures} levels=${shown.levels} unit=${item.uOM} />`}
    </section>
    ${
      shown &&
      html`
        <section class="card" aria-labelledby="lots">
          <h2 id="lots">Lots in stock</h2>
          <${Rows} table="lots" rows=${shown.lots.value} but=${['shortID', 'description']} labelledby="lots" />
          <p class="more"><a href=${addressOf('lots', '', { field: 'itemID', search: shortID })}>Full list</a></p>
        </section>
        <section class="card" aria-labelledby="transactions">
          <h2 id="transactions">Last transactions</h2>
          <${Rows} table="transactions" rows=${shown.transactions.value} but=${['itemID']} labelledby="transactions" />
          <p class="more"><a href=${addressOf('transactions', '', { field: 'itemID', search: shortID })}>Full history</a></p>
        </section>
      `
    }
  `;
}

const stockedIn = (shown) =>
  (shown?.levels ?? []).filter(({ level }) => Number(level?.inStock) > 0).map(({ wID }) => wID);

function Figures({ levels, unit }) {
  return html`<dl class="figures">
    ${levels.map(
      ({ name, level }) => html`<div>
        <dt><bdi>${name}</bdi></dt>
        <dd>
          <strong class=${level?.inStock.length > 9 ? 'long' : ''}>${level?.inStock ?? '0'}</strong> <bdi class="quiet">${unit}</bdi>
          <span class="quiet">${level?.available ?? '0'} available${
            level && Number(level.onHold) > 0 ? `, ${level.onHold} on hold` : ''
          }</span>
        </dd>
      </div>`,
    )}
  </dl>`;
}

async function readItem(shortID) {
  const { client, me } = state.session;
  const item = await client.item({ shortID });
  const itemID = item.shortID;
  const [lots, transactions, ...levels] = await Promise.all([
    client.lots({ itemID, inStock: true, view: 'full', pageSize: 20 }).page(),
    client.transactions({ itemID, pageSize: 10 }).page(),
    ...me.warehouses.slice(0, warehousesMax).map(async ({ wID, name }) => {
      const { value } = await client.stockLevels({ wid: wID, partNo: item.partNo }).page();
      return { wID, name, level: value[0] };
    }),
  ]);
  return { item, lots, transactions, levels };
}
