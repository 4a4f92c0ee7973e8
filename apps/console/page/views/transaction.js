import { capital, effectWord, moment, signed } from '../base/format.js';
import { html } from '../base/html.js';
import { UnreadView } from '../base/reading.js';
import { addressOf } from '../base/routes.js';
import { state } from '../base/state.js';
import { isUndoing, undo } from '../forms/carry-out.js';
import { useHeld } from '../session/held.js';
import { canUndo } from '../session/session.js';
import { readReasons, reasonWithCode } from '../stock/reasons.js';
import { holdText } from '../stock/transaction-words.js';

const facts = [
  ['at', 'When', moment],
  ['clientId', 'Client'],
  ['reasonCode', 'Reason', reasonWithCode],
  ['reference', 'Reference'],
  ['remark', 'Remark'],
  ['capturedAt', 'Done at', moment],
  ['deviceID', 'Device'],
];

/** A transaction with its lines. */
export function Transaction({ transactionNo }) {
  const apply = (known, { reverses, transactionNo: reversedBy }) =>
    reverses === transactionNo ? { ...known, reversedBy } : known;
  const read = () => {
    readReasons(state.session.client);
    return state.session.client.transaction(transactionNo);
  };
  const [shown, problem] = useHeld(
    `transaction/${transactionNo}`,
    read,
    apply,
    'Offline: this transaction cannot be read.',
  );
  if (shown === null)
    return html`<${UnreadView} title=${`Transaction ${transactionNo}`} problem=${problem} />`;
  const { kind, itemID, reverses, reversedBy, lines, hold } = shown;
  const known = facts.filter(([name]) => ![null, '', undefined].includes(shown[name]));
  const to = (number) => html`<a href=${addressOf('transaction', number)}>transaction ${number}</a>`;
  return html`
    <section class="card" aria-labelledby="transaction">
      <p class="quiet">Transaction ${transactionNo}</p>
      <h1 id="transaction">${capital(effectWord(shown))} <a href=${addressOf('item', itemID)}><bdi>${itemID}</bdi></a></h1>
      ${reverses && html`<p>Undoes ${to(reverses)}.</p>`}
      ${hold && html`<p><a href=${addressOf('lot', hold.recNo)}><bdi>${holdText(hold, itemID)}</bdi></a>${!hold.changed && ': it was so already'}.</p>`}
      ${reversedBy && html`<p>Undone by ${to(reversedBy)}.</p>`}
      ${
        !reversedBy &&
        canUndo(kind) &&
        html`<div class="actions"><button aria-disabled=${isUndoing(transactionNo)} onClick=${() => undo(transactionNo)}>Undo</button></div>`
      }
      <dl class="facts">
        ${known.map(
          ([name, word, show = String]) =>
            html`<div><dt>${word}</dt><dd><bdi>${show(shown[name])}</bdi></dd></div>`,
        )}
      </dl>
      <table aria-label="Lines">
        <thead><tr><th>Lot</th><th>Spot</th><th class="number">Change</th><th class="number">Left</th></tr></thead>
        <tbody>
          ${lines.map(
            (line) => html`<tr>
              <td><a href=${addressOf('lot', line.recNo)}>${line.recNo}</a></td>
              <td><bdi>${line.spot}</bdi></td>
              <td class="number">${signed(line.delta)}</td>
              <td class="number">${line.balance}</td>
            </tr>`,
          )}
        </tbody>
      </table>
    </section>
  `;
}
