import { gtin14Of } from './check-digits.ts';
import { type Element, elementOf, type Fault, isFault } from './element.ts';
import { identifierOf, isInQueries, qualifiersOf } from './identifiers.ts';

// A key and at most three qualifiers, each with its value.
const segmentsMax = 8;
// The length of a path and a query is bounded by the code's.
const link = /^https?:\/\/[^/?#\s]+(\/[^?#]*)(?:\?([^#]*))?(?:#.*)?$/i;

/**
 * Reads a GS1 Digital Link. null: a text that is no link, or a link without a key of GS1. A link with a key
 * whose value is wrong is a fault.
 */
export function readDigitalLink(text: string, year: number): Element[] | Fault | null {
  const [, path, query = ''] = link.exec(text) ?? [];
  if (path === undefined) return null;
  const segments = path.split('/').slice(1);
  if (segments.at(-1) === '') segments.pop();
  // The key is the first of the last segments that is one with nothing but qualifiers after it: a shop's
  // path may stand before it.
  for (let from = Math.max(0, segments.length - segmentsMax); from < segments.length; from++) {
    const rest = segments.slice(from);
    if (!isKeyed(rest)) continue;
    const inPath = pairsOfPath(rest);
    return readAll([...inPath, ...pairsOfQuery(query)], inPath.length, year);
  }
  return null;
}

/** Whether segments of a path are a key and its value, then qualifiers of this key in their order. */
function isKeyed(segments: readonly string[]): boolean {
  if (segments.length % 2 !== 0) return false;
  const [key, ...qualifiers] = segments.filter((_, index) => index % 2 === 0);
  const ways = key === undefined ? null : qualifiersOf(key);
  return ways?.some((way) => isInOrder(qualifiers, way)) ?? false;
}

function isInOrder(given: readonly string[], order: readonly string[]): boolean {
  const places = given.map((ai) => order.indexOf(ai));
  return places.every((place, index) => place > (places[index - 1] ?? -1));
}

/** `value`: null if it is not percent-encoded. */
type Pair = { ai: string; value: string | null };

function pairsOfPath(segments: readonly string[]): Pair[] {
  const pairs: Pair[] = [];
  for (let index = 0; index + 1 < segments.length; index += 2)
    pairs.push({ ai: segments[index]!, value: decoded(segments[index + 1]!) });
  return pairs;
}

/** The Application Identifiers of a query: its names of digits. Other parameters are the shop's. */
function pairsOfQuery(query: string): Pair[] {
  return query.split(/[&;]/).flatMap((parameter): Pair[] => {
    const [ai = '', ...value] = parameter.split('=');
    return /^\d+$/.test(ai) ? [{ ai, value: decoded(value.join('=')) }] : [];
  });
}

function readAll(pairs: readonly Pair[], inPath: number, year: number): Element[] | Fault {
  const elements: Element[] = [];
  for (const [index, { ai, value }] of pairs.entries()) {
    const identifier = identifierOf(ai);
    if (identifier === null || (index >= inPath && !isInQueries(ai)))
      return { ai, message: 'It is no Application Identifier of a Digital Link.' };
    if (value === null) return { ai, message: 'Its value is not percent-encoded.' };
    // Links may have shorter GTINs.
    const whole = ai === '01' ? (gtin14Of(value) ?? value) : value;
    const element = elementOf(identifier, whole, year);
    if (isFault(element)) return element;
    elements.push(element);
  }
  return elements;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
