// Texts that are slow for a backtracking pattern, or for code that works on each pair of parts.

/** The parts of such a text: a beginning that lets a pattern in, a run, and an end that spoils the match. */
export const beginnings = [
  '',
  '1.',
  '0.',
  '-',
  '1e',
  '2026-01-01T',
  '2026-01-01T00:00:00.',
  'Bearer ',
  'Basic ',
  'a/b;a="',
  'gzip;q=',
  'W/"',
] as const;
export const units = [
  ...[
    '0',
    '1',
    '9',
    'a',
    'T',
    'Z',
    ' ',
    '\t',
    '.',
    ',',
    ';',
    ':',
    '=',
    '-',
    '+',
    '/',
    '%',
    '"',
    '\\',
    '(',
    '{',
    '[',
  ],
  ...[
    'T ',
    'T 1',
    '0 ',
    ' 00:00',
    '1.',
    '1,',
    'a=',
    'a;',
    '; ',
    ', ',
    '"a",',
    '%41',
    '\\"',
    'e-1',
    'é',
    '\u{1f4a3}',
  ],
] as const;
export const ends = ['', '1', '!', ' ', '"', 'x y', ' 00:0x'] as const;

/** This many characters of it, one for each byte if it is ASCII. */
export function slowText(beginning: string, unit: string, end: string, length: number): string {
  const room = length - beginning.length - end.length;
  return beginning + unit.repeat(Math.floor(room / Buffer.byteLength(unit))) + end;
}

/**
 * One text of each unit, with the ends in turn, and texts on which patterns of numbers and times backtrack.
 */
export function slowTexts(length: number): string[] {
  return [
    ...units.map((unit, index) => slowText('', unit, ends[index % ends.length]!, length)),
    slowText('1.', '0', '1', length),
    slowText('2026-01-01T00:00:00.', '0', 'x', length),
    slowText('2026-01-01', 'T', ' 00:0x', length),
  ];
}

/** The JSON text of values that are slow to read even without quotes. */
export function slowJson(length: number): string[] {
  const members = (memberOf: (index: number) => string) => {
    const all: string[] = [];
    for (let room = length - 60; room > 0; room -= all.at(-1)!.length + 1) all.push(memberOf(all.length));
    return all.join(',');
  };
  const nested = (open: string, close: string, inside = '1') => {
    const depth = Math.floor((length - 60) / (open.length + close.length));
    return open.repeat(depth) + inside + close.repeat(depth);
  };
  // Makes the body's reader look at each digit.
  const long = '1234567890.1234567890';
  return [
    slowText('1.', '0', '1', length),
    slowText('1.', '0', '', length),
    slowText('0.', '0', '1', length),
    slowText('1', '0', '.5', length),
    slowText('1e', '0', '1', length),
    slowText('1e-', '0', '1', length),
    slowText('-', '9', '', length),
    slowText('', '-', '1', length),
    slowText('"', '\\u0041', '"', length),
    `[${members(() => '0.000000000000000000')}]`,
    `[${members(() => '"1234567890123456"')}]`,
    `[${members((index) => `{"k${index}":1}`)}]`,
    `{${members((index) => `"k${index}":${index}`)}}`,
    `{${members((index) => `"${index * 2 ** 20}":null`)},"x":${long}}`,
    `{${members((index) => `"k${index}":1`)},"x":${long}}`,
    `{${members((index) => `"k":${index}`)},"x":${long}}`,
    nested('[', ']'),
    nested('[', ']', long),
    nested('{"a":', '}', long),
    nested('{"a":1,"a":', '}', long),
    `[${long},${'['.repeat(length - 60)}`,
    `{"a":${long}${' '.repeat(length - 60)}}`,
  ];
}
