// Control characters, including U+009B, which begins an escape sequence just as ESC [ does, and characters
// that break a line or change the direction of a text.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is control characters that are looked for.
const control = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A text that is safe to show on one line of a terminal. */
export function plain(text: string): string {
  return text.replace(control, '?');
}

/** The same for a text of several lines. */
export function keepLines(text: string): string {
  return text.split('\n').map(plain).join('\n');
}

/** The same JSON on one line, with these characters escaped. */
export function plainJson(json: string): string {
  return json.replace(control, (found) => {
    const code = found.charCodeAt(0);
    // JSON allows these only between two values.
    return code < 0x20 ? ' ' : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
