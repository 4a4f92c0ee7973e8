import { z } from 'zod';
import { Amount, Code, Flag, lengthMax, name, text } from './fields.ts';

/** An item as every answer shows it. */
export const Item = z
  .object({
    partNo: z.int().describe('Internal part number; auto-assigned, immutable'),
    shortID: z.string().describe('SKU / part number; unique; cannot be renamed'),
    description: z.string().describe('Item description'),
    category: z.int().describe('Category ID'),
    subCategory: z.int().describe('Sub-category ID'),
    uOM: z.string().describe('Unit of measure (for example EA, KG, M)'),
    putUp: z.string().describe('Packaging description'),
    units: z.number().describe('Units per package'),
    dfltOwner: z.int().describe('Default owner as customer ID; 0 means own stock'),
    created: z.iso.datetime().describe('Record creation timestamp'),
    createdBy: z.string().describe('Client that created the item'),
    modified: z.iso.datetime().describe('Last modification timestamp'),
    discontinued: z.boolean().describe('Item is discontinued'),
  })
  .meta({ id: 'Item' });
export type Item = z.infer<typeof Item>;

/** The values of a new item where the request is silent. */
export const itemDefaults = {
  description: '',
  category: 0,
  subCategory: 0,
  uOM: 'EA',
  putUp: '',
  units: 1,
  dfltOwner: 0,
  discontinued: false,
} as const;

// The quickstart's other spellings, in one place: each with the field it means and how its value is read.
const otherSpellings = {
  categoryID: { field: 'category', read: (value: unknown) => value },
  unit: { field: 'uOM', read: (value: unknown) => value },
  active: { field: 'discontinued', read: (value: unknown) => (typeof value === 'boolean' ? !value : value) },
} as const;

const changeable = {
  description: text(lengthMax.description).optional().describe('Item description'),
  category: Code.optional().describe('Category ID'),
  subCategory: Code.optional().describe('Sub-category ID'),
  uOM: text(lengthMax.label).optional().describe('Unit of measure'),
  putUp: text(lengthMax.label).optional().describe('Packaging description'),
  units: Amount.optional().describe('Units per package'),
  dfltOwner: Code.optional().describe('Default owner as customer ID; 0 means own stock'),
  discontinued: Flag.optional().describe('true discontinues the item, false reactivates it'),
  categoryID: Code.optional().describe('Other spelling of category'),
  unit: text(lengthMax.label).optional().describe('Other spelling of uOM'),
  active: Flag.optional().describe('Opposite of discontinued'),
};

type OtherSpelling = keyof typeof otherSpellings;

/**
 * Whether two spellings of a field do not contradict each other. A value that is not even of the field's kind
 * is refused for that.
 */
function agree(one: unknown, other: unknown): boolean {
  return one === undefined || other === undefined || typeof one !== typeof other || one === other;
}

// Judged even when other fields are wrong: one answer names them all.
const always = { when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null };

/** The rules of an item's fields, beside what names it. */
function withChangeable<Shape extends z.ZodRawShape>(naming: Shape) {
  const agrees = (spelling: OtherSpelling) => (body: Record<string, unknown>) => {
    const { field, read } = otherSpellings[spelling];
    return agree(body[field], read(body[spelling]));
  };
  const contradiction = (spelling: OtherSpelling) => ({
    path: [spelling],
    error: `contradicts ${otherSpellings[spelling].field}.`,
    ...always,
  });
  return z
    .object({ ...naming, ...changeable })
    .refine(agrees('categoryID'), contradiction('categoryID'))
    .refine(agrees('unit'), contradiction('unit'))
    .refine(agrees('active'), contradiction('active'));
}

const shortId = name(lengthMax.shortId);

/** `POST /Item`. The name of the item is sent as `shortID`, or as `itemID`: see `shortIdOf`. */
export const ItemCreateRequest = withChangeable({
  shortID: shortId.optional().describe('SKU; identifies the item'),
  itemID: shortId.optional().describe('Other spelling of shortID'),
})
  .refine((body) => body.shortID !== undefined || body.itemID !== undefined, {
    path: ['shortID'],
    error: 'is required.',
    ...always,
  })
  .refine((body) => agree(body.shortID, body.itemID), {
    path: ['itemID'],
    error: 'contradicts shortID.',
    ...always,
  })
  .meta({
    id: 'ItemCreateRequest',
    anyOf: [
      { required: ['shortID'], properties: { shortID: {} } },
      { required: ['itemID'], properties: { itemID: {} } },
    ],
  });
/** `PUT /Item`: only what is sent is changed. */
export const ItemUpdateRequest = withChangeable({
  shortID: shortId.describe('SKU; identifies the item'),
}).meta({ id: 'ItemUpdateRequest' });

/** The SKU of an item to create, in either spelling. */
export function shortIdOf({ shortID, itemID }: z.infer<typeof ItemCreateRequest>): string {
  const named = shortID ?? itemID;
  if (named === undefined) throw new RangeError('an item without a name');
  return named;
}

export type ItemRequest = z.infer<typeof ItemCreateRequest> | z.infer<typeof ItemUpdateRequest>;

/** The fields of an item that a request may set, under the Item table's names. */
export type ItemFields = { [F in keyof typeof itemDefaults]?: Item[F] };

/** The fields that a create or update asks for, with the other spellings read as the fields they mean. */
export function itemFieldsOf(request: ItemRequest): ItemFields {
  const fields: Record<string, unknown> = {};
  for (const field of Object.keys(itemDefaults)) {
    const value = request[field as keyof typeof itemDefaults];
    if (value !== undefined) fields[field] = value;
  }
  for (const [spelling, { field, read }] of Object.entries(otherSpellings)) {
    const other = request[spelling as keyof typeof otherSpellings];
    if (other !== undefined) fields[field] = read(other);
  }
  return fields;
}
