/**
 * The Application Identifiers of GS1, by the form of their values. The facts are those of the GS1 General
 * Specifications; the GS1 Barcode Syntax Dictionary (GS1 AISBL, Apache-2.0) was used to check them. A form is
 * a list of parts: the kind of characters (`n` digits, `x` the 82 characters of GS1, `y` the 39, `z`
 * base64url), the length or its range, after a colon the further rule, and `?` where the part may be missing.
 * `3100-3105`: a range.
 */
const forms: Readonly<Record<string, string>> = {
  'n1:yes': '4321-4323',
  'n1:sex': '7252',
  n2: '20 7241',
  n3: '422 424 426',
  'n3 n3? n3? n3? n3?': '423 425',
  n4: '3940-3943 8111',
  n6: `${sixDigits()} 3950-3955 8005`,
  'n6:day0': '11-13 15-17',
  'n6:day': '4326 7006',
  'n6:day n6:day?': '7007',
  'n6:day n4:time': '7003',
  'n6:day n4:time?': '7011',
  'n6:day0 n4:time': '4324 4325',
  'n6:day n2:hour n2:sixty? n2:sixty?': '8008',
  'n6 x1:minus?': '4330-4333',
  'n8:date': '7250',
  'n8:date n4:time': '7251',
  'n10:latitude n10:longitude': '4309',
  n13: '7001',
  'n13:check': '410-417',
  'n13:check x1-17?': '253',
  'n13:check n1-12?': '255',
  'n1:zero n13:check x1-16?': '8003',
  'n14:check': '01-03',
  'n14:check n4:piece': '8006 8026',
  n15: '8040 8041',
  'n17:check': '402',
  'n18:check': '00 8017 8018',
  'n18 n1-2?': '8043',
  n32: '8042',
  'n1-4': '7004',
  'n1-6': '242',
  'n1-8': '30 37',
  'n1-10': '8019',
  'n1-12:number': '8011',
  'n1-15': '3900-3909 3920-3929',
  'n3 n1-15': '3910-3919 3930-3939',
  'n4:some n5:some n3:some n1:winding n1': '8001',
  x2: '4307 4317',
  'x3:sequence': '7258',
  'x1-2': '7010',
  'x1-3': '427 7008',
  'x1-4': '7041',
  'x1-10': '7009 7255',
  'x1-12': '7005',
  'x1-20': '10 21 22 243 254 420 710-717 4318 7020-7022 7240 8002 8012',
  'x1-25': '7242 8020',
  'x1-25:pair': '8013',
  'x1-25:model': '8014',
  'x1-28': '235',
  'x1-30': '240 241 250 251 400 401 403 4308 4319 7002 7023 8004 90',
  'x1-34:iban': '8007',
  'x1-35:percent': '4300 4301 4310 4311 4320',
  'x1-40:percent': '7253 7254 7259',
  'x1-50': '8009',
  'x1-70': '8110 8112 8200',
  'x1-70:percent': '4302-4306 4312-4316 7257',
  'x1-90': '91-99',
  'x1-90:percent': '7256',
  'x2 x1-28': '7230-7239',
  'n1 x3': '7040',
  'n3 x1-9': '421',
  'n3 x1-27': '7030-7039',
  'y1-30': '8010',
  'z1-90': '8030',
};

/** Weights, lengths, areas and volumes: the last digit tells how many of the six are decimals. */
function sixDigits(): string {
  return measures()
    .map((measure) => `${measure}0-${measure}5`)
    .join(' ');
}

function measures(): string[] {
  return ['310-316', '320-337', '340-357', '360-369'].flatMap(rangeOf);
}

/** The first digits of the Identifiers whose values have a fixed length that ends them without FNC1. */
const ended = '00-04 11-20 31-36 41';

/** The first of each list excludes the others in one code. `n`: any digit. */
const exclusions = `01 255 37, 02 01 03, 03 01 37 235, 21 235, 255 01 02 415 8006 8020 8026,
  390n 390n 391n 394n 8111, 391n 391n, 394n 394n 8111, 392n 392n 393n, 393n 393n, 395n 395n 392n 393n 8005, 420 421, 421 4307, 426 422 423 424 425,
  4330 4331, 4332 4333, 7240 03, 7250 7251, 7256 7253 7254 7255 7259, 7259 7253 7254 7255, 8006 01 03 37,
  8026 02 03 8006, 8017 8018`;
const excluded = [
  ...exclusions.split(',').map((list) => list.trim().split(' ')),
  // The same measure with other decimals.
  ...measures().map((measure) => [`${measure}n`, `${measure}n`]),
];

