const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * Whether any object in a JSON text, at any depth, has the same field twice. Parsers do not agree on what
 * such a text means. The text must be well-formed. One pass, without recursion.
 */
export function hasDuplicateFields(text: string): boolean {
  // The field names seen so far in each enclosing object; null stands for an array.
  const around: (Set<string> | null)[] = [];
  let start = -1;
  let end = -1;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === quote) {
      start = index;
      end = endOfString(text, index);
      index = end;
    } else if (code === openBrace) around.push(new Set());
    else if (code === openBracket) around.push(null);
    else if (code === closeBrace || code === closeBracket) around.pop();
    else if (code === colon) {
      // The string before the colon is a field name. Escapes can write the same name in several ways.
      const written = text.slice(start, end + 1);
      const name = written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1);
      const names = around.at(-1)!;
      if (names.has(name)) return true;
      names.add(name);
    }
  }
  return false;
}

/** Returns the position of the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (text.charCodeAt(index) !== quote) index += text.charCodeAt(index) === backslash ? 2 : 1;
  return index;
}
