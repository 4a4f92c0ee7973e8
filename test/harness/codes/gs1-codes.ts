import { checkDigitOf, checkPairOf, gs1Characters } from '@inventory/domain/scan/check-digits';
import {
  allIdentifiers,
  contradictionsOf,
  type Identifier,
  isInQueries,
  type Part,
  qualifiersOf,
} from '@inventory/domain/scan/identifiers';
import { separator } from '@inventory/domain/scan/read-code';
import fc from 'fast-check';

/** A value under its Application Identifier. */
export type Given = { ai: string; value: string };

const charactersOf: Record<Part['what'], string> = {
  n: '0123456789',
  x: gs1Characters,
  y: '#-/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  z: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=',
};

const two = (number: number) => String(number).padStart(2, '0');
const textOf = (characters: string, minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...characters), minLength, maxLength });
const numberText = (from: number, to: number, length: number) =>
  fc.integer({ min: from, max: to }).map((number) => String(number).padStart(length, '0'));
const dayOf = (least: number) =>
  fc
    .tuple(numberText(0, 99, 2), numberText(1, 12, 2), numberText(least, 28, 2))
    .map((parts) => parts.join(''));
const pieceOf = (digits: number, join: string) =>
  fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 9 }))
    .map(([piece, more]) => [piece, Math.min(piece + more, 10 ** digits - 1)])
    .map((numbers) => numbers.map((number) => String(number).padStart(digits, '0')).join(join));

