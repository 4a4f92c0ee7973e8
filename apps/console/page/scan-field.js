import { InventoryError } from '@inventory/client';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Camera, hasCamera } from './camera.js';
import { html } from './html.js';
import { go } from './routes.js';
import { can } from './session.js';
import { state, update } from './state.js';

// A person who waits longer believes that the scanner failed.
const answerWithinMs = 5000;

/** The one field that takes everything: a scanner that types, the camera, and people. */
export function ScanField() {
  const field = useRef();
  const [isFilming, film] = useState(false);
  useLayoutEffect(() => {
    const take = (event) => {
      // A space presses a button.
      const isTyped = /^[^ ]$/u.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey;
      const isFree = !event.target.closest('input:not([type=checkbox]), select, dialog');
      if (isTyped && isFree) field.current.focus();
      // A scanner types the separator of GS1 codes in this way.
      if (event.ctrlKey && event.key === ']' && (isFree || event.target === field.current)) {
        event.preventDefault();
        field.current.focus();
        field.current.value += '\u001d';
      }
    };
    document.addEventListener('keydown', take);
    return () => document.removeEventListener('keydown', take);
  }, []);
  // A code that is scanned after another replaces it.
  useLayoutEffect(() => {
    if (state.form === null) field.current.focus();
  }, [state.form === null]);

  const submit = (event) => {
    event.preventDefault();
    const data = field.current.value.trim();
    field.current.value = '';
    if (data !== '') scan(data);
  };
  return html`
    <form class="scan" role="search" onSubmit=${submit}>
      <input ref=${field} aria-label="Scan" placeholder="Scan or type a code" autocomplete="off" autocapitalize="off"
        autocorrect="off" spellcheck=${false} enterkeyhint="search" maxlength="4000" />
      ${
        hasCamera() &&
        html`<button type="button" class="plain camera" aria-label="Camera" onClick=${() => film(true)}>
          <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 8h3l2-3h6l2 3h3v11H4z"/><circle cx="12" cy="13" r="3.5"/></svg>
        </button>`
      }
      ${
        isFilming &&
        html`<${Camera} onEnd=${() => film(false)} onCode=${(data) => {
          film(false);
          scan(data);
        }} />`
      }
    </form>
  `;
}

/** Asks what a code is, and shows it. */
export async function scan(data) {
  update({ scanned: { data, isLooking: true }, notice: null });
  const found = await lookUp(data);
  // Another code came meanwhile.
  if (state.scanned?.data !== data) return;
  const { matches = [] } = found;
  if (matches.length === 1 && fillSpot(matches[0])) return update({ scanned: null });
  if (matches.length === 1) return choose(matches[0]);
  update({ scanned: { data, ...found }, form: null });
}

/** Shows one match, and keeps what the code tells beyond it. */
export function choose(match) {
  const { kind, operation } = match;
  update({ scanned: null, form: null });
  if (kind === 'spot')
    return go('lots', '', { field: 'spot', search: match.spot, wid: match.wID, inStock: 'true' });
  const isLot = !['item', 'alias'].includes(kind);
  const told = operation?.body ?? {};
  const { units, serial, serial2, expires, netWeight } = told;
  state.told = { shortID: match.shortID, units, serial, serial2, expires, netWeight };
  if (isLot) go('lot', String(match.recNo));
  else go('item', match.shortID);
}

async function lookUp(data) {
  if (!can('look') || !state.isOnline) return { isOffline: true };
  try {
    const { client } = state.session;
    const signal = AbortSignal.timeout(answerWithinMs);
    const { results } = await client.scan({ scans: [{ data }] }, { signal });
    return results[0];
  } catch (error) {
    if (error instanceof InventoryError && error.status === 0) return { isOffline: true };
    return { error: error.message };
  }
}

/** A spot that is scanned while a form is open belongs into it. */
function fillSpot({ kind, spot }) {
  if (kind !== 'spot' || state.form === null) return false;
  const { op, values } = state.form;
  const name = op === 'move' ? (values.fromSpot || values.recno ? 'toSpot' : 'fromSpot') : 'spot';
  update({ form: { ...state.form, values: { ...values, [name]: spot } } });
  return true;
}
