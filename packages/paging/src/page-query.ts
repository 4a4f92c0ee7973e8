import { parseDateTime } from '@inventory/domain/date-time';
import { z } from 'zod';

/** The contract's page sizes: the default, and the maximum for each family of resources. */
const pageSizeDefault = 25;
export const pageSizeMax = { standard: 250, order: 50, report: 1000 } as const;

const pageMax = 10 ** 15 - 1;
const plainInteger = /^\d+$/;

/** The page of a list and its order. `sort`: a column of the list; undefined: the default order. */
export type PageQuery = {
  page: number;
  pageSize: number;
  sort: string | undefined;
  direction: 'asc' | 'desc';
  /** Only records modified at this time or later. */
  modifiedSince?: Date | undefined;
};

/** The parameters of a list that has one order. A page size above the maximum is capped. */
export function pagesShape(sizeMax: number = pageSizeMax.standard) {
  return {
    page: z
      .string()
      .regex(plainInteger, { error: 'must be a plain integer.' })
      .transform(Number)
      .refine((page) => page >= 1 && page <= pageMax, { error: `must be from 1 to ${pageMax}.` })
      .default(1)
      .meta({
        description: 'Page number, 1-based',
        type: 'integer',
        minimum: 1,
        maximum: pageMax,
        default: 1,
      }),
    pageSize: z
      .string()
      .regex(plainInteger, { error: 'must be a plain integer.' })
      .transform((text) => Math.min(Number(text), sizeMax))
      .refine((pageSize) => pageSize >= 1, { error: 'must be at least 1.' })
      .default(pageSizeDefault)
      .meta({
        description: `Items per page; more than ${sizeMax} is capped to ${sizeMax}`,
        type: 'integer',
        format: 'int32',
        minimum: 1,
        default: pageSizeDefault,
      }),
  };
}

/** The query of a list that has one order. */
export function inOrder<Query extends object>(query: Query) {
  return { ...query, sort: undefined, direction: 'asc' as const };
}

/**
 * The query parameters of a paged list, as zod schemas for the text of a URL. An unknown `sort` is ignored,
 * together with its direction.
 */
export function pageQueryShape(sortColumns: readonly string[]) {
  return {
    ...pagesShape(),
    sort: z
      .string()
      .optional()
      .transform((sort) => (sort !== undefined && sortColumns.includes(sort) ? sort : undefined))
      .meta({
        description:
          'Column to sort by. Empty fields, null or blank, come last in both directions, text in the order of its code points. ' +
          'Any other value: the default order; `direction` is ignored',
        enum: [...sortColumns],
      }),
    direction: z
      .string()
      .optional()
      .transform((direction) => (direction?.toUpperCase() === 'DESC' ? ('desc' as const) : ('asc' as const)))
      .meta({
        description: 'ASC or DESC (any case); anything else is ASC. Only together with `sort`',
        enum: ['ASC', 'DESC'],
        default: 'ASC',
      }),
    modifiedSince: z
      .string()
      .transform((text, context) => {
        const parsed = parseDateTime(withPlus(text));
        if (parsed !== null) return new Date(parsed.at);
        context.addIssue({ code: 'custom', message: 'must be an ISO 8601 date or datetime.' });
        return z.NEVER;
      })
      .optional()
      .meta({
        description:
          'Only records modified at this moment or later (UTC when it has no offset). To miss nothing, a value of `X-Next-Modified-Since`',
        format: 'date-time',
      }),
  };
}

/**
 * Restores the `+` of an offset that was sent unescaped: in a query, `+` means a space. A date has no offset;
 * a single space after it separates the time.
 */
export function withPlus(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\d[T ][^ ]{1,20}) (\d\d(?::?\d\d)?)$/i, '$1+$2');
}
