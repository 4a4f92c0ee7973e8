import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { noteFocus } from '../base/focus.js';
import { html } from '../base/html.js';
import { state, update } from '../base/state.js';
import { can, isSessionOf } from '../session/session.js';
import { codeOfText, fittingReasons, lastReason, readReasons, reasonsOf } from '../stock/reasons.js';
import { carryOut, reasonOf } from './carry-out.js';
import { Differs, Effect, useEffectBefore, withExpected } from './effect.js';
import { dateFault, fieldsOf, operationOf } from './fields.js';
import { FormNote } from './form-note.js';

const verbs = {
  ...{ receive: 'Receive', move: 'Move', issue: 'Issue', count: 'Count' },
  ...{ hold: 'Hold', release: 'Release' },
};

// Longer than a walk with the thing in hand, and shorter than a break, after which it may be another thing.
const toldMs = 600_000;

/**
 * The buttons for what may be done with an item or a lot. `about`: what is known of the form's fields.
 * `stocked`: the warehouses that have some of it. `lots`: those that the page shows; `isWhole`: it shows all.
 */
export function Actions({ about, stocked = [], lots = [], isWhole = false }) {
  const open = (op) => {
    // Until the changes tell what was done here last, the page shows what was before. Asked now, because
    // these `lots` stay what they are while the change comes.
    const isOld = state.session.untold.size > 0;
    const usual = state.lastWid ?? state.session.me.warehouses[0]?.wID;
    const isUsual = op === 'receive' || stocked.length === 0 || stocked.includes(usual);
    const wid = about.wid ?? (isUsual ? usual : stocked[0]);
    readReasons(state.session.client);
    const fills = Date.now() - state.told?.at < toldMs ? state.told.fills : {};
    const values = { ...fills, ...about, wid: String(wid ?? ''), reasonCode: lastReason(op) };
    update({ form: { op, values, opened: values, scanned: {}, lots, isWhole, isOld }, notice: null });
  };
  // One form at a time.
  if (state.form !== null) return null;
  const isLot = Boolean(about.recno);
  const fits = { receive: !isLot, hold: isLot && !lots[0].hold, release: isLot && lots[0].hold };
  const allowed = Object.keys(verbs).filter((op) => can(op) && (fits[op] ?? true));
  return html`<div class="actions">
    ${allowed.map((op) => html`<button class=${op} onClick=${() => open(op)}>${verbs[op]}</button>`)}
  </div>`;
}

/**
 * Waits for a code that is being looked up: it may be meant for the form. Whether all of it is in the form,
 * which is still open.
 */
async function isScanTaken(form) {
  if (!state.form.note?.isLooking) return true;
  await state.looking;
  return state.form?.opened === form.opened && state.form.note?.level === 'well';
}

/** The open form. */
export function WorkForm({ form }) {
  const { op, values } = form;
  const element = useRef();
  const [problem, setProblem] = useState(null);
  const [isBusy, setBusy] = useState(false);
  // Until a reason is typed, all are offered.
  const [isTyped, setTyped] = useState(false);
  const effect = useEffectBefore(form);
  const fields = fieldsOf(op, values, state.session.me.warehouses);
  // The next field has the focus when the form opens and when a scan has filled something in. Typing moves it
  // never.
  useLayoutEffect(() => focusNext(element.current), [op, form.fills]);

  const set = (name, value) => {
    setProblem(null);
    update({ form: { ...state.form, values: { ...state.form.values, [name]: value } } });
  };
  const code = codeOfText(values.reasonCode, op);
  const fitting = isTyped && values.reasonCode !== '' ? fittingReasons(op, values.reasonCode) : [];
  const reasons = fitting.length > 0 ? fitting : reasonsOf(op);
  const takeReason = (text) => {
    const field = element.current.elements.reasonCode;
    set('reasonCode', text);
    // The page is drawn later, and an empty field would get the focus.
    field.value = text;
    focusNext(element.current, field);
  };
  const type = (name, value) => {
    if (name === 'reasonCode') setTyped(true);
    set(name, value);
  };
  // Enter takes the only reason that fits what was typed, unless that is a reason by itself.
  const take = (name) => {
    if (name === 'reasonCode' && code === null && fitting.length === 1) takeReason(fitting[0].text);
    else focusNext(element.current, element.current.elements[name]);
  };
  const choose = (name, amount) => {
    set(name, amount);
    update({ form: { ...state.form, sure: amount } });
    element.current.elements[name].focus();
  };
  const close = () => update({ form: null, told: null });
  const confirm = async (event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    let isLeftAlone = noteFocus();
    const { client } = state.session;
    if (!(await isScanTaken(form))) return setBusy(false);
    // The code that was looked up has moved it.
    if (state.form.fills !== form.fills) isLeftAlone = noteFocus();
    const broken = dateFault(element.current);
    const { operation, fault } = broken ? { fault: broken } : operationOf(state.form);
    if (fault) {
      setProblem(fault);
      if (isLeftAlone()) element.current.elements[fault.name]?.focus();
      return setBusy(false);
    }
    // A person may leave the form before the answer comes, and open another one.
    const isOpen = () => state.form !== null && state.form.confirming === confirming;
    const confirming = withExpected(operation, state.form).then((whole) =>
      // Nobody does the work of a client that has signed out.
      isSessionOf(client) ? carryOut(whole, form.lots, isOpen) : null,
    );
    update({ form: { ...state.form, confirming } });
    const error = await confirming;
    const differs = error?.reason === 'countDiffers' && error.figures;
    setProblem(error && { message: reasonOf(error), differs });
    setBusy(false);
    if (error && isLeftAlone()) amountField(element.current)?.focus();
  };
  return html`
    <form class="card work ${op}" ref=${element} onSubmit=${confirm} aria-labelledby="work" novalidate
      onKeyDown=${(event) => event.key === 'Escape' && close()}>
      <h2 id="work">${verbs[op]} <bdi>${values.recno ? `lot ${values.recno} of ${values.itemID}` : values.itemID}</bdi></h2>
      <div class="fields">
        ${fields.map(
          (field) =>
            html`<${Field} key=${field.name} ...${field} value=${values[field.name] ?? ''} onValue=${type} onEnter=${take} onChoice=${choose}
              fault=${problem?.name === field.name && problem} />`,
        )}
      </div>
      ${
        reasons.length > 0 &&
        html`<${Reasons} reasons=${reasons} first=${form.opened.reasonCode} chosen=${code} onTake=${takeReason} />`
      }
      <${FormNote} note=${form.note} />
      ${!problem && html`<${Effect} form=${form} effect=${effect} />`}
      ${problem?.differs && html`<div onClick=${() => setProblem(null)}><${Differs} figures=${problem.differs} /></div>`}
      ${problem && !problem.name && !problem.differs && html`<p class="alert" role="alert">${problem.message}</p>`}
      <div class="confirm">
        <button type="button" class="plain" onClick=${close}>Cancel</button>
        <button type="submit" class="primary" aria-disabled=${isBusy}>Confirm</button>
      </div>
    </form>
  `;
}

