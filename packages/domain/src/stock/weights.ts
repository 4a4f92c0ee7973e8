import type { Quantity } from '../quantity.ts';

/** The share of a weight that belongs to these units, rounded to a millionth. The rest stays. */
export function shareOf(weight: Quantity | null, units: Quantity, of: Quantity): Quantity | null {
  return weight === null ? null : (2n * weight * units + of) / (2n * of);
}

/** A weight minus a share of it. */
export function less(weight: Quantity | null, share: Quantity | null): Quantity | null {
  return weight === null || share === null ? weight : weight - share;
}

/** A weight plus a share that came back. */
export function plus(weight: Quantity | null, share: Quantity | null): Quantity | null {
  return weight === null || share === null ? (weight ?? share) : weight + share;
}
