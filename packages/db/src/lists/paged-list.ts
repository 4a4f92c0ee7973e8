import type { Examples } from '@inventory/domain/examples';
import type { Needed } from '@inventory/domain/permission';
import type { Sql } from '@inventory/postgres/pool';
import type { z } from 'zod';
import type { ListReading } from './pages/list-reading.ts';

type Schema = z.ZodType<unknown, unknown>;
type Out<S> = S extends z.ZodType ? z.infer<S> : undefined;

/** The parameters of a call. `scope`: the warehouses that its client may see. */
type Asked<Params, Query> = { params: Out<Params>; query: Out<Query>; scope: readonly number[] };

/** The texts of a list in the OpenAPI document. */
export type ListWords = {
  /** The `operationId`. */
  id: string;
  /** One line. */
  summary: string;
  /** Markdown. */
  notes: string;
  answer: Examples;
};

/** Everything that makes a list this one. Its route, its part of the document and its answers follow. */
export type PagedList<Params extends Schema | undefined, Query extends Schema> = {
  /** Below the base path, with `:name` for a parameter. */
  path: string;
  /** Whether the contract lacks it. */
  isExtension?: true;
  permission: Needed;
  params?: Params;
  /** Paging, order and filters. Must have `page` and `pageSize`. */
  query: Query;
  /** The warehouses that a call names. Each must be in the client's scope. Default: none. */
  warehouses?: (asked: Pick<Asked<Params, Query>, 'params' | 'query'>) => number[];
  /** A page. */
  answer: z.ZodType;
  /** The most bytes of its records. */
  bytes: (query: Out<Query>) => number;
  /** The message of 404 if the parameters in the path do not fit. Default: that of an unknown path. */
  misfit?: string;
  /** An empty page is 404 with this message, unless its owner exists, as the item of a list of aliases. */
  owner?: { missing: string; exists(sql: Sql, asked: Asked<Params, Query>): Promise<boolean> };
  /** The page is read only when no change up to this time can come any more. */
  settled?: (query: Out<Query>) => Date;
  words: ListWords;
  page: (asked: Asked<Params, Query>) => ListReading;
};

/** Declares a list. The types of its functions come from its schemas. */
export function pagedList<Query extends Schema, Params extends Schema | undefined = undefined>(
  list: PagedList<Params, Query>,
): PagedList<Params, Query> {
  return list;
}
