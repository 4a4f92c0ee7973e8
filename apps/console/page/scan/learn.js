import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { noteFocus } from '../base/focus.js';
import { amountOf } from '../base/format.js';
import { html } from '../base/html.js';
import { patiently } from '../base/limit.js';
import { state, update } from '../base/state.js';
import { unitsFault } from '../forms/fields.js';
import { FormNote } from '../forms/form-note.js';
import { isSessionOf } from '../session/session.js';
import { scan } from './scan.js';
import { isTradeNumber, makeItem, teach } from './teach.js';

// Not at every key.
const restMs = 300;
const foundMax = 6;
const unitUsual = 'EA';

/** The form in which an unknown code gets its meaning. */
export const Learn = ({ learning }) =>
  learning.kind === 'teach'
    ? html`<${Teach} key=${learning.code} learning=${learning} />`
    : html`<${NewItem} learning=${learning} />`;

const close = () => update({ learning: null });
const closeOnEscape = (event) => event.key === 'Escape' && close();

/** Whether this form is still open. A person may have left it and opened another one. */
const isOpen = ({ opened }) => state.learning?.opened === opened;

/** The code means something now, so it is looked up again. */
function learnt(learning, text) {
  if (isOpen(learning)) {
    update({ learning: null });
    scan(learning.data);
  }
  update({ notice: { text, level: 'well' } });
}

/** Says why not, when its form is no longer there to say it. */
const tellLate = (text) => update({ notice: { text, level: 'bad' } });

function Teach({ learning }) {
  const { code, item } = learning;
  const submit = useRef();
  const [problem, setProblem] = useState(learning.problem ?? null);
  // null: a person has left the field alone, and then changes no units that somebody else has taught.
  const [units, setUnits] = useState(null);
  const [sure, setSure] = useState(null);
  // The amounts that the units may mean.
  const [choices, setChoices] = useState([]);
  const take = (written, isSure) => {
    setUnits(written);
    setSure(isSure ? written : null);
    setChoices([]);
    setProblem(null);
  };
  const [isBusy, setBusy] = useState(false);
  useLayoutEffect(() => {
    setProblem(learning.problem ?? null);
    if (item) submit.current.focus();
  }, [item]);
  const confirm = async (event) => {
    event.preventDefault();
    if (isBusy || !item) return;
    const fault = units === null ? null : unitsFault(units, { isClear: units === sure });
    setChoices(fault?.choices ?? []);
    if (fault !== null) return setProblem(fault.message);
    setBusy(true);
    const { client } = state.session;
    const why = await teach(code, item, units === null ? undefined : amountOf(units));
    setBusy(false);
    if (!isSessionOf(client)) return;
    if (why === null) learnt(learning, `“${code}” is ${item.shortID} from now on.`);
    else isOpen(learning) ? setProblem(why) : tellLate(why);
  };
  return html`<form class="card work learn" onSubmit=${confirm} onKeyDown=${closeOnEscape} aria-labelledby="learn" novalidate>
    <h1 id="learn">Teach “<bdi>${code}</bdi>” to an item</h1>
    ${
      item
        ? html`<p class="chosen"><span><strong><bdi>${item.shortID}</bdi></strong> <bdi class="quiet">${item.description}</bdi></span>
            <button type="button" class="plain" onClick=${() => update({ learning: { ...learning, item: null } })}>Another</button></p>`
        : html`<${ItemSearch} onItem=${(found) => update({ learning: { ...state.learning, item: found, problem: null } })} />`
    }
    ${item && html`<label><span>Units of one scan</span><input name="units" value=${units ?? '1'} onInput=${(event) => take(event.target.value, false)} inputmode="decimal" autocomplete="off" maxlength="20" /></label>`}
    <${FormNote} note=${learning.note} />
    ${problem && html`<p class="alert" role="alert">${problem}</p>`}
    ${
      choices.length > 0 &&
      html`<p class="choose">${choices.map(({ amount, words }) => html`<button type="button" onClick=${() => take(amount, true)}>${words}</button>`)}</p>`
    }
    <div class="confirm">
      <button type="button" class="plain" onClick=${close}>Cancel</button>
      <button type="submit" class="primary" ref=${submit} disabled=${!item} aria-disabled=${isBusy}>Confirm</button>
    </div>
  </form>`;
}

