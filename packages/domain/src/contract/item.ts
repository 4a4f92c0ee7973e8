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

function agrees(body: Record<string, unknown>, spelling: OtherSpelling): boolean {
  const { field, read } = otherSpellings[spelling];
  const [one, other] = [body[field], read(body[spelling])];
  // One that is not even of the field's kind is refused for that.
  return one === undefined || other === undefined || typeof one !== typeof other || one === other;
}

function contradiction(spelling: OtherSpelling) {
  return {
    path: [spelling],
    error: `contradicts ${otherSpellings[spelling].field}.`,
    // Judged even when other fields are wrong: one answer names them all.
    when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null,
  };
}

function itemRequest(id: string) {
  return z
    .object({ shortID: name(lengthMax.shortId).describe('SKU; identifies the item'), ...changeable })
    .refine((body) => agrees(body, 'categoryID'), contradiction('categoryID'))
    .refine((body) => agrees(body, 'unit'), contradiction('unit'))
    .refine((body) => agrees(body, 'active'), contradiction('active'))
    .meta({ id });
}

/** `POST /Item`. */
export const ItemCreateRequest = itemRequest('ItemCreateRequest');
/** `PUT /Item`: only what is sent is changed. */
export const ItemUpdateRequest = itemRequest('ItemUpdateRequest');
export type ItemRequest = z.infer<typeof ItemCreateRequest>;

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
