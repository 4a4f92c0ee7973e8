/** Bytes that came in pieces, in one place. */
export type GatheredBytes = {
  size(): number;
  add(piece: Buffer): void;
  bytes(): Buffer;
};

/** A piece may be a single byte, and kept by itself it takes a hundred times as much: each is copied. */
export function createGatheredBytes(): GatheredBytes {
  let place = Buffer.alloc(0);
  let size = 0;
  return {
    size: () => size,
    add(piece) {
      if (size + piece.length > place.length) {
        const larger = Buffer.allocUnsafe(Math.max(size + piece.length, 2 * place.length));
        place.copy(larger, 0, 0, size);
        place = larger;
      }
      piece.copy(place, size);
      size += piece.length;
    },
    bytes: () => place.subarray(0, size),
  };
}
