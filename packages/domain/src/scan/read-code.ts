import type { Quantity } from '../quantity.ts';
import { expandUpcE, gtin14Of } from './check-digits.ts';
import { readDigitalLink } from './digital-link.ts';
import { type Element, elementOf, type Fault, isFault } from './element.ts';
import { contradictionsOf, type Identifier, identifierAt, identifierOf } from './identifiers.ts';

/** FNC1, the end of a value, as scanners send it. */
export const separator = '\u001d';

/** The GS1 data of a code. */
export type Gs1 = {
  form: 'elementString' | 'brackets' | 'digitalLink' | 'gtin';
  elements: readonly Element[];
  /** Application Identifiers that stand in it more than once, each with one value. */
  repeated: readonly string[];
  /** The item: AI 01, else AI 02, what a logistic unit contains. 14 digits. */
  gtin: string | null;
  sscc: string | null;
  serial: string | null;
  serial2: string | null;
  /** A date. */
  expires: string | null;
  /** AI 30 or 37. */
  units: Quantity | null;
  /** Kilograms. */
  netWeight: Quantity | null;
};

/**
 * A code as a scanner read it. `texts`: what it may be called in the records: as sent, and without its
 * symbology identifier. `fault`: why a code that claims to be GS1 is not read as GS1.
 */
export type Code = { texts: readonly string[]; gs1: Gs1 | null; fault: Fault | null };

/** The symbology identifiers of GS1-128, DataBar, DataMatrix, QR Code and DotCode with element strings. */
const carriers: ReadonlySet<string> = new Set(['C1', 'e0', 'd2', 'Q3', 'J1']);
/** EAN-13, UPC-A and UPC-E; the same with an add-on; EAN-8. */
const products: ReadonlySet<string> = new Set(['E0', 'E3', 'E4']);
/** A scanner that does not know the symbology. */
const unknowing = /^[XZ]/;
/** The beginning of a message of ISO/IEC 15434, whose fields U+001D separates, too. */
const envelope = '[)>\u001e';

/**
 * Reads a code. A text counts as GS1 only if something says so: a symbology identifier, FNC1, brackets, a
 * Digital Link, or the check digit of a GTIN or an SSCC. `symbology`: the symbology identifier, if the
 * scanner tells it beside the data. `year`: the present one. Takes time in proportion to the text.
 */
export function readCode(data: string, symbology: string | null, year: number): Code {
  const [, prefix] = /^\]([A-Za-z][\dA-F])/.exec(data) ?? [];
  const sent = prefix === undefined ? data : data.slice(3);
  const text = withoutLineEnd(sent);
  const texts = [...new Set([data, ...[sent, text].filter((each) => each !== '')])];
  const read = readText(text, prefix ?? symbology?.replace(']', '') ?? null, year);
  if (read === null) return { texts, gs1: null, fault: null };
  if (isFault(read)) return { texts, gs1: null, fault: read };
  const gs1 = gs1Of(read.form, read.elements);
  return isFault(gs1) ? { texts, gs1: null, fault: gs1 } : { texts, gs1, fault: null };
}

type Read = { form: Gs1['form']; elements: Element[] };

function readText(text: string, symbology: string | null, year: number): Read | Fault | null {
  // First: some scanners write the brackets behind a symbology identifier, and no element begins with one.
  if (/^\(\d{2,4}\)/.test(text) && identifierOf(text.slice(1, text.indexOf(')'))) !== null)
    return as('brackets', readBrackets(text, year));
  if (carriers.has(symbology ?? '') || (text.includes(separator) && isFnc1(text, symbology)))
    return as('elementString', readElements(text, year));
  const gtin = gtin14Of(
    symbology === 'E0' ? expandUpcE(text) : symbology === 'E3' ? withoutAddOn(text) : text,
  );
  if (gtin !== null) return as('gtin', [{ ai: '01', value: gtin }]);
  if (products.has(symbology ?? '')) return { ai: null, message: 'Its check digit is wrong.' };
  if (/^(?:01\d{14}|00\d{18})/.test(text)) {
    const elements = readElements(text, year);
    // Nothing but its digits says that it is GS1.
    return isFault(elements) ? null : as('elementString', elements);
  }
  const elements = readDigitalLink(text, year);
  return elements === null ? null : as('digitalLink', elements);
}

