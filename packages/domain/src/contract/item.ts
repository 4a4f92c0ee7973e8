import { z } from 'zod';
import { Amount, Code, Flag, lengthMax, name, text } from '../fields.ts';

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

/** The values of a new item for fields that the request omits. */
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

// The quickstart's other spellings, in one place: for each, the field it means and how its value is read.
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

/** Whether two spellings of a field agree. A value of the wrong type is refused elsewhere. */
function agree(one: unknown, other: unknown): boolean {
  return one === undefined || other === undefined || typeof one !== typeof other || one === other;
}

// Runs even if other fields are invalid, so that one answer names all faults.
const always = { when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null };

/** The rules for an item's fields besides its name. */
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

/** `POST /Item`. The item's name is sent as `shortID` or as `itemID`; see `shortIdOf`. */
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
/** `PUT /Item`: changes only the fields that are sent. */
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

/** The fields of an item that a request may set, with the names of the Item table. */
export type ItemFields = { [F in keyof typeof itemDefaults]?: Item[F] };

/** The fields that a create or update sets. Other spellings are read as the fields they mean. */
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
