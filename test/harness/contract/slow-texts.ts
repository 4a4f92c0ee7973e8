// Texts that are slow for a backtracking pattern, or for code that works on each pair of parts.

/** A text of about this many bytes. */
export type Lengthened = { length(bytes: number): string };

const units = [
  ...'0 1 9 a T Z . , ; : = - + / % " \\ ( { [ 1. 1, a= a; "a", %41 \\" e-1 é \u{1f4a3}'.split(' '),
  ...[' ', '\t', 'T ', 'T 1', '0 ', ' 00:00', '; ', ', '],
];
const ends = ['', '1', '!', ' ', '"', 'x y', ' 00:0x'];

/** A beginning that lets a pattern in, a run, and an end that spoils the match. */
function run(beginning: string, unit: string, end: string): Lengthened {
  const fixed = Buffer.byteLength(beginning + end);
  const each = Buffer.byteLength(unit);
  return {
    length: (bytes) => beginning + unit.repeat(Math.max(0, Math.floor((bytes - fixed) / each))) + end,
  };
}

/** The parts of a run: one of each unit, with the ends in turn, and those that spoil numbers and times. */
const runs: [beginning: string, unit: string, end: string][] = [
  // Node removes the white space before a header's value.
  ...units.map((unit, index): [string, string, string] => [
    unit.trim() === '' ? 'a' : '',
    unit,
    ends[index % ends.length]!,
  ]),
  ['1.', '0', '1'],
  ['2026-01-01T00:00:00.', '0', 'x'],
  ['2026-01-01', 'T', ' 00:0x'],
];

export const slowTexts: readonly Lengthened[] = runs.map((parts) => run(...parts));

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

/** As many members as there is room for; `#` stands for their index. */
export function listOf(before: string, member: string, after: string, by = ','): Lengthened {
  return {
    length(bytes) {
      const all: string[] = [];
      let room = bytes - before.length - after.length;
      for (let index = 0; room > 0; index++) {
        all.push(member.replaceAll('#', String(index)));
        room -= all.at(-1)!.length + by.length;
      }
      return before + all.slice(0, -1).join(by) + after;
    },
  };
}

function nested(open: string, close: string, inside = '1'): Lengthened {
  return {
    length(bytes) {
      const depth = Math.floor((bytes - inside.length) / (open.length + close.length));
      return open.repeat(depth) + inside + close.repeat(depth);
    },
  };
}

// Makes the body's reader look at each digit.
const long = '1234567890.1234567890';

/** The same texts and other values that are slow to read, as JSON has them. */
export const slowJson: readonly Lengthened[] = [
  ...runs.map(([beginning, unit, end]) => run(`"${inJson(beginning)}`, inJson(unit), `${inJson(end)}"`)),
  ...[
    ...[run('1.', '0', '1'), run('1.', '0', ''), run('0.', '0', '1'), run('1', '0', '.5')],
    ...[run('1e', '0', '1'), run('1e-', '0', '1'), run('-', '9', ''), run('', '-', '1')],
  ],
  run('"', '\\u0041', '"'),
  ...['0.000000000000000000', '"1234567890123456"', '{"k#":1}'].map((each) => listOf('[', each, ']')),
  listOf('{', '"k#":#', '}'),
  ...['"#000000":null', '"k#":1', '"k":#'].map((each) => listOf('{', each, `,"x":${long}}`)),
  ...[nested('[', ']'), nested('[', ']', long), nested('{"a":', '}', long), nested('{"a":1,"a":', '}', long)],
  ...[run(`[${long},`, '[', ''), run(`{"a":${long}`, ' ', '}')],
];
