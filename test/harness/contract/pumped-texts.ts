import fc from 'fast-check';
import type { Lengthened } from './slow-texts.ts';

type Piece = { text: string; isPump: boolean };

// Names, white space, and any other single character or digit.
const tokens = /\\u[\da-f]{4}|\\.|[a-z_]+|\s+|./giu;

/** A part of a sample, in tokens. */
type Part = { from: number; to: number };

const tokensOf = (sample: string) => sample.match(tokens) ?? [''];

/** The sample with one part pumped; and behind it another part, or the text `foreign` instead. */
function pumpedAt(
  all: string[],
  one: Part,
  other: Part | null,
  foreign: string | null,
  isCut: boolean,
): Lengthened {
  const join = (from: number, to: number) => all.slice(from, to).join('');
  const pieces: Piece[] = [
    { text: join(0, one.to), isPump: false },
    { text: join(one.from, one.to), isPump: true },
  ];
  if (other !== null) {
    pieces.push({ text: join(one.to, other.from), isPump: false });
    pieces.push({ text: foreign ?? join(other.from, other.to), isPump: true });
  }
  // The second pump occurs there only once.
  if (!isCut) pieces.push({ text: join(other === null ? one.to : other.to, all.length), isPump: false });
  return pumped(pieces);
}

/**
 * Samples of the texts a place reads, each with one or two parts of one to four tokens pumped, cut or not.
 */
export function pumpedOf(samples: readonly string[], glue: readonly string[]): fc.Arbitrary<Lengthened> {
  const place = fc.record({ at: fc.nat(), count: fc.integer({ min: 1, max: 4 }) });
  return fc
    .record({
      sample: fc.constantFrom(...samples),
      first: place,
      second: fc.option(place, { freq: 4 }),
      foreign: fc.option(fc.constantFrom(...glue), { freq: 2 }),
      isCut: fc.boolean(),
    })
    .map(({ sample, first, second, foreign, isCut }) => {
      const all = tokensOf(sample);
      const part = (min: number, { at, count }: { at: number; count: number }): Part => {
        const from = min + (at % Math.max(1, all.length - min));
        return { from, to: Math.min(all.length, from + count) };
      };
      const one = part(0, first);
      return pumpedAt(all, one, second === null ? null : part(one.to, second), foreign, isCut);
    });
}

/**
 * A short sample with every part of one or two tokens pumped, and behind it every other part, or this glue.
 */
export function everyPumpedOf(sample: string, glue: readonly string[]): Lengthened[] {
  const all = tokensOf(sample);
  const partsFrom = (min: number) =>
    all.flatMap((_, from) =>
      from < min
        ? []
        : [1, 2].map((count) => ({ from, to: from + count })).filter(({ to }) => to <= all.length),
    );
  return partsFrom(0).flatMap((one) => [
    pumpedAt(all, one, null, null, true),
    pumpedAt(all, one, null, null, false),
    ...partsFrom(one.to).flatMap((other) => [
      pumpedAt(all, one, other, null, false),
      ...glue.map((foreign) => pumpedAt(all, one, other, foreign, true)),
    ]),
  ]);
}

/**
 * A text in which some pieces, the pumps, are repeated until it has the wanted length; they share the room
 * that the others leave. A reader that goes back over what it has read takes four times as long for twice the
 * length.
 */
function pumped(pieces: readonly Piece[]): Lengthened {
  const pumps = pieces.filter(({ text, isPump }) => isPump && text !== '').length;
  const fixed = pieces.reduce((sum, { text, isPump }) => sum + (isPump ? 0 : Buffer.byteLength(text)), 0);
  return {
    length(bytes) {
      const room = Math.max(0, bytes - fixed) / Math.max(1, pumps);
      return pieces
        .map(({ text, isPump }) =>
          isPump && text !== '' ? text.repeat(Math.floor(room / Buffer.byteLength(text))) : text,
        )
        .join('');
    },
  };
}
