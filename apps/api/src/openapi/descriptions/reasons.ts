import { one, type RouteDescription } from '../../http/route-description.ts';
import { page } from '../story.ts';

export const reasons: RouteDescription = {
  id: 'listReasons',
  notes: `*Extension.* What the reason codes of receipts, issues and counts mean, by \`reasonCode\`; the operator names them. Any token may read them. By default an operation
may have any reason code. Where the operator enforces the list, a code that is not listed for the operation is refused with \`validation_error\`.`,
  answer: one(
    'The first reason of the demo data',
    page({
      ...{ reasonCode: 1, name: 'Goods in', operations: ['receive'] },
    }),
  ),
};
