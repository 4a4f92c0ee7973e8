import { useState } from 'preact/hooks';
import { moment } from '../base/format.js';
import { html } from '../base/html.js';
import { state } from '../base/state.js';
import { movedWords, reasonOf } from './carry-out.js';

/** How many operations wait, and how many were refused; it leads to them. */
export function Badge() {
  const { waiting, refused, isOnline } = state;
  const words = [
    !isOnline && 'Offline',
    waiting > 0 && `${waiting} waiting`,
    refused.length > 0 && `${refused.length} refused`,
  ].filter(Boolean);
  const level = refused.length > 0 ? 'bad' : 'wait';
  return html`<span role="status" class="badge">
    ${words.length > 0 && html`<a class=${level} href="#/waiting">${words.join(' · ')}</a>`}
  </span>`;
}

/** The operations that wait, and those that were refused later, when nobody looked. */
export function Waiting() {
  const { waiting, refused, session } = state;
  const { error } = session.queue;
  const [isBusy, setBusy] = useState(false);
  // One at a time: the next card moves to where the one before it stood.
  const act = async (work) => {
    setBusy(true);
    await work().finally(() => setBusy(false));
  };
  return html`
    <section class="card" aria-labelledby="waiting">
      <h1 id="waiting">Waiting</h1>
      <p>${
        waiting === 0
          ? 'Nothing waits to be sent.'
          : `${waiting} waiting; the page sends them as soon as the service answers.`
      }</p>
      ${waiting > 0 && error && html`<p class="quiet">${error.message}</p>`}
    </section>
    ${refused.map(
      (each) => html`<section class="card" key=${each.seq} role="alert">
        <h2>Refused: ${wordsOf(each.operation)}</h2>
        <p>${each.error.reason === 'countDiffers' ? movedWords(each.error.figures) : reasonOf(each.error)}</p>
        ${each.outcome === 'unknown' && html`<p>An earlier attempt may have applied it: check before you send it again.</p>`}
        <p class="quiet">Done ${moment(each.operation.capturedAt)}</p>
        <div class="actions">
          <button disabled=${isBusy} onClick=${() => act(() => sendAgain(each))}>${each.error.reason === 'countDiffers' ? 'Keep this count' : 'Send again'}</button>
          <button class="plain" disabled=${isBusy} onClick=${() => act(() => session.queue.forget(each.operation.key))}>Discard</button>
        </div>
      </section>`,
    )}
  `;
}

async function sendAgain({ operation: { key, ...operation }, error }) {
  const { queue } = state.session;
  // A person has seen what is recorded now.
  if (error.reason === 'countDiffers') operation.expected = error.figures.present;
  // Stored before the old one is forgotten: under another key, because the old one stays refused. Pressed twice,
  // it is the same, and stored once.
  await queue.push({ ...operation, key: `${key}.again` });
  await queue.forget(key);
}

function wordsOf({ op, itemID, units, counted, transactionNo, recno, hold }) {
  if (op === 'hold') return `${hold ? 'hold' : 'release'} of lot ${recno}`;
  if (op === 'reverse') return html`undo of transaction ${transactionNo}`;
  return html`${op} ${units ?? counted} of <bdi>${itemID}</bdi>`;
}
