import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { html } from '../base/html.js';
import { state } from '../base/state.js';
import { Camera, hasCamera } from '../devices/camera.js';
import { readKeys } from '../devices/keys.js';
import { scan } from './scan.js';

/** The one field that takes everything: a scanner that types, the camera, and people. */
export function ScanField() {
  const field = useRef();
  const [isFilming, film] = useState(false);
  useLayoutEffect(() => readKeys(field.current, scan), []);
  const isFree = state.form === null && state.learning === null;
  // The next input is another code.
  useLayoutEffect(() => {
    if (isFree) field.current.focus();
  }, [isFree]);

  const submit = (event) => {
    event.preventDefault();
    const data = field.current.value.trim();
    field.current.value = '';
    scan(data);
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
