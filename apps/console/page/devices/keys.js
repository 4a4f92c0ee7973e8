import { burstOf, pauseMostMs, restMs } from './burst.js';

// Scanners type the separator of GS1 codes as Ctrl and ].
const separator = '\u001d';
const modifiers = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'CapsLock']);
const typing = 'input:not([type=checkbox]), select, textarea';

// The keys that may still turn out to be a scanner's, each with the field that it was typed into and what
// stood there.
let keys = [];
// When a burst that ended may still send a second Enter.
let burstEndedAt = Number.NEGATIVE_INFINITY;
let burstKeyMs = 0;
// Keys before went elsewhere: to another page or window, or into a dialog.
let hearsSince = window.earlyKeys.since;
const hearFrom = ({ timeStamp }) => {
  hearsSince = Math.max(hearsSince, timeStamp);
};
window.addEventListener('focus', hearFrom);
window.addEventListener('pageshow', (event) => event.persisted && hearFrom(event));

/**
 * Reads all keys of the page, and of those that were pressed while it started, bursts. A scanner's burst,
 * which is known by its speed and its Enter, is taken out of the field again, whatever has the focus, and
 * told to `onScan(code, isWhole)`; `isWhole`: false if it may be the end of a code. What a hand types where
 * nothing can be typed goes to `scanField`. `isMeant(code, isWhole)`: whether a burst is to be taken out;
 * others stay. Returns a function that ends it.
 */
export function readKeys(scanField, onScan, isMeant = () => true) {
  const onKey = (event) => {
    if (event.target.closest?.('dialog')) hearFrom(event);
    else if (event.key === 'Enter') takeEnter(event, onScan, isMeant);
    else takeKey(event, scanField);
  };
  // Each reader has its own: the next one begins before the last one ends.
  const onPaste = (event) => takePaste(event);
  document.addEventListener('keydown', onKey, true);
  document.addEventListener('beforeinput', onPaste, true);
  for (const event of window.earlyKeys.events ?? []) onKey(event);
  window.earlyKeys.events = null;
  return () => {
    document.removeEventListener('keydown', onKey, true);
    document.removeEventListener('beforeinput', onPaste, true);
  };
}

function takeEnter(event, onScan, isMeant) {
  const { timeStamp: at } = event;
  const swallow = () => {
    event.preventDefault();
    event.stopImmediatePropagation();
    burstEndedAt = at;
  };
  // Some scanners end with two.
  const sinceBurst = at - burstEndedAt;
  if (sinceBurst >= 0 && sinceBurst <= 3 * burstKeyMs) return swallow();
  const found = event.repeat ? null : burstOf(keys, at, hearsSince);
  beginAnew();
  const code = found?.burst.map(({ text }) => text).join('');
  if (found === null || !isMeant(code, found.isWhole)) return;
  const { burst, keyMs, isWhole } = found;
  burstKeyMs = keyMs;
  swallow();
  takeOut(burst);
  onScan(code.trim(), isWhole);
}

function takeKey(event, scanField) {
  const { key, timeStamp: at } = event;
  const isSeparator = event.ctrlKey && (key === ']' || event.code === 'BracketRight');
  const isCommand = event.metaKey || ((event.ctrlKey || event.altKey) && !event.getModifierState('AltGraph'));
  const isCharacter = [...key].length === 1 && !isCommand;
  // A key that is held repeats as fast as a scanner types.
  if (event.repeat || !(isCharacter || isSeparator || modifiers.has(key))) return beginAnew();
  // A space presses a button.
  if (!modifiers.has(key) && key !== ' ' && !event.target.closest(typing)) scanField.focus();
  const field = document.activeElement;
  if (isSeparator) {
    event.preventDefault();
    note(field, at, separator);
    if (field === scanField) scanField.value += separator;
    return;
  }
  // Letters choose among the options, and a space opens them.
  if (field.matches('select') && keys.length > 0 && at - keys.at(-1).at <= pauseMostMs / 2)
    event.preventDefault();
  note(field, at, isCharacter ? key : '');
}

/** The next key begins a text. */
function beginAnew() {
  keys = [];
  hearsSince = Number.NEGATIVE_INFINITY;
}

/** Some devices put a whole code in at once. */
function takePaste({ target, timeStamp, data, dataTransfer }) {
  const text = data ?? dataTransfer?.getData('text/plain') ?? '';
  if ([...text].length > 1) note(target, timeStamp, text);
}

function note(field, at, text) {
  if (keys.length > 0 && at - keys.at(-1).at > restMs) keys = [];
  const { value, selectionStart, selectionEnd } = field;
  keys.push({ at, text, field, value, selectionStart, selectionEnd });
}

/** Gives each field back what it held before the burst. */
function takeOut(burst) {
  const fields = new Map([...burst].reverse().map((key) => [key.field, key]));
  for (const { field, value, selectionStart, selectionEnd } of fields.values()) {
    if (value === undefined || (field.value === value && field.type !== 'date')) continue;
    field.value = value;
    for (const name of ['input', 'change']) field.dispatchEvent(new Event(name, { bubbles: true }));
    if (typeof selectionStart === 'number') field.setSelectionRange(selectionStart, selectionEnd);
  }
}
