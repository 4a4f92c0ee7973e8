import { checkPairOf, gtin14Of, hasCheckDigit, isIban } from '@inventory/domain/scan/check-digits';
import { allIdentifiers } from '@inventory/domain/scan/identifiers';
import { type Gs1, readCode } from '@inventory/domain/scan/read-code';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  breaks,
  digitalLink,
  elementString,
  type Given,
  inBrackets,
  someElements,
  someLink,
  validValueOf,
} from '../harness/codes/gs1-codes.ts';

const year = 2026;
// Without FUZZ_CASES there are more than 20,000 codes already.
const times = Math.ceil(Number(process.env.FUZZ_CASES ?? 20_000) / 20_000);
const read = (data: string, symbology: string | null = null) => readCode(data, symbology, year);
const given = ({ gs1 }: { gs1: Gs1 | null }) => gs1?.elements.map(({ ai, value }) => ({ ai, value }));
const gs1Of = (data: string) => {
  const { gs1, fault } = read(data);
  if (gs1 === null) throw new Error(fault?.message ?? 'not GS1');
  return gs1;
};

test('there is every Application Identifier', () => {
  expect(allIdentifiers).toHaveLength(541);
  expect(new Set(allIdentifiers.map(({ ai }) => ai)).size).toBe(541);
  // The lengths that FNC1 need not end, by the first two digits.
  const ended = allIdentifiers.filter(({ length }) => length !== null).map(({ ai, length }) => [ai, length]);
  expect(Object.fromEntries(ended)).toMatchObject({
    '00': 18,
    '01': 14,
    '17': 6,
    '20': 2,
    '3103': 6,
    '410': 13,
  });
});

test('the values of every Application Identifier are read back, and none that is too long', () => {
  for (const identifier of allIdentifiers) {
    const { ai, parts } = identifier;
    const max = parts.reduce((sum, part) => sum + part.max, 0);
    const valid = fc.property(validValueOf(identifier), (value) => {
      const inBrackets = (text: string) => `(${ai})${text.replaceAll('(', '\\(')}`;
      for (const data of [`]C1${ai}${value}`, `\u001d${ai}${value}`, inBrackets(value)]) {
        expect(given(read(data))).toEqual([{ ai, value }]);
      }
      expect(read(inBrackets(value.padEnd(max + 1, '0'))).gs1).toBeNull();
    });
    fc.assert(valid, { numRuns: 20 * times });
  }
});

test('every valid code is read back exactly, in each of its forms', () => {
  fc.assert(
    fc.property(someElements, fc.constantFrom(']C1', ']e0', ']d2', ']Q3', '\u001d'), (elements, sign) => {
      expect(given(read(`${sign}${elementString(elements)}`))).toEqual(elements);
      expect(given(read(elementString(elements), 'C1'))).toEqual(elements);
      expect(given(read(inBrackets(elements)))).toEqual(elements);
      expect(given(read(`${sign === '\u001d' ? ']C1' : sign}${inBrackets(elements)}`))).toEqual(elements);
    }),
    { numRuns: 7000 * times },
  );
});

test('every valid Digital Link is read back exactly', () => {
  fc.assert(
    fc.property(someLink, ({ inPath, inQuery }) => {
      expect(given(read(digitalLink({ inPath, inQuery })))).toEqual([...inPath, ...inQuery]);
    }),
    { numRuns: 5000 * times },
  );
});

test.each(Object.entries(breaks))('no code is read in which %s', (_, broken) => {
  fc.assert(
    fc.property(someElements, fc.nat(), (elements, pick) => {
      const bad = broken(elements, pick);
      fc.pre(bad !== null);
      for (const data of [`]d2${closed(bad)}`, inBrackets(bad)]) {
        const code = read(data);
        expect(code.gs1).toBeNull();
        expect(code.fault).not.toBeNull();
        expect(code.texts).toContain(data);
      }
    }),
    { numRuns: 1500 * times, maxSkipsPerRun: 1000 },
  );
});

/** With FNC1 after every value, so that a value without its end is not filled up from the next one. */
function closed(elements: readonly Given[]): string {
  return elements.map(({ ai, value }) => `${ai}${value}\u001d`).join('');
}