/** Finds an item as one types. */
function ItemSearch({ onItem }) {
  const field = useRef();
  const first = useRef();
  const [text, setText] = useState('');
  // `search`: the text that it was found by.
  const [found, setFound] = useState({ search: '', items: [], words: '' });
  useLayoutEffect(() => field.current.focus(), []);
  useEffect(() => {
    const search = text.trim();
    if (search === '') return setFound({ search, items: [], words: '' });
    let isOld = false;
    const timer = setTimeout(async () => {
      const { client } = state.session;
      const read = () => client.items({ search, pageSize: foundMax }).page();
      const next = await patiently(read).then(
        ({ value, hasMore }) => ({ search, items: value, words: wordsOf(value.length, hasMore) }),
        (error) => ({
          search,
          items: [],
          words: error.status === 0 ? 'Offline: items cannot be searched.' : error.message,
        }),
      );
      if (!isOld) setFound(next);
    }, restMs);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [text]);
  const onKeyDown = (event) => {
    if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    // These items were found by an earlier text.
    if (event.key === 'Enter' && found.search !== field.current.value.trim()) return;
    if (found.items.length === 1 && event.key === 'Enter') onItem(found.items[0]);
    else first.current?.focus();
  };
  return html`
    <label><span>Item</span><input ref=${field} name="item" value=${text} onInput=${(event) => setText(event.target.value)} onKeyDown=${onKeyDown}
      placeholder="Part of its name, or scan its label" autocomplete="off" autocapitalize="off" spellcheck=${false} maxlength="200" /></label>
    <p class="quiet searched" role="status">${found.words}</p>
    <ul class="choices">
      ${found.items.map(
        (item, place) => html`<li key=${item.partNo}>
          <button type="button" class="choice" ref=${place === 0 ? first : undefined} onClick=${() => onItem(item)}>
            <strong><bdi>${item.shortID}</bdi></strong><span><bdi>${item.description}</bdi></span>
          </button>
        </li>`,
      )}
    </ul>
  `;
}

function wordsOf(count, hasMore) {
  if (count === 0) return 'No item has this in its name.';
  return hasMore ? `The first ${count}; type more to find others.` : `${count} found`;
}

function NewItem({ learning }) {
  const { code } = learning;
  const form = useRef();
  const [values, setValues] = useState({
    shortID: isTradeNumber(learning) ? '' : code,
    description: '',
    uOM: unitUsual,
  });
  const [fault, setFault] = useState({});
  const [isBusy, setBusy] = useState(false);
  useLayoutEffect(() => {
    form.current.elements[values.shortID === '' ? 'shortID' : 'description'].focus();
  }, []);
  const set = ({ target: { name, value } }) => {
    setValues((old) => ({ ...old, [name]: value }));
    setFault({});
  };
  const confirm = async (event) => {
    event.preventDefault();
    if (isBusy) return;
    const isLeftAlone = noteFocus();
    const [shortID, description, uOM] = [values.shortID.trim(), values.description.trim(), values.uOM.trim()];
    const refuse = (next) => {
      setFault(next);
      setBusy(false);
      if (isLeftAlone()) form.current.elements[next.name]?.focus();
    };
    if (shortID === '') return refuse({ name: 'shortID', problem: 'An item needs a name.' });
    setBusy(true);
    const { client } = state.session;
    const made = await makeItem({ shortID, description, uOM });
    if (!isSessionOf(client)) return;
    if (!made.item) return isOpen(learning) ? refuse(made) : tellLate(made.problem);
    const why = shortID === code ? null : await teach(code, made.item);
    if (!isSessionOf(client)) return;
    if (why === null) return learnt(learning, `Made the item ${shortID}.`);
    const problem = `The item ${shortID} was made, but not taught the code. ${why}`;
    if (!isOpen(learning)) return tellLate(problem);
    update({ learning: { ...state.learning, kind: 'teach', item: made.item, problem } });
  };
  const isOther = values.shortID.trim() !== code;
  return html`<form class="card work learn" ref=${form} onSubmit=${confirm} onKeyDown=${closeOnEscape} aria-labelledby="learn" novalidate>
    <h1 id="learn">New item for “<bdi>${code}</bdi>”</h1>
    <div class="fields">
      <${Text} name="shortID" label="Item" values=${values} onInput=${set} fault=${fault} maxlength="64" />
      <${Text} name="description" label="Description" values=${values} onInput=${set} fault=${fault} maxlength="500" />
      <${Text} name="uOM" label="Unit" values=${values} onInput=${set} fault=${fault} maxlength="100" />
    </div>
    ${isOther && html`<p class="quiet">“<bdi>${code}</bdi>” becomes another name of it.</p>`}
    <${FormNote} note=${learning.note} />
    ${fault.problem && html`<p class="alert" id="fault" role="alert">${fault.problem}</p>`}
    <div class="confirm">
      <button type="button" class="plain" onClick=${close}>Cancel</button>
      <button type="submit" class="primary" aria-disabled=${isBusy}>Confirm</button>
    </div>
  </form>`;
}

function Text({ name, label, values, onInput, fault, maxlength }) {
  const marked = fault.name === name && { 'aria-invalid': true, 'aria-describedby': 'fault' };
  return html`<label><span>${label}</span><input name=${name} value=${values[name]} onInput=${onInput} ...${marked}
    autocomplete="off" autocapitalize="off" spellcheck=${false} maxlength=${maxlength} /></label>`;
}