/**
 * The keys of a GS1 Digital Link, each with the qualifiers that may follow it, in this order. `or`: other
 * ones instead.
 */
const linkKeys = `00, 01 22 10 21 or 235, 253, 255, 401, 402, 414 254 or 7040, 415 8020, 417 7040, 8003,
  8004 7040, 8006 22 10 21, 8010 8011, 8013, 8017 8019, 8018 8019`;
/** Identifiers that a Digital Link cannot have in its query. */
const notInQueries = `03 21 22 235 254 7040 7041 8011 8014 8019 8020 8040-8043 8200`;

/** `what`: the characters of a part; `rule`: what they must be besides, '' for nothing. */
export type Part = {
  what: 'n' | 'x' | 'y' | 'z';
  min: number;
  max: number;
  rule: string;
  isOptional: boolean;
};

/**
 * An Application Identifier. `parts`: its value's, in order. `length`: of a value that ends without FNC1;
 * null for others.
 */
export type Identifier = { ai: string; parts: readonly Part[]; length: number | null };

const fixedPrefixes = new Set(identifiersOf(ended));
const identifiers = new Map(
  Object.entries(forms).flatMap(([form, ais]) => {
    const parts = form.split(' ').map(partOf);
    const length = parts.reduce((sum, { max }) => sum + max, 0);
    return identifiersOf(ais).map((ai): [string, Identifier] => [
      ai,
      { ai, parts, length: fixedPrefixes.has(ai.slice(0, 2)) ? length : null },
    ]);
  }),
);
/** Identifiers that begin with the same two digits have the same length. */
const lengths = new Map([...identifiers.keys()].map((ai) => [ai.slice(0, 2), ai.length]));
const keys = new Map(
  linkKeys.split(',').map((each) => {
    const [key, ...rest] = each.trim().split(' ');
    const ways = rest.join(' ').split(' or ');
    return [key!, ways.map((way) => way.split(' ').filter((ai) => ai !== ''))];
  }),
);
const outsideQueries = new Set(identifiersOf(notInQueries));
const contradictions = contradictionsByAi();

/** All Application Identifiers, in order. */
export const allIdentifiers: readonly Identifier[] = [...identifiers.values()].sort((one, other) =>
  one.ai < other.ai ? -1 : 1,
);

/** The Application Identifier of this number; null for any other text. */
export function identifierOf(ai: string): Identifier | null {
  return identifiers.get(ai) ?? null;
}

/** The Application Identifier that a text has at this place; null if there is none. */
export function identifierAt(text: string, at: number): Identifier | null {
  const length = lengths.get(text.slice(at, at + 2));
  return length === undefined ? null : identifierOf(text.slice(at, at + length));
}

/** The Identifiers that contradict this one in the same code. */
export function contradictionsOf(ai: string): readonly string[] {
  return contradictions.get(ai) ?? [];
}

/** The lists of qualifiers that may follow a key of a Digital Link; null if the Identifier is no key. */
export function qualifiersOf(key: string): readonly (readonly string[])[] | null {
  return keys.get(key) ?? null;
}

/** Whether a Digital Link may have an Identifier in its query. */
export function isInQueries(ai: string): boolean {
  return !outsideQueries.has(ai);
}

function partOf(text: string): Part {
  const [, what, min, max, rule = '', mark] = /^([nxyz])(\d+)(?:-(\d+))?(?::(\w+))?(\?)?$/.exec(text)!;
  return {
    ...{ what: what as Part['what'], rule, isOptional: mark !== undefined },
    ...{ min: Number(min), max: Number(max ?? min) },
  };
}

function identifiersOf(list: string): string[] {
  return list.split(' ').flatMap(rangeOf);
}

/** `11-13`: 11, 12 and 13. */
function rangeOf(text: string): string[] {
  const [from = '', to = from] = text.split('-');
  const count = Number(to) - Number(from) + 1;
  return Array.from({ length: count }, (_, index) => String(Number(from) + index).padStart(from.length, '0'));
}

function contradictionsByAi(): Map<string, string[]> {
  const found = new Map<string, Set<string>>();
  const note = (one: string, other: string) => {
    if (one !== other) found.set(one, (found.get(one) ?? new Set()).add(other));
  };
  const matching = (pattern: string) => {
    const digits = new RegExp(`^${pattern.replaceAll('n', '\\d')}$`);
    return [...identifiers.keys()].filter((ai) => digits.test(ai));
  };
  for (const [first = '', ...others] of excluded) {
    for (const one of matching(first)) {
      for (const other of others.flatMap(matching)) {
        note(one, other);
        note(other, one);
      }
    }
  }
  return new Map([...found].map(([ai, others]) => [ai, [...others]]));
}