/**
 * Whether U+001D stands for FNC1. In a symbol without FNC1, such as `]C0` and `]d1`, it is a character of the
 * data.
 */
function isFnc1(text: string, symbology: string | null): boolean {
  if (text.startsWith(envelope)) return false;
  return symbology === null || carriers.has(symbology) || unknowing.test(symbology);
}

/**
 * The product of a symbol with an add-on of two or five digits, as on books and magazines. It has 13 digits,
 * or 12 where a scanner leaves out the first of a UPC-A.
 */
function withoutAddOn(text: string): string {
  const length = [15, 18].includes(text.length) ? 13 : [14, 17].includes(text.length) ? 12 : text.length;
  return text.slice(0, length);
}

/** Scanners that type end what they read with Enter. */
function withoutLineEnd(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === '\r' || text[end - 1] === '\n')) end -= 1;
  return text.slice(0, end);
}

function as(form: Gs1['form'], elements: Element[] | Fault): Read | Fault {
  return isFault(elements) ? elements : { form, elements };
}

/** Reads Identifiers and values as they follow each other in a symbol. */
function readElements(text: string, year: number): Element[] | Fault {
  const elements: Element[] = [];
  let at = text.startsWith(separator) ? 1 : 0;
  do {
    const identifier = identifierAt(text, at);
    if (identifier === null) return unknownAt(text, at);
    const from = at + identifier.ai.length;
    const to = endOf(identifier, text, from);
    const element = elementOf(identifier, text.slice(from, to), year);
    if (isFault(element)) return element;
    elements.push(element);
    at = text[to] === separator ? to + 1 : to;
  } while (at < text.length);
  return elements;
}

function endOf({ length }: Identifier, text: string, from: number): number {
  if (length !== null) return Math.min(from + length, text.length);
  const end = text.indexOf(separator, from);
  return end < 0 ? text.length : end;
}

/** Reads `(01)…(10)…`. A bracket within a value is written `\(`, so that it begins no Identifier. */
function readBrackets(text: string, year: number): Element[] | Fault {
  const elements: Element[] = [];
  const pattern = /\((\d{2,4})\)((?:[^(\\]|\\.)*)/y;
  for (let at = 0; at < text.length; at = pattern.lastIndex) {
    pattern.lastIndex = at;
    const [, ai = '', value = ''] = pattern.exec(text) ?? [];
    const identifier = identifierOf(ai);
    if (identifier === null) return unknownAt(text, at);
    const element = elementOf(identifier, value.replaceAll('\\(', '('), year);
    if (isFault(element)) return element;
    elements.push(element);
  }
  return elements;
}

function unknownAt(text: string, at: number): Fault {
  return { ai: text.slice(at, at + 4), message: 'No Application Identifier stands here.' };
}

/** The data of elements, or why they contradict each other. Nothing is guessed. */
function gs1Of(form: Gs1['form'], all: readonly Element[]): Gs1 | Fault {
  const byAi = new Map<string, Element>();
  const repeated = new Set<string>();
  for (const element of all) {
    const { ai } = element;
    const before = byAi.get(ai);
    if (before !== undefined && before.value !== element.value)
      return { ai, message: 'It stands there more than once, with different values.' };
    if (before !== undefined) repeated.add(ai);
    else {
      const other = contradictionsOf(ai).find((each) => byAi.has(each));
      if (other !== undefined) return { ai, message: `It contradicts AI ${other}.` };
      byAi.set(ai, element);
    }
  }
  const textOf = (ai: string) => byAi.get(ai)?.value ?? null;
  const weight = [...byAi.values()].find(({ ai }) => ai.startsWith('310'));
  return {
    ...{ form, elements: [...byAi.values()], repeated: [...repeated] },
    ...{ gtin: textOf('01') ?? textOf('02'), sscc: textOf('00') },
    ...{ serial: textOf('10'), serial2: textOf('21'), expires: byAi.get('17')?.date ?? null },
    units: byAi.get('30')?.number ?? byAi.get('37')?.number ?? null,
    netWeight: weight?.number ?? null,
  };
}
