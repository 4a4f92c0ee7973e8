import { useOfAliases } from '@inventory/db/lists/list-aliases';
import { one } from '@inventory/domain/examples';
import { nameTaken, tooManyAliases } from '@inventory/domain/refusals/conflict';
import { invalid } from '@inventory/domain/refusals/refused';
import { type RouteDescription, refusalExample } from '../../http/route-description.ts';

export const teachAlias: RouteDescription = {
  id: 'teachAlias',
  notes: `*Extension.* So that a fleet can teach the service a code that it has just met. The body may be left out. \`units\` of an alias that the item
has already are changed (\`changed\`); without \`units\` they stay. A repeat returns \`unchanged\`. A name that belongs to another item, or that is a
ShortID: 409 with \`nameTaken\`. An item with 100 aliases or more gets no further ones: 409 with \`tooManyAliases\`.${useOfAliases}`,
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
