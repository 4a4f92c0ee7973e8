import type { Pacer } from '@inventory/process/pacer';

/**
 * The text of a batch in pieces: the text without its operations, and each operation; null if there are more
 * than `max`. `isDeep`: it is nested deeper than any field may be, and the rest was not read. `isCut`: its
 * brackets do not match. `hasList`: the list was found.
 */
export type SplitBatch = {
  head: string;
  operations: string[] | null;
  isDeep?: true;
  isCut?: boolean;
  hasList?: boolean;
};

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

// No field is nested this deep. A value of thousands of brackets costs the parser and the garbage collector
// far more than its length suggests.
const depthMax = 64;
// A string with as many letters as `operations` that surely parses: a failed JSON.parse costs more than a
// thousand brackets.
const tenLetters = /^"(?:[a-z]|\\u00[\da-fA-F]{2}){10}"$/;
const writtenMax = 10 * '\\u0000'.length + 2;
// Characters between two checks of the clock.
const lookEvery = 16 * 1024;

/**
 * Cuts the list `operations` out of the text of a JSON object, and cuts the list at the commas between its
 * elements. The text is well-formed if, and only if, the head and every piece are.
 */
export async function splitOperations(text: string, max: number, pace: Pacer): Promise<SplitBatch> {
  const operations: string[] = [];
  let depth = 0;
  let isNamed = false;
  let from = -1;
  let start = 0;
  let end = -1;
  let looked = 0;
  for (let index = 0; index < text.length; index++) {
    if (index - looked > lookEvery) {
      looked = index;
      await pace();
    }
    const code = text.charCodeAt(index);
    const isList = from >= 0 && end < 0;
    if (code === quote) {
      const closing = endOfString(text, index);
      isNamed = depth === 1 && isOperations(text, index, closing);
      index = closing;
    } else if (code === openBrace || code === openBracket) {
      depth += 1;
      if (depth > depthMax) return { head: '', operations: [], isDeep: true };
      if (code === openBracket && depth === 2 && from < 0 && isNamed) {
        from = index + 1;
        start = from;
      }
    } else if (code === closeBrace || code === closeBracket) {
      if (isList && depth === 2) {
        end = index;
        operations.push(text.slice(start, index));
      }
      depth -= 1;
    } else if (code === comma && isList && depth === 2) {
      operations.push(text.slice(start, index));
      start = index + 1;
      if (operations.length > max) return { head: '', operations: null };
    } else if (code === comma && depth === 1) isNamed = false;
  }
  const isCut = depth !== 0;
  if (end < 0) return { head: text, operations: [], isCut, hasList: false };
  if (operations.length > max) return { head: '', operations: null };
  const isEmpty = operations.length === 1 && operations[0]!.trim() === '';
  const head = text.slice(0, from) + text.slice(end);
  return { head, operations: isEmpty ? [] : operations, isCut, hasList: true };
}

/** Whether the string between these quotes says `operations`, with or without escapes. */
function isOperations(text: string, from: number, to: number): boolean {
  if (to - from >= writtenMax) return false;
  const written = text.slice(from, to + 1);
  return tenLetters.test(written) && JSON.parse(written) === 'operations';
}

/** Returns the position of the closing quote of the string that begins at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text.charCodeAt(index) !== quote) {
    index += text.charCodeAt(index) === backslash ? 2 : 1;
  }
  return index;
}