test('any text is read or named, and never as something that is not written in it', () => {
  const signs = fc.constantFrom('', ']C1', ']d2', '\u001d', '(01)', '01', '00', 'https://a.b/01/', ']E0');
  const piece = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'0123456789()\u001d/?=&%]\\A') }),
    fc.constantFrom('01', '04006381333931', '10', '17', '260200', '\u001d', '3103', '%2', '(10)'),
  );
  fc.assert(
    fc.property(signs, fc.array(piece, { maxLength: 8 }), (sign, pieces) => {
      const data = `${sign}${pieces.join('')}`;
      const { gs1, fault, texts } = read(data);
      expect(gs1 === null || fault === null).toBe(true);
      expect(texts[0]).toBe(data);
      for (const { ai, value } of gs1?.elements ?? []) {
        if (gs1!.form === 'elementString') expect(data).toContain(ai + value);
      }
    }),
    { numRuns: 10_000 * times },
  );
});

describe('check digits', () => {
  test.each([
    '73513537',
    '614141000036',
    '4006381333931',
    '9506000134352',
    '10614141000415',
    '106141412345678908',
  ])('%s is right, and wrong with any other digit', (digits) => {
    expect(hasCheckDigit(digits)).toBe(true);
    for (const [place, digit] of [...digits].entries()) {
      for (const other of '0123456789'.replace(digit, '')) {
        expect(hasCheckDigit(`${digits.slice(0, place)}${other}${digits.slice(place + 1)}`)).toBe(false);
      }
    }
  });

  test.each([
    ['04252614', '042100005264'],
    ['01234133', '012300000413'],
    ['01234543', '012340000053'],
    ['01234558', '012345000058'],
    ['18070114', '180100007014'],
  ])('the UPC-E %s is the UPC-A %s, and no EAN-8', (short, long) => {
    const gtin = gtin14Of(long)!;
    expect(gtin).not.toBeNull();
    expect([read(`]E0${short}`).gs1?.gtin, read(short, ']E0').gs1?.gtin]).toEqual([gtin, gtin]);
    expect(read(`]E4${short}`).gs1?.gtin).not.toBe(gtin);
    expect(read(`]E0${short.slice(0, 7)}${(Number(short.at(-1)) + 1) % 10}`)).toMatchObject({
      gs1: null,
      fault: { message: 'Its check digit is wrong.' },
    });
  });

  test('a GTIN has 14 digits, however many are written', () => {
    expect(['73513537', '614141000036', '4006381333931', '10614141000415'].map(gtin14Of)).toEqual([
      '00000073513537',
      '00614141000036',
      '04006381333931',
      '10614141000415',
    ]);
    expect(['4006381333932', '40063813339', '106141412345678908', 'A', ''].map(gtin14Of)).toEqual(
      Array(5).fill(null),
    );
  });

  test('a model number and an IBAN', () => {
    expect(checkPairOf('1987654Ad4X4bL5ttr2310c')).toBe('2K');
    expect(['DE89370400440532013000', 'GB82WEST12345698765432'].map(isIban)).toEqual([true, true]);
    expect(['DE88370400440532013000', 'GB82WEST12345698765433', '89'].map(isIban)).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe('what counts as GS1', () => {
  test('a plain text is none, whatever it begins with', () => {
    const plain = [
      '10D9T',
      '17260200',
      '21A',
      '(foo)',
      '(12x) A',
      'https://shop.example/a/b',
      ']A0X',
      '',
      ']C1',
    ];
    expect(plain.slice(0, -1).map((data) => read(data))).toEqual([
      ...plain.slice(0, 6).map((data) => ({ texts: [data], gs1: null, fault: null })),
      { texts: [']A0X', 'X'], gs1: null, fault: null },
      { texts: [''], gs1: null, fault: null },
    ]);
    expect(read(']C1').gs1).toBeNull();
  });

  test('01 or 00 before a right check digit says so, and a wrong one does not', () => {
    expect(gs1Of('010400638133393110D9T')).toMatchObject({ gtin: '04006381333931', serial: 'D9T' });
    expect(gs1Of('00106141412345678908')).toMatchObject({ sscc: '106141412345678908', gtin: null });
    expect(read('010400638133393210D9T')).toEqual({
      texts: ['010400638133393210D9T'],
      gs1: null,
      fault: null,
    });
    expect(read('0104006381333931XY')).toMatchObject({ gs1: null, fault: null });
  });

  test('a bare EAN, UPC or ITF-14 is a GTIN', () => {
    expect(gs1Of('4006381333931')).toMatchObject({ form: 'gtin', gtin: '04006381333931' });
    expect(read(']E04006381333932').fault).toEqual({ ai: null, message: 'Its check digit is wrong.' });
    expect(read('4006381333932', ']E0').fault).not.toBeNull();
    expect(read('4006381333932')).toMatchObject({ gs1: null, fault: null });
  });
});

describe('the data', () => {
  test('day 00 is the last of the month, also in a leap year', () => {
    const expires = (digits: string) => gs1Of(`(17)${digits}`).expires;
    expect(['260200', '280200', '260400', '261231'].map(expires)).toEqual([
      '2026-02-28',
      '2028-02-29',
      '2026-04-30',
      '2026-12-31',
    ]);
    for (const digits of ['260230', '260431', '261300', '260001', '270229']) {
      expect(read(`(17)${digits}`).fault).toEqual({ ai: '17', message: 'There is no such day.' });
    }
    // AI 4326 has no day 00.
    expect(read('(4326)260200').fault).not.toBeNull();
  });

  test('a year is at most 50 years ahead and 49 back', () => {
    const yearIn = (now: number, digits: string) =>
      readCode(`(17)${digits}0101`, null, now).gs1?.expires?.slice(0, 4);
    expect(['75', '76', '77', '00', '25', '26'].map((digits) => yearIn(2026, digits))).toEqual([
      '2075',
      '2076',
      '1977',
      '2000',
      '2025',
      '2026',
    ]);
    expect(['50', '51', '99', '00'].map((digits) => yearIn(2000, digits))).toEqual([
      '2050',
      '1951',
      '1999',
      '2000',
    ]);
    expect(['00', '40', '48', '49'].map((digits) => yearIn(2098, digits))).toEqual([
      '2100',
      '2140',
      '2148',
      '2049',
    ]);
  });

  test('weights and counts are exact', () => {
    expect(gs1Of('(01)04006381333931(3103)001250')).toMatchObject({ netWeight: 1_250_000n, units: null });
    expect(gs1Of('(3105)000001').netWeight).toBe(10n);
    expect(gs1Of('(3100)999999').netWeight).toBe(999_999_000_000n);
    expect(gs1Of('(3162)000150').elements[0]!.number).toBe(1_500_000n);
    expect(gs1Of('(01)04006381333931(30)00000007').units).toBe(7_000_000n);
    expect(gs1Of('(02)04006381333931(37)12')).toMatchObject({ gtin: '04006381333931', units: 12_000_000n });
    expect(read('(30)1234567890').fault).toEqual({ ai: '30', message: 'Its value is too long.' });
  });

  test('an Application Identifier that stands twice is taken once, with one value only', () => {
    expect(gs1Of('(10)A(21)S(10)A')).toMatchObject({ serial: 'A', serial2: 'S', repeated: ['10'] });
    expect(read('(10)A(21)S(10)B').fault).toEqual({
      ai: '10',
      message: 'It stands there more than once, with different values.',
    });
  });

  test('Application Identifiers that contradict each other are named', () => {
    expect(read('(01)04006381333931(02)04006381333931').fault).toEqual({
      ai: '02',
      message: 'It contradicts AI 01.',
    });
    expect(read('(3103)001250(3102)000125').fault).toEqual({
      ai: '3102',
      message: 'It contradicts AI 3103.',
    });
  });

  test('FNC1 may stand where it must not be missing, once', () => {
    const elements = [
      { ai: '01', value: '04006381333931' },
      { ai: '10', value: 'A' },
      { ai: '21', value: 'S' },
    ];
    for (const data of [
      ']C1010400638133393110A\u001d21S',
      ']C1\u001d010400638133393110A\u001d21S',
      ']d20104006381333931\u001d10A\u001d21S\u001d',
      '\u001d0104006381333931\u001d10A\u001d21S',
      '010400638133393110A\u001d21S',
    ])
      expect(given(read(data)), data).toEqual(elements);
    for (const data of [
      ']C1010400638133393110A\u001d\u001d21S',
      ']C1\u001d\u001d0104006381333931',
      ']C101040063\u001d81333931',
      ']C1\u001d',
      '\u001d',
      ']C110\u001d21S',
    ])
      expect(read(data), data).toMatchObject({ gs1: null, fault: { message: expect.any(String) } });
    // Without FNC1 nothing tells where a value ends.
    expect(given(read(']C110A21S'))).toEqual([{ ai: '10', value: 'A21S' }]);
  });

  test('U+001D is FNC1 only where a symbol can have it; a line end and an add-on are no part of a GTIN', () => {
    const message = '[)>\u001e06\u001dPABC\u001dQ10\u001e\u0004';
    for (const data of [
      message,
      `]d1${message}`,
      `]C0${message}`,
      ']d1P1\u001dQ2',
      ']C0A\u001d10B',
      ']Q1A\u001dB',
    ])
      expect(read(data), data).toMatchObject({ gs1: null, fault: null });
    expect(given(read(']X0\u001d10A'))).toEqual([{ ai: '10', value: 'A' }]);
    const gtin = [{ ai: '01', value: '04006381333931' }];
    for (const end of ['', '\r', '\n', '\r\n'])
      for (const code of [
        ']E04006381333931',
        '4006381333931',
        ']C10104006381333931',
        ']E3400638133393112',
        ']E3400638133393154321',
      ])
        expect(given(read(code + end)), code).toEqual(gtin);
    expect(given(read(']E361414100003612345'))).toEqual([{ ai: '01', value: '00614141000036' }]);
    expect(read('A-1\r\n').texts).toEqual(['A-1\r\n', 'A-1']);
    expect(read(']C0A-1\n').texts).toEqual([']C0A-1\n', 'A-1\n', 'A-1']);
    for (const bad of [']E3400638133393212', ']E340063813339', ']E04006381333932\r'])
      expect(read(bad), bad).toMatchObject({
        gs1: null,
        fault: { ai: null, message: 'Its check digit is wrong.' },
      });
  });

  test('a Digital Link of any host, port and case, percent-encoded or not', () => {
    const rest = '01/04006381333931/10/A%2fB%25?17=260200';
    for (const host of ['id.gs1.org', 'user@shop.example:8443/de/p', '[::1]:80', 'xn--bcher-kva.example'])
      for (const scheme of ['https', 'http', 'HTTPS'])
        expect(gs1Of(`${scheme}://${host}/${rest}#top`)).toMatchObject({
          ...{ gtin: '04006381333931', serial: 'A/B%', expires: '2026-02-28' },
        });
    for (const bad of ['10/%00', '10/%ff', '10/%ED%A0%80', '10/%', '10/a%20b', '10/%C3%A4', '10/'])
      expect(read(`https://id.gs1.org/01/04006381333931/${bad}/21/S`).gs1, bad).toBeNull();
    for (const none of [
      'ftp://id.gs1.org/01/04006381333931',
      'https:///01/04006381333931',
      'id.gs1.org/01/1',
    ])
      expect(read(none), none).toMatchObject({ gs1: null, fault: null });
  });

  test('a GTIN of a Digital Link may be shorter, and another parameter is the shop’s', () => {
    expect(gs1Of('https://shop.example/x/01/4006381333931/10/A%2F1?17=260200&lang=de')).toMatchObject({
      form: 'digitalLink',
      gtin: '04006381333931',
      serial: 'A/1',
      expires: '2026-02-28',
    });
    // Qualifiers have an order.
    expect(read('https://shop.example/01/04006381333931/21/S/10/A')).toMatchObject({
      gs1: null,
      fault: null,
    });
    expect(read('https://shop.example/01/04006381333932').fault).not.toBeNull();
    expect(read('https://shop.example/01/04006381333931?9999=1').fault?.ai).toBe('9999');
    expect(read('https://shop.example/01/04006381333931?10=%').fault?.ai).toBe('10');
  });
});

test('a code is read in time proportional to its length', () => {
  const hard = [
    (n: number) => `]C1${'2011'.repeat(n)}`,
    (n: number) => `]C1${'10A\u001d'.repeat(n)}`,
    (n: number) => `(10)${'A('.repeat(n)}`,
    (n: number) => `(10)${'\\'.repeat(n)}`,
    (n: number) => `https://a.b/${'01/'.repeat(n)}`,
    (n: number) => `https://a.b/01/04006381333931?${'a=%&'.repeat(n)}`,
    (n: number) => '0'.repeat(n),
  ];
  for (const make of hard) {
    expect(() => read(make(100_000))).not.toThrow();
  }
});
