import { html } from '../base/html.js';
import { addressOf } from '../base/routes.js';
import { SeenSection } from '../base/seen-section.js';
import { state } from '../base/state.js';
import { Actions } from '../forms/work-form.js';
import { StockPicture } from '../pictures/stock.js';
import { useHeld } from '../session/held.js';
import { isLow } from '../stock/low.js';
import { transactionsAfter } from '../stock/transactions-after.js';
import { Rows } from '../tables/rows.js';
import { afterChange, figuresOf, readItem } from './item-figures.js';

const lotsMax = 50;
const transactionsMax = 10;

/** An item: its figures in each warehouse, its lots, its last transactions. */
export function Item({ shortID }) {
  const key = `item/${shortID}`;
  const [shown, problem] = useHeld(
    key,
    () => readItem(shortID),
    afterChange,
    'Offline: these figures may be old.',
  );
  const { description = state.told?.description, ...item } = shown?.item ?? {};
  const figures = shown === null ? [] : figuresOf(shown);
  return html`
    <section class="card" aria-labelledby="item">
      <p class="quiet">Item${shown && ` ${item.partNo}`}</p>
      <h1 id="item"><bdi>${shortID}</bdi>${item.discontinued && html` <span class="mark">Discontinued</span>`}</h1>
      ${description && html`<p><bdi>${description}</bdi></p>`}
      <${Actions} about=${{ itemID: shortID }} stocked=${figures.filter(({ inStock }) => Number(inStock) > 0).map(({ wID }) => wID)}
        lots=${shown?.lots.lots} isWhole=${shown?.lots.isWhole} />
      ${problem && html`<p class="alert" role="alert">${problem}</p>`}
      ${shown === null && problem === null && html`<p class="note" role="status">Loading …</p>`}
      ${shown && html`<${Figures} figures=${figures} unit=${item.uOM} />`}
    </section>
    ${
      shown &&
      html`
        <section class="card" aria-labelledby="lots">
          <h2 id="lots">Lots in stock</h2>
          <${Rows} table="lots" rows=${shown.lots.lots.slice(0, lotsMax)} but=${['shortID', 'description']} labelledby="lots" />
          <p class="more"><a href=${addressOf('lots', '', { field: 'itemID', search: shortID })}>Full list</a></p>
        </section>
        <${LastTransactions} shortID=${shortID} />
        <${StockPicture} item=${item} />
      `
    }
  `;
}

function Figures({ figures, unit }) {
  return html`<dl class="figures">
    ${figures.map((each) => {
      const { name, inStock, available, onHold, minimum = null } = each;
      return html`<div>
        <dt><bdi>${name}</bdi></dt>
        <dd>
          <strong class=${inStock.length > 9 ? 'long' : ''}>${inStock}</strong> <bdi class="quiet">${unit}</bdi>
          <span class="quiet">
            ${
              Number(available) < 0 || isLow(each)
                ? html`<span class="mark">${available.replace('-', '−')} available</span>`
                : `${available} available`
            }${Number(onHold) > 0 && `, ${onHold} on hold`}${minimum !== null && `, minimum ${minimum}`}
          </span>
        </dd>
      </div>`;
    })}
  </dl>`;
}

function LastTransactions({ shortID }) {
  const address = addressOf('transactions', '', { field: 'itemID', search: shortID });
  const more = html`<p class="more"><a href=${address}>Full history</a></p>`;
  return html`<${SeenSection} id="transactions" title="Last transactions" more=${more}>
    <${Transactions} shortID=${shortID} />
  <//>`;
}

function Transactions({ shortID }) {
  const read = async () => {
    const { client } = state.session;
    return (await client.transactions({ itemID: shortID, pageSize: transactionsMax }).page()).value;
  };
  const apply = (known, change) => {
    // A hold is told without its transaction.
    if (change.type === 'hold') return change.shortID === shortID ? undefined : known;
    return transactionsAfter(known, change, ({ itemID }) => itemID === shortID).slice(0, transactionsMax);
  };
  const [shown, problem] = useHeld(
    `item/${shortID}/transactions`,
    read,
    apply,
    'Offline: these cannot be read.',
  );
  if (problem && shown === null) return html`<p class="alert" role="alert">${problem}</p>`;
  if (shown === null) return html`<p class="note" role="status">Loading …</p>`;
  return html`<${Rows} table="transactions" rows=${shown} but=${['itemID']} labelledby="transactions" />`;
}
