import { day, effectWord, moment, signed } from '../base/format.js';
import { html } from '../base/html.js';
import { UnreadView } from '../base/reading.js';
import { addressOf } from '../base/routes.js';
import { state } from '../base/state.js';
import { Actions } from '../forms/work-form.js';
import { useHeld } from '../session/held.js';
import { namedIn } from '../session/live.js';
import { Marks } from '../stock/marks.js';
import { isNamed, readReasons, reasonText, reasonWithCode } from '../stock/reasons.js';
import { readUnit, unitOf } from '../stock/units.js';

/** The fields of a lot that are shown if they say something, with their words. */
const facts = [
  ['warehouse', 'Warehouse'],
  ['spot', 'Spot'],
  ['serial', 'Serial'],
  ['serial2', 'Second serial'],
  ['rFIDTag', 'RFID tag'],
  ['expires', 'Expires', day],
  ['received', 'Received', moment],
  ['shipped', 'Shipped', moment],
  ['holdReason', 'On hold because'],
  ['associate', 'Owner'],
  ['price', 'Price'],
  ['netWeight', 'Net weight'],
  ['grossWeight', 'Gross weight'],
  ['supplier', 'Supplier'],
  ['line', 'Order line'],
  ['jobID', 'Job'],
  ['reference', 'Reference'],
  ['reasonCode', 'Reason of the receipt', reasonWithCode],
  ['remark', 'Remark'],
  ['modified', 'Changed', moment],
];

const describedBy = (lot, { type, partNo, description }) =>
  type === 'item' && partNo === lot.partNo ? { ...lot, description } : lot;

/** A lot: all that is known of it, and its history. */
export function Lot({ recNo }) {
  const apply = (lot, change) =>
    namedIn(change).some((each) => each.recNo === recNo) ? undefined : describedBy(lot, change);
  const read = async () => {
    const { client } = state.session;
    readReasons(client);
    const found = await client.lot(recNo);
    await readUnit(client, found);
    return found;
  };
  const [lot, problem] = useHeld(`lot/${recNo}`, read, apply, 'Offline: this lot cannot be read.');
  if (lot === null) return html`<${UnreadView} title=${`Lot ${recNo}`} problem=${problem} />`;
  const known = facts.filter(
    ([name]) =>
      ![null, '', undefined, 0, '0'].includes(lot[name]) ||
      (name === 'reasonCode' && isNamed(lot.reasonCode)),
  );
  const about = { itemID: lot.shortID, recno: lot.recNo, wid: lot.wID, spot: lot.spot };
  return html`
    <section class="card" aria-label=${`Lot ${recNo}`}>
      <p class="quiet">Lot ${lot.recNo} of <a href=${addressOf('item', lot.shortID)}><bdi>${lot.shortID}</bdi></a></p>
      <h1>${lot.units} <span class="quiet"><bdi>${unitOf(lot) || 'units'}</bdi></span><${Marks} lot=${lot} /></h1>
      <p><bdi>${lot.description}</bdi></p>
      ${lot.shipped === null && html`<${Actions} about=${about} lots=${[lot]} />`}
      ${problem && html`<p class="alert" role="alert">${problem}</p>`}
      <dl class="facts">
        ${known.map(
          ([name, word, show = String]) =>
            html`<div><dt>${word}</dt><dd><bdi>${show(lot[name])}</bdi></dd></div>`,
        )}
        ${lot.fromRecNo !== null && html`<div><dt>Split from</dt><dd><a href=${addressOf('lot', lot.fromRecNo)}>Lot ${lot.fromRecNo}</a></dd></div>`}
      </dl>
    </section>
    <section class="card" aria-labelledby="history">
      <h2 id="history">History</h2>
      <table aria-labelledby="history">
        <thead><tr><th>When</th><th>What</th><th class="number">Change</th><th class="number">Left</th><th class="roomy">Reason</th><th class="roomy">By</th></tr></thead>
        <tbody>
          ${lot.history.map(
            (line) => html`<tr>
              <td class="when">${moment(line.at)}</td>
              <td><a href=${addressOf('transaction', line.transactionNo)}>${effectWord(line)} ${line.transactionNo}</a></td>
              <td class="number">${line.hold ? '' : signed(line.delta)}</td>
              <td class="number">${line.balance}</td>
              <td class="roomy"><bdi>${line.hold?.reason ?? reasonText(line.reasonCode)}</bdi></td>
              <td class="roomy"><bdi>${line.clientId}</bdi></td>
            </tr>`,
          )}
        </tbody>
      </table>
    </section>
  `;
}
