import { type Operation, one } from '../../operation.ts';
import { item as record } from '../story.ts';

export const item: Operation = {
  notes: 'A part number that is not an integer: 404.',
  answer: one('The item', record),
};
