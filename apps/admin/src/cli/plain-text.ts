// Controls of terminals, U+009B (which begins an escape as ESC [ does) among them, and what changes the lines
// or the direction of a text.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is control characters that are looked for.
const control = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A text as one line of a terminal shows it. */
export function plain(text: string): string {
  return text.replace(control, '?');
}

/** A text of several lines, each as a terminal shows it. */
export function keepLines(text: string): string {
  return text.split('\n').map(plain).join('\n');
}

/** The same JSON on one line, with these characters written as JSON writes them. */
export function plainJson(json: string): string {
  return json.replace(control, (found) => {
    const code = found.charCodeAt(0);
    // No string of JSON holds one as it is: it is the space between two values.
    return code < 0x20 ? ' ' : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
