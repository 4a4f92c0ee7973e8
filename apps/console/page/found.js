import { useEffect, useRef } from 'preact/hooks';
import { html } from './html.js';
import { choose } from './scan-field.js';
import { can } from './session.js';
import { state } from './state.js';
import { Actions } from './work-form.js';

const kinds = {
  item: 'Item',
  alias: 'Alias of an item',
  lot: 'Lot',
  serial: 'Serial of a lot',
  serial2: 'Second serial of a lot',
  rfidTag: 'Tag of a lot',
  spot: 'Spot',
};

/** What the last code is, while that is not one thing. */
export function Found({ scanned }) {
  const { data, isLooking, isOffline, error, fault, matches = [], moreMatches } = scanned;
  const first = useRef();
  useEffect(() => first.current?.focus(), [data, isLooking]);
  const code = html`<bdi>${data}</bdi>`;
  if (isLooking) return html`<p class="note" role="status">Looking up ${code} …</p>`;
  if (error) return html`<p class="alert" role="alert">${error}</p>`;
  if (isOffline) return html`<${Unknown} data=${data} />`;
  if (matches.length === 0)
    return html`<div class="alert" role="alert">
      <p><strong>No match</strong> for “${code}”.</p>
      ${fault && html`<p>${fault.message}</p>`}
    </div>`;
  return html`
    <section aria-labelledby="found">
      <h1 id="found">Several matches for “${code}”</h1>
      <ul class="choices">
        ${matches.map(
          (match, place) => html`<li>
            <button class="choice" ref=${place === 0 ? first : undefined} onClick=${() => choose(match)}>
              <span class="quiet">${kinds[match.kind]}</span>
              <strong><bdi>${match.kind === 'spot' ? match.spot : match.shortID}</bdi></strong>
              <span><bdi>${wordsOf(match)}</bdi></span>
            </button>
          </li>`,
        )}
      </ul>
      ${moreMatches && html`<p class="note">There are more; scan something of the lot itself.</p>`}
    </section>
  `;
}

function warehouseOf(wID) {
  const { warehouses } = state.session.me;
  return warehouses.find((warehouse) => warehouse.wID === wID)?.name ?? `Warehouse ${wID}`;
}

function wordsOf({ kind, description, recNo, units, spot, wID, serial }) {
  if (kind === 'spot') return warehouseOf(wID);
  if (recNo === undefined) return description;
  return [`Lot ${recNo}`, `${units} units`, spot && `at ${spot}`, serial].filter(Boolean).join(' · ');
}

/** A code that cannot be looked up now. Work goes on; the service judges it later. */
function Unknown({ data }) {
  const why = can('look')
    ? 'Offline: the code could not be looked up.'
    : 'This client may not look up codes.';
  return html`
    <section class="card">
      <h1><bdi>${data}</bdi></h1>
      <p class="note" role="status">${why} It is taken for an item.</p>
      <${Actions} about=${{ itemID: data }} />
    </section>
  `;
}
