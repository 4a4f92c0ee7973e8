import { useEffect, useState } from 'preact/hooks';
import { day } from '../base/format.js';
import { html } from '../base/html.js';
import { state, update } from '../base/state.js';
import { isExpired, shownUnits } from '../stock/lots-in-order.js';
import { movedWords, tryOut } from './carry-out.js';
import { operationOf, reasonOfTries } from './fields.js';

// Not at every key.
const restMs = 500;
// Nothing has to be walked to.
const untried = new Set(['receive', 'hold']);

/** The place of a count; at another place, another count begins. */
const placeOf = ({ recno, wid, spot, serial, everywhere }) =>
  JSON.stringify([recno, wid, spot, serial, everywhere]);

/**
 * The units that a count expects: those that the page showed when it began, or that a person has accepted
 * since.
 */
function expectedUnits(form) {
  const { values, accepted, isOld } = form;
  if (accepted?.place === placeOf(values)) return accepted.units;
  return isOld ? undefined : shownUnits(form);
}

/** Takes this figure for the one that the count in the open form is compared with. */
function accept(units) {
  update({ form: { ...state.form, accepted: { place: placeOf(state.form.values), units }, differs: null } });
}

/** An operation with the units that a count expects. Asks for them if the page has shown none. */
export async function withExpected(operation, form) {
  if (operation.op !== 'count') return operation;
  const expected =
    expectedUnits(form) ?? (state.isOnline ? (await tryOut(operation, form.lots))?.before : undefined);
  return expected === undefined ? operation : { ...operation, expected };
}

/** The effect that the open form would have as it stands: see `tryOut`. */
export function useEffectBefore(form) {
  const { op, values } = form;
  const [effect, setEffect] = useState(null);
  const expected = op === 'count' ? expectedUnits(form) : undefined;
  const { reasonCode, ...asked } = values;
  useEffect(() => {
    setEffect(null);
    const { operation } = operationOf(form, { isTry: true });
    if (operation === undefined || untried.has(operation.op) || !state.isOnline) return;
    let isOld = false;
    const timer = setTimeout(async () => {
      const tried = await tryOut(expected === undefined ? operation : { ...operation, expected }, form.lots);
      if (isOld) return;
      setEffect(tried);
      if (expected === undefined && tried?.before !== undefined) accept(tried.before);
    }, restMs);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [JSON.stringify([op, asked, form.sure, expected, reasonOfTries(op)])]);
  return effect;
}

/** The effect of a form, before it is carried out. */
export function Effect({ form, effect }) {
  const { op, values } = form;
  if (op === 'receive') {
    if (!values.expires || !isExpired({ expires: `${values.expires}T23:59:59.999Z` })) return null;
    return html`<output class="effect wait">It expired on ${day(values.expires)}: nobody can issue it.</output>`;
  }
  if (effect === null) return null;
  if (effect.differs) return html`<${Differs} figures=${effect.differs} />`;
  return html`<output class="effect ${effect.level}">
    ${
      effect.lots &&
      html`<ol>
        ${effect.lots.map(
          ({ recNo, spot, units, remaining }) => html`<li>
            <strong><bdi>${spot || `Lot ${recNo}`}</bdi></strong>: take ${units}, ${remaining} left${spot && html` <span class="quiet">lot ${recNo}</span>`}
          </li>`,
        )}
      </ol>`
    }
    ${effect.text}
  </output>`;
}

/** The stock moved while somebody counted: only a person knows whether that was counted. */
export function Differs({ figures }) {
  const keep = ({ currentTarget }) => {
    // The button is gone when it has been pressed.
    currentTarget.form.querySelector('[type=submit]').focus();
    accept(figures.present);
  };
  return html`<div class="told" role="alert">
    <p><strong>The stock moved meanwhile.</strong> ${movedWords(figures)} Count again, or keep your count.</p>
    <button type="button" onClick=${keep}>Keep my count</button>
  </div>`;
}
