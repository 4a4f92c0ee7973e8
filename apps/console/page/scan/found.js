import { useLayoutEffect, useRef } from 'preact/hooks';
import { html } from '../base/html.js';
import { update } from '../base/state.js';
import { Actions } from '../forms/work-form.js';
import { can } from '../session/session.js';
import { kindOf, wordsOf } from '../stock/matches.js';
import { choose } from './scan.js';
import { teachable } from './teach.js';

/** The last code, while it does not stand for exactly one thing. */
export function Found({ scanned }) {
  const { data, isLooking, isOffline, error, matches = [], moreMatches, movesFocus } = scanned;
  const first = useRef();
  useLayoutEffect(() => {
    if (movesFocus) first.current?.focus();
  }, [data, isLooking]);
  const code = html`<bdi>${data}</bdi>`;
  if (isLooking)
    return html`<section class="card"><h1>${code}</h1><p class="note" role="status">Looking up …</p></section>`;
  if (error)
    return html`<section class="card"><h1>${code}</h1><p class="alert" role="alert">${error}</p></section>`;
  if (isOffline) return html`<${Unknown} data=${data} />`;
  if (matches.length === 0) return html`<${NoMatch} scanned=${scanned} />`;
  return html`
    <section aria-labelledby="found">
      <h1 id="found">Several matches for “${code}”</h1>
      <ul class="choices">
        ${matches.map(
          (match, place) => html`<li>
            <button class="choice" ref=${place === 0 ? first : undefined} onClick=${() => choose(match, scanned.gs1)}>
              <span class="quiet">${kindOf(match)}</span>
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

/** A code that means nothing yet, and what it can become. */
function NoMatch({ scanned }) {
  const { data, fault } = scanned;
  const code = teachable(scanned);
  const begin = (kind) =>
    update({ learning: { ...scanned, kind, code, opened: Symbol(code) }, notice: null });
  return html`<section class="card unknown">
    <div role="alert">
      <h1>No match for “<bdi>${data}</bdi>”</h1>
      ${fault && html`<p>${fault.message}</p>`}
    </div>
    ${
      code === null
        ? html`<p class="quiet">Scan another code, or look in the lists.</p>`
        : html`<p class="quiet">${code !== data && html`The item on this label has the number <bdi>${code}</bdi>. `}It can become the name of an item.</p>
          <div class="actions">
            <button onClick=${() => begin('teach')}>Teach to an item</button>
            <button onClick=${() => begin('create')}>New item</button>
          </div>`
    }
  </section>`;
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
