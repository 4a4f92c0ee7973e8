import type { Quantity } from '../quantity.ts';

/**
 * The share of a weight that goes with so many of the units, rounded to a millionth; the rest of it stays.
 */
export function shareOf(weight: Quantity | null, units: Quantity, of: Quantity): Quantity | null {
  return weight === null ? null : (2n * weight * units + of) / (2n * of);
}

/** A weight minus a share of it. */
export function less(weight: Quantity | null, share: Quantity | null): Quantity | null {
  return weight === null || share === null ? weight : weight - share;
}

/** A weight with what came back to it. */
export function plus(weight: Quantity | null, share: Quantity | null): Quantity | null {
  return weight === null || share === null ? (weight ?? share) : weight + share;
}
