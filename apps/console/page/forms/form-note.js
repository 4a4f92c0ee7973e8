import { html } from '../base/html.js';
import { fillIn } from './form-scan.js';

/** The last code that came while a form was open, and its uses there. */
export function FormNote({ note }) {
  if (!note) return null;
  const { data, isLooking, level, words, rest, uses = [] } = note;
  if (isLooking) return html`<p class="note" role="status">Looking up <bdi>${data}</bdi> …</p>`;
  const code = data !== undefined && html` “<bdi>${data}</bdi>”.`;
  const said = html`<p><strong>${words}</strong>${code} ${rest}</p>`;
  if (level === 'well') return html`<div class="note" role="status">${said}</div>`;
  return html`<div class="told" role="alert">
    ${said}
    ${uses.map((use) => html`<button type="button" onClick=${() => fillIn(use)}>${use.label}</button>`)}
  </div>`;
}
