import { useEffect, useRef } from 'preact/hooks';
import { html } from '../base/html.js';

// Hands that go on typing press the next key sooner.
const pauseMs = 300;

/**
 * Searches as one types: when the hands pause, or at once with Enter. `value`: what the address says.
 * ArrowDown leads to the first choice.
 */
export function SearchField({ field, table, value, onSearch }) {
  const timer = useRef();
  const told = useRef(value);
  // A text that comes from elsewhere takes the place of what was typed; the answer to typing does not.
  useEffect(() => {
    if (value !== told.current || field.current.value === '') field.current.value = value;
    told.current = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const search = () => {
    clearTimeout(timer.current);
    const text = field.current.value.trim();
    if (text === told.current) return;
    told.current = text;
    onSearch(text);
  };
  const onInput = (event) => {
    clearTimeout(timer.current);
    // Of a character that is still being composed, there is nothing to search for.
    if (!event.isComposing) timer.current = setTimeout(search, pauseMs);
  };
  const onKeyDown = (event) => {
    if (event.key === 'Escape' && field.current.value !== '') {
      field.current.value = '';
      search();
    }
    const view = event.target.closest('.table-view');
    const choice = view.querySelector('.choices button');
    if (event.key !== 'ArrowDown' || choice === null) return;
    event.preventDefault();
    view.querySelector('.narrow-to')?.setAttribute('open', '');
    choice.focus();
  };
  const submit = (event) => {
    event.preventDefault();
    search();
  };
  return html`<form class="search" role="search" aria-label=${table.title} onSubmit=${submit}>
    <label><span>Search</span>
      <input type="search" name="search" ref=${field} placeholder=${table.hint} autocomplete="off" autocapitalize="off"
        spellcheck=${false} enterkeyhint="search" maxlength="200" onInput=${onInput} onCompositionEnd=${onInput} onKeyDown=${onKeyDown} />
    </label>
  </form>`;
}
