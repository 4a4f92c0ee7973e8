import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { carryOut, tryOut } from './carry-out.js';
import { fieldsOf, operationOf } from './fields.js';
import { html } from './html.js';
import { recallReason } from './reasons.js';
import { scan } from './scan-field.js';
import { can } from './session.js';
import { state, update } from './state.js';

export const verbs = { receive: 'Receive', move: 'Move', issue: 'Issue', count: 'Count' };
// Keys of a scanner come faster than those of a person.
const scannerKeyMs = 40;
const codeFromLetters = 6;

/**
 * The buttons for what may be done with an item or a lot. `about`: what is known of the form's fields. `stocked`: the
 * warehouses that have some of it.
 */
export function Actions({ about, stocked = [] }) {
  const open = async (op) => {
    const usual = state.lastWid ?? state.session.me.warehouses[0]?.wID;
    const isUsual = op === 'receive' || stocked.length === 0 || stocked.includes(usual);
    const wid = about.wid ?? (isUsual ? usual : stocked[0]);
    const values = { ...about, wid: String(wid ?? ''), reasonCode: await recallReason(op) };
    update({ form: { op, values }, notice: null });
  };
  // One form at a time.
  if (state.form !== null) return null;
  const allowed = Object.keys(verbs).filter((op) => can(op) && !(op === 'receive' && about.recno));
  return html`<div class="actions">
    ${allowed.map((op) => html`<button class=${op} onClick=${() => open(op)}>${verbs[op]}</button>`)}
  </div>`;
}

/** The open form. */
export function WorkForm({ form }) {
  const { op, values } = form;
  const element = useRef();
  const [problem, setProblem] = useState(null);
  const [isBusy, setBusy] = useState(false);
  const effect = useEffectBefore(form);
  const fields = fieldsOf(op, values, state.session.me.warehouses);
  // The next field has the focus, also when a scan has filled one in. At once: a scanner types in the next moment.
  useLayoutEffect(() => focusNext(element.current), [op, values.spot, values.fromSpot, values.toSpot]);

  const set = (name, value) => {
    setProblem(null);
    update({ form: { ...state.form, values: { ...state.form.values, [name]: value } } });
  };
  const close = () => update({ form: null });
  const confirm = async (event) => {
    event.preventDefault();
    if (isBusy) return;
    const { operation, fault } = operationOf(state.form.op, state.form.values);
    if (fault) {
      setProblem(fault);
      element.current.elements[fault.name]?.focus();
      return;
    }
    setBusy(true);
    const message = await carryOut(operation);
    setProblem(message && { message });
    setBusy(false);
  };
  return html`
    <form class="card work ${op}" ref=${element} onSubmit=${confirm} aria-labelledby="work" novalidate
      onKeyDown=${(event) => event.key === 'Escape' && close()}>
      <h2 id="work">${verbs[op]} <bdi>${values.recno ? `lot ${values.recno} of ${values.itemID}` : values.itemID}</bdi></h2>
      <div class="fields">
        ${fields.map(
          (field) =>
            html`<${Field} key=${field.name} ...${field} value=${values[field.name] ?? ''} onValue=${set}
              fault=${problem?.name === field.name && problem.message} />`,
        )}
      </div>
      ${effect && !problem && html`<output class="effect ${effect.level}">${effect.text}</output>`}
      ${problem && !problem.name && html`<p class="alert" role="alert">${problem.message}</p>`}
      <div class="confirm">
        <button type="button" class="plain" onClick=${close}>Cancel</button>
        <button type="submit" class="primary" disabled=${isBusy}>Confirm</button>
      </div>
    </form>
  `;
}

function Field({ name, label, kind, options, value, onValue, fault }) {
  const keys = useRef([]);
  const onInput = (event) => onValue(name, kind === 'check' ? event.target.checked : event.target.value);
  const onKeyDown = (event) => {
    if (event.key !== 'Enter') return keys.current.push(event.timeStamp);
    event.preventDefault();
    const typed = keys.current;
    keys.current = [];
    // A scanner typed into a field of numbers: the code is no amount.
    if (kind === 'amount' && isScanned(event.target.value, typed)) {
      onValue(name, '');
      return scan(event.target.value);
    }
    focusNext(event.target.form, event.target);
  };
  const told = fault && { 'aria-invalid': true, 'aria-describedby': 'fault' };
  const common = { name, value, onInput, onKeyDown, ...told };
  if (kind === 'check')
    return html`<label class="check"><input type="checkbox" name=${name} checked=${value === true} onInput=${onInput} />${label}</label>`;
  const control =
    kind === 'choice'
      ? html`<select ...${common}>${options.map((option) => html`<option value=${option.value} selected=${String(option.value) === String(value)}>${option.text}</option>`)}</select>`
      : html`<input ...${common} type=${kind === 'date' ? 'date' : 'text'} autocomplete="off" autocapitalize="off" spellcheck=${false}
          inputmode=${{ amount: 'decimal', whole: 'numeric' }[kind] ?? 'text'} maxlength="200" />`;
  return html`<div>
    <label><span>${label}</span>${control}</label>
    ${fault && html`<p class="fault" id="fault" role="alert">${fault}</p>`}
  </div>`;
}

function isScanned(value, keyTimes) {
  if (!/^[\d.,]*$/.test(value)) return true;
  if (keyTimes.length < codeFromLetters) return false;
  return keyTimes.at(-1) - keyTimes[0] < keyTimes.length * scannerKeyMs;
}

/** Puts the focus into the first empty field behind this one that has to be filled in, or else on the confirmation. */
function focusNext(form, behind) {
  if (!form) return;
  const controls = [...form.elements].filter(({ name }) => name !== '');
  const from = behind === undefined ? 0 : controls.indexOf(behind) + 1;
  const empty = (control) =>
    control.value === '' && control.type !== 'checkbox' && !optional.has(control.name);
  const next =
    controls.slice(from).find(empty) ?? controls.find(empty) ?? form.querySelector('[type=submit]');
  next.focus();
}
const optional = new Set(['spot', 'fromSpot', 'serial', 'expires', 'shipToWid', 'toSpot']);

/** What the service would do, for work whose lots it chooses: `{ text, level }`. */
function useEffectBefore({ op, values }) {
  const [effect, setEffect] = useState(null);
  const asked = JSON.stringify([op, values]);
  useEffect(() => {
    setEffect(null);
    const { operation } = operationOf(op, values);
    if (op === 'receive' || !state.isOnline || operation === undefined) return;
    let isOld = false;
    // Not at every key.
    const timer = setTimeout(async () => {
      const tried = await tryOut(operation);
      if (!isOld) setEffect(tried);
    }, 500);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [asked]);
  return effect;
}