function Field({ name, label, kind, options, value, onValue, onEnter, onChoice, fault }) {
  const onInput = (event) => onValue(name, kind === 'check' ? event.target.checked : event.target.value);
  const onKeyDown = (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    onEnter(name);
  };
  const told = fault && { 'aria-invalid': true, 'aria-describedby': 'fault' };
  const common = { name, value, onInput, onKeyDown, ...told };
  if (kind === 'check')
    return html`<label class="check"><input type="checkbox" name=${name} checked=${value === true} onInput=${onInput} />${label}</label>`;
  const control =
    kind === 'choice'
      ? html`<select ...${common} aria-label=${label}>${options.map((option) => html`<option value=${option.value} selected=${String(option.value) === String(value)}>${option.text}</option>`)}</select>`
      : html`<input ...${common} type=${kind === 'date' ? 'date' : 'text'} autocomplete="off" autocapitalize="off" spellcheck=${false}
          inputmode=${{ amount: 'decimal', whole: 'numeric' }[kind] ?? 'text'} maxlength="200" />`;
  return html`<div>
    <label><span>${label}</span>${control}</label>
    ${fault && html`<p class="fault" id="fault" role="alert">${fault.message}</p>`}
    ${
      fault?.choices &&
      html`<p class="choose">${fault.choices.map(({ amount, words }) => html`<button type="button" onClick=${() => onChoice(name, amount)}>${words}</button>`)}</p>`
    }
  </div>`;
}

const shownReasonsMax = 6;

/** Reasons to press. The one that the form opened with stands first, and pressing moves none of them. */
function Reasons({ reasons, first, chosen, onTake }) {
  const isFirst = ({ text }) => text === first;
  const inOrder = [...reasons.filter(isFirst), ...reasons.filter((each) => !isFirst(each))];
  const more = reasons.length - shownReasonsMax;
  return html`<p class="choose">
    <span class="quiet">Reason</span>
    ${inOrder
      .slice(0, shownReasonsMax)
      .map(
        ({ reasonCode, text }) =>
          html`<button type="button" key=${reasonCode} aria-pressed=${reasonCode === chosen} onClick=${() => onTake(text)}><bdi>${text}</bdi></button>`,
      )}
    ${more > 0 && html`<span class="quiet">${more} more: type a part of the name</span>`}
  </p>`;
}

/**
 * Puts the focus into the first empty field behind this one that has to be filled in, or else on the
 * confirmation.
 */
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

/** The field that a person looks at after a refusal; undefined if the form has closed or has none. */
function amountField(form) {
  const { units, counted, reason } = form?.elements ?? {};
  return units ?? counted ?? reason;
}

const optional = new Set(['spot', 'fromSpot', 'serial', 'expires', 'shipToWid', 'toSpot']);
