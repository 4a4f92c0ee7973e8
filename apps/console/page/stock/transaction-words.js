import { difference, sum } from '../base/decimals.js';

const done = { receive: 'Received', move: 'Moved', issue: 'Issued', count: 'Counted' };
const spotsMax = 3;

/** The verb for an operation, as in `Received 5` or `Counted 7`; `of` and an item follow. */
export const doneWord = (kind) => done[kind];

/** How a count differs from what was recorded. */
export function comparedWords(by) {
  if (Number(by) === 0) return 'as recorded';
  return `${String(by).replace('-', '')} ${Number(by) > 0 ? 'more' : 'less'} than recorded`;
}

/** A hold or a release in people's words. */
export function holdText({ recNo, hold, reason }, itemID) {
  return `${hold ? 'Put on hold' : 'Released'}: lot ${recNo} of ${itemID}${reason ? ` – ${reason}` : ''}`;
}

/** A transaction in people's words: what was done, and where. */
export function sentenceOf({ kind, itemID, lines, reverses, moreLines, hold }) {
  if (kind === 'hold') return { what: holdText(hold, itemID), where: '' };
  const gained = lines.filter(({ delta }) => !delta.startsWith('-'));
  const lost = lines.filter(({ delta }) => delta.startsWith('-'));
  const [more, less] = [
    sum(gained.map(({ delta }) => delta)),
    difference('0', sum(lost.map(({ delta }) => delta))),
  ];
  const [to, from] = [spotsOf(gained), spotsOf(lost)];
  if (kind === 'reverse')
    return { what: `Undid transaction ${reverses} of ${itemID}`, where: placed(['', to || from]) };
  if (kind === 'count') {
    const at = spotsOf(lines);
    const compared = lines.length === 0 ? 'as recorded' : comparedWords(difference(more, less));
    return { what: `Counted ${itemID}: ${compared}`, where: placed(['at', at]) };
  }
  // Of a move to a warehouse out of scope, only the departure is told.
  const units = kind === 'issue' || gained.length === 0 ? less : more;
  const amount = moreLines ? `more than ${units}` : units;
  const where = {
    receive: [['at', to]],
    issue: [['from', from]],
    move: [
      ['from', from],
      ['to', to],
    ],
  }[kind];
  return { what: `${done[kind]} ${amount} of ${itemID}`, where: placed(...(where ?? [])) };
}

function spotsOf(lines) {
  const spots = [...new Set(lines.map(({ spot }) => spot).filter((spot) => spot !== ''))];
  const more = spots.length > spotsMax ? ` and ${spots.length - spotsMax} more` : '';
  return `${spots.slice(0, spotsMax).join(', ')}${more}`;
}

const placed = (...parts) =>
  parts
    .filter(([, spots]) => spots !== '')
    .map(([word, spots]) => `${word} ${spots}`)
    .join(' ');
