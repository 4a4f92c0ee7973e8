import { useEffect } from 'preact/hooks';
import { html } from '../base/html.js';
import { state, update } from '../base/state.js';
import { canUndo } from '../session/session.js';
import { undoNotice } from './carry-out.js';

const shownMs = 10_000;

/** The last action, for 10 seconds, with a way to undo it. */
export function Notice() {
  const { notice } = state;
  useEffect(() => {
    if (notice === null || notice.level === 'bad') return;
    const timer = setTimeout(() => state.notice === notice && update({ notice: null }), shownMs);
    return () => clearTimeout(timer);
  }, [notice]);
  const isBad = notice?.level === 'bad';
  const isUndone = notice?.opposite || (notice?.transactionNo && canUndo(notice.kind));
  const shown = () => html`<div class="notice ${notice.level}">
    <span><bdi>${notice.text}</bdi></span>
    ${isUndone && html`<button onClick=${() => undoNotice(notice)}>Undo</button>`}
    ${isBad && html`<button onClick=${() => update({ notice: null })}>Close</button>`}
  </div>`;
  return html`
    <div class="notices" role="status">${notice && !isBad && shown()}</div>
    ${isBad && html`<div class="notices" role="alert">${shown()}</div>`}
  `;
}