/** These digits with their check digit, by a formula of the tests' own. */
export function withCheckDigit(digits: string): string {
  const sum = [...digits]
    .reverse()
    .reduce((all, digit, place) => all + Number(digit) * (place % 2 === 0 ? 3 : 1), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

/** The values of a part with a rule. */
const ruled: Record<string, (part: Part) => fc.Arbitrary<string>> = {
  check: ({ max }) => textOf('0123456789', max - 1, max - 1).map((digits) => digits + checkDigitOf(digits)),
  pair: () => textOf(gs1Characters, 1, 23).map((text) => text + checkPairOf(text)),
  model: () => textOf(gs1Characters, 1, 22).map((text) => `A${text}${checkPairOf(`A${text}`)}`),
  iban: () => textOf('0123456789', 10, 18).map(ibanOf),
  day: () => dayOf(1),
  day0: () => dayOf(0),
  date: () => dayOf(1).map((day) => `19${day}`),
  time: () => fc.tuple(numberText(0, 23, 2), numberText(0, 59, 2)).map((parts) => parts.join('')),
  hour: () => numberText(0, 23, 2),
  sixty: () => numberText(0, 59, 2),
  yes: () => fc.constantFrom('0', '1'),
  sex: () => fc.constantFrom('0', '1', '2', '9'),
  zero: () => fc.constant('0'),
  some: ({ max }) => numberText(1, 10 ** max - 1, max),
  winding: () => fc.constantFrom('0', '1', '9'),
  minus: () => fc.constant('-'),
  number: ({ max }) => numberText(0, 10 ** max - 1, 1),
  latitude: () => numberText(0, 1_800_000_000, 10),
  longitude: () => numberText(0, 3_600_000_000, 10),
  percent: ({ max }) =>
    fc.tuple(fc.constantFrom('', '%C3%A4'), textOf('abcXYZ', 1, max - 6)).map((parts) => parts.join('')),
  piece: () => pieceOf(2, ''),
  sequence: () => pieceOf(1, '/'),
};

function ibanOf(account: string): string {
  const check = 98n - (BigInt(`${account}131400`) % 97n);
  return `DE${two(Number(check))}${account}`;
}

function partValue(part: Part): fc.Arbitrary<string> {
  return part.rule === '' ? textOf(charactersOf[part.what], part.min, part.max) : ruled[part.rule]!(part);
}

/** The valid values of an Application Identifier. */
export function validValueOf({ parts }: Identifier): fc.Arbitrary<string> {
  // An optional part stands only where all optional ones before it do.
  const optional = parts.filter(({ isOptional }) => isOptional).length;
  return fc.integer({ min: 0, max: optional }).chain((count) => {
    const given = parts.slice(0, parts.length - optional + count);
    return fc.tuple(...given.map(partValue)).map((texts) => texts.join(''));
  });
}

/** Some Application Identifiers that do not contradict each other, with valid values. */
export const someElements: fc.Arbitrary<Given[]> = fc
  .uniqueArray(fc.constantFrom(...allIdentifiers), { minLength: 1, maxLength: 6, selector: ({ ai }) => ai })
  .map(withoutContradictions)
  .chain(withValues);

/** A key of a Digital Link, its qualifiers, and further Identifiers for its query. */
export const someLink: fc.Arbitrary<{ inPath: Given[]; inQuery: Given[] }> = fc
  .record({
    key: fc.constantFrom(...allIdentifiers.filter(({ ai }) => qualifiersOf(ai) !== null)),
    way: fc.nat(),
    kept: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
    others: fc.uniqueArray(fc.constantFrom(...allIdentifiers.filter(({ ai }) => isInQueries(ai))), {
      maxLength: 4,
      selector: ({ ai }) => ai,
    }),
  })
  .chain(({ key, way, kept, others }) => {
    const ways = qualifiersOf(key.ai)!;
    const qualifiers = ways[way % ways.length]!.filter((_, index) => kept[index]);
    const path = [key, ...qualifiers.map((ai) => allIdentifiers.find((each) => each.ai === ai)!)];
    const all = withoutContradictions([...path, ...others.filter((each) => !path.includes(each))]);
    return withValues(all).map((given) => ({
      inPath: given.filter(({ ai }) => path.some((each) => each.ai === ai)),
      inQuery: given.filter(({ ai }) => !path.some((each) => each.ai === ai)),
    }));
  });

function withoutContradictions(identifiers: readonly Identifier[]): Identifier[] {
  const kept: Identifier[] = [];
  for (const each of identifiers) {
    if (!kept.some(({ ai }) => contradictionsOf(each.ai).includes(ai))) kept.push(each);
  }
  return kept;
}

function withValues(identifiers: readonly Identifier[]): fc.Arbitrary<Given[]> {
  return fc.tuple(
    ...identifiers.map((each) => validValueOf(each).map((value): Given => ({ ai: each.ai, value }))),
  );
}

/** The data of a symbol, with FNC1 after each value that needs it. */
export function elementString(given: readonly Given[]): string {
  const parts = given.map(({ ai, value }, index) => {
    const isEnded =
      allIdentifiers.some((each) => each.ai === ai && each.length !== null) || index === given.length - 1;
    return `${ai}${value}${isEnded ? '' : separator}`;
  });
  return parts.join('');
}

/** The form for people. */
export function inBrackets(given: readonly Given[]): string {
  return given.map(({ ai, value }) => `(${ai})${value.replaceAll('(', '\\(')}`).join('');
}

/** A link of a shop. */
export function digitalLink({ inPath, inQuery }: { inPath: Given[]; inQuery: Given[] }): string {
  const path = inPath.map(({ ai, value }) => `/${ai}/${encodeURIComponent(value)}`).join('');
  const query = inQuery.map(({ ai, value }) => `${ai}=${encodeURIComponent(value)}`).join('&');
  return `https://shop.example/products${path}${query === '' ? '' : `?${query}`}`;
}

/** Ways to break a valid code. null: this one cannot be broken so. */
export const breaks: Record<string, (given: readonly Given[], pick: number) => Given[] | null> = {
  'a digit under a check digit is another one': (given, pick) =>
    changed(given, pick, ({ ai, value }) => {
      const place = checkedPlaceOf(ai);
      if (place === null) return null;
      const at = place + (pick % 8);
      const digit = (Number(value[at]) + 1 + (pick % 9)) % 10;
      return `${value.slice(0, at)}${digit}${value.slice(at + 1)}`;
    }),
  'a value has a character too much': (given, pick) =>
    changed(given, pick, ({ ai, value }) => {
      const { parts, length } = identifier(ai);
      const max = parts.reduce((sum, part) => sum + part.max, 0);
      return length !== null || parts.at(-1)!.rule !== '' ? null : value.padEnd(max + 1, '1');
    }),
  'a value lacks a digit': (given, pick) =>
    changed(given, pick, ({ ai, value }) => {
      const { parts } = identifier(ai);
      const isFixed = parts.every(({ min, max, isOptional }) => min === max && !isOptional);
      return isFixed ? value.slice(0, -1) : null;
    }),
  'a value has a character that no code of GS1 has': (given, pick) =>
    changed(given, pick, ({ value }) => {
      const at = pick % value.length;
      return `${value.slice(0, at)}${['~', ' ', '@', 'ä', '^'][pick % 5]}${value.slice(at + 1)}`;
    }),
  'a month is the thirteenth': (given, pick) =>
    changed(given, pick, ({ ai, value }) =>
      identifier(ai).parts[0]!.rule.startsWith('day') ? `${value.slice(0, 2)}13${value.slice(4)}` : null,
    ),
  'an Application Identifier does not exist': (given, pick) => [
    ...given,
    { ai: ['05', '29', '38', '45', '60', '88', '89'][pick % 7]!, value: '12' },
  ],
  'an Application Identifier has two values': (given, pick) =>
    [...given, ...given].some(({ ai }) => ai === '20')
      ? null
      : [...given, { ai: '20', value: '17' }, { ai: '20', value: two(18 + (pick % 80)) }],
};

function identifier(ai: string): Identifier {
  return allIdentifiers.find((each) => each.ai === ai)!;
}

/** The position of the digits with a check digit. */
function checkedPlaceOf(ai: string): number | null {
  let at = 0;
  for (const { rule, max } of identifier(ai).parts) {
    if (rule === 'check') return at;
    at += max;
  }
  return null;
}

function changed(
  given: readonly Given[],
  pick: number,
  change: (each: Given) => string | null,
): Given[] | null {
  for (let turn = 0; turn < given.length; turn++) {
    const at = (pick + turn) % given.length;
    const value = change(given[at]!);
    if (value !== null) return given.map((each, index) => (index === at ? { ...each, value } : each));
  }
  return null;
}
