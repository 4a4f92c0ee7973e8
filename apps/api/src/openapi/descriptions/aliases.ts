import { nameTaken, tooManyAliases } from '@inventory/domain/refusals/conflict';
import { invalid } from '@inventory/domain/refusals/refused';
import { one, type RouteDescription, refusalExample } from '../../http/route-description.ts';
import { page } from '../story.ts';

const use = `
An alias can be used wherever a transaction names an item (\`itemID\`), with \`GET /Item?key=…&type=alias\`, and \`POST /Scan\` finds the item by it. It is unique over all items, and never
equals a ShortID. A GTIN of 8, 12, 13 or 14 digits with the right check digit is one alias in all these spellings: taught in any of them, it is found by any, and no second item can
have it in another. An item has at most 100 aliases.

\`units\` is what one scan of the alias stands for: the code of a case of twelve has 12. \`POST /Scan\` tells it and fills it into the operation. \`itemID\` never multiplies: \`units\` of a
call are units, whatever name the item has in it.`;

export const aliases: RouteDescription = {
  id: 'listAliases',
  notes: `*Extension.* By \`alias\`. Empty if the item has none.${use}`,
  answer: one('The first item of the demo data', page({ alias: '4006381333931', units: 1 })),
};

export const teachAlias: RouteDescription = {
  id: 'teachAlias',
  notes: `*Extension.* So that a fleet can teach the service a code that it has just met. The body may be left out. \`units\` of an alias that the item
has already are changed (\`changed\`); without \`units\` they stay. A repeat returns \`unchanged\`. A name that belongs to another item, or that is a
ShortID: 409 with \`nameTaken\`. An item with 100 aliases or more gets no further ones: 409 with \`tooManyAliases\`.${use}`,
  body: one('A case of twelve', { units: 12 }),
  answer: one('Taught', { alias: '614141000036', partNo: 1, status: 'added', units: 12 }),
  invalid: { fields: refusalExample('No units', invalid({ units: ['must be greater than 0.'] })) },
  conflict: {
    taken: refusalExample('Another item has the name', nameTaken(2)),
    tooMany: refusalExample('The item has 100 aliases', tooManyAliases()),
  },
};

export const forgetAlias: RouteDescription = {
  id: 'removeAlias',
  notes:
    '*Extension.* In all spellings of a GTIN. Transactions that used the alias keep their item. An alias that the item does not have: 404.',
  answer: one('Removed', { alias: '614141000036', partNo: 1, status: 'removed' }),
};
