import { leftOutText } from '@inventory/domain/stock/answers';

/** Has the answers of one batch bounded, whatever its operations took and how often a key is in it. */
export type AnswerRoom = {
  /** The JSON text of an answer, or what stands for it once large ones have filled the room. */
  keep(text: string): string;
  isFull(): boolean;
};

/**
 * Beside each other an api process has some hundred batches: their answers must not be its memory. In
 * characters: 20,000 lots or so.
 */
export const toldLengthMax = 2 * 1024 * 1024;
// A batch has at most 500 of these: they need no room.
const smallMax = 4096;
// As all answers of transactions begin, before any text of a caller.
const beginning = /^\{"recNo":(?:\d+|null),"status":"\w+","transactionNo":(\d+),/;

/** Room for so many characters of large answers. */
export function createAnswerRoom(lengthMax = toldLengthMax): AnswerRoom {
  let length = 0;
  return {
    keep(text) {
      if (text.length <= smallMax) return text;
      length += text.length;
      if (length <= lengthMax) return text;
      const transactionNo = beginning.exec(text.slice(0, 100))?.[1];
      return transactionNo === undefined ? text : leftOutText(Number(transactionNo));
    },
    isFull: () => length > lengthMax,
  };
}
