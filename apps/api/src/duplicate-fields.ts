const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * Whether some object in a JSON text, however deep, has a field twice: its readers would not agree on what it
 * says. The text must be well-formed. One pass over it, nothing on the stack.
 */
export function hasDuplicateFields(text: string): boolean {
  // The names seen in each object around the place; null stands for an array.
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
      // The string before it is a name. One character can be written in several ways.
      const written = text.slice(start, end + 1);
      const name = written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1);
      const names = around.at(-1)!;
      if (names.has(name)) return true;
      names.add(name);
    }
  }
  return false;
}

/** Where the string that begins at `start` has its closing quote. */
function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (text.charCodeAt(index) !== quote) index += text.charCodeAt(index) === backslash ? 2 : 1;
  return index;
}
