/** A page of a list, with the value for `modifiedSince` next time. */
export type Page<Item> = {
  value: Item[];
  totalCount: number;
  page: number;
  pageSize: number;
  pageCount: number;
  hasMore: boolean;
  nextModifiedSince: string | null;
};

/** A list: every record, page by page behind the scenes; or single pages. */
export type Listing<Item> = AsyncIterable<Item> & {
  /** One page; the first unless told otherwise. */
  page(page?: number): Promise<Page<Item>>;
  pages(): AsyncIterable<Page<Item>>;
};

export type PageQuery = { page?: number | undefined; pageSize?: number | undefined };

// The most that the service gives: a list that is read as a whole takes as few calls as possible.
const pageSizeMax = 250;

/** Makes a list from the call that reads a page of it. */
export function createListing<Item>(
  asked: PageQuery,
  read: (query: PageQuery, isPatient: boolean) => Promise<Page<Item>>,
): Listing<Item> {
  async function* pages() {
    const pageSize = asked.pageSize ?? pageSizeMax;
    for (let page = asked.page ?? 1, hasMore = true; hasMore; page++) {
      const answer = await read({ ...asked, pageSize, page }, true);
      yield answer;
      hasMore = answer.hasMore;
    }
  }
  return {
    page: (page) => read({ ...asked, page: page ?? asked.page }, false),
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { value } of pages()) yield* value;
    },
  };
}
