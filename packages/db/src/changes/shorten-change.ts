/** The elements of an array in JSON text, and the place behind its last bracket. `from`: behind its first. */
function elementsAt(text: string, from: number): { elements: string[]; end: number } {
  const elements: string[] = [];
  let [depth, begin, isText] = [0, from, false];
  for (let at = from; ; at++) {
    const character = text[at];
    if (isText) {
      if (character === '\\') at += 1;
      else if (character === '"') isText = false;
    } else if (character === '"') isText = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (depth === 0 && (character === ',' || character === ']')) {
      if (at > begin) elements.push(text.slice(begin, at));
      begin = at + 1;
      if (character === ']') return { elements, end: at };
    } else if (character === '}' || character === ']') depth -= 1;
  }
}

const recNoOf = (record: string) => /"recNo":(\d+)/.exec(record)?.[1];

/**
 * A change of stock with as many of its lines, and their lots, as fit into so many bytes, and then
 * `moreLines: true`. Returns other changes, and those that fit, as they are. Works on the text: a parsed
 * quantity could lose its last digits.
 */
export function shortenChange(text: string, bytesMax: number): string {
  // Inside of texts, quotation marks are escaped, so these are the names of members.
  const [linesName, lotsName] = ['"lines":[', ',"lots":['];
  const linesAt = text.indexOf(linesName);
  if (Buffer.byteLength(text) <= bytesMax || linesAt < 0) return text;
  const { elements: lines, end: linesEnd } = elementsAt(text, linesAt + linesName.length);
  const lotsAt = text.indexOf(lotsName, linesEnd);
  if (lotsAt < 0) return text;
  const { elements, end: lotsEnd } = elementsAt(text, lotsAt + lotsName.length);
  const lots = new Map(elements.map((lot) => [recNoOf(lot), lot]));
  const head = text.slice(0, linesAt + linesName.length);
  const between = `],"moreLines":true${lotsName}`;
  const tail = text.slice(lotsEnd);
  const shownLots: string[] = [];
  let shown = 0;
  let bytes = Buffer.byteLength(head + between + tail);
  for (const line of lines) {
    const lot = lots.get(recNoOf(line));
    bytes += Buffer.byteLength(line) + 1 + (lot === undefined ? 0 : Buffer.byteLength(lot) + 1);
    if (bytes > bytesMax) break;
    shown += 1;
    if (lot !== undefined) shownLots.push(lot);
    // A lot may have two lines.
    lots.delete(recNoOf(line));
  }
  return `${head}${lines.slice(0, shown).join()}${between}${shownLots.join()}${tail}`;
}
