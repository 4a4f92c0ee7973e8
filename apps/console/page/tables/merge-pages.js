/**
 * Puts lists together that are in the same order. `lists`: each reads a page of one, by its number. Returns
 * what reads a page of all.
 */
export function mergePages(lists, inOrder, { pageSize, rowsMax }) {
  const heads = lists.map((read) => ({ read, page: 0, rows: [], total: 0, hasMore: true }));
  const merged = [];
  let turn = Promise.resolve();

  /** Until each list has a next row, or none. None is still on its way then, because it may be read again. */
  const fill = async () => {
    const read = await Promise.allSettled(
      heads.map(async (head) => {
        if (head.rows.length > 0 || !head.hasMore) return;
        const page = head.page + 1;
        const { rows, total, hasMore } = await head.read(page);
        Object.assign(head, { page, rows: [...rows], total, hasMore });
      }),
    );
    const failed = read.find(({ status }) => status === 'rejected');
    if (failed) throw failed.reason;
  };
  const readTo = async (count) => {
    for (;;) {
      await fill();
      const [first] = heads
        .filter(({ rows }) => rows.length > 0)
        .sort((head, other) => inOrder(head.rows[0], other.rows[0]));
      if (first === undefined || merged.length >= count) return first !== undefined;
      merged.push(first.rows.shift());
    }
  };
  return async (page) => {
    const end = Math.min(page * pageSize, rowsMax);
    // A page goes on where the one before ended.
    const reading = turn.then(() => readTo(end));
    turn = reading.catch(() => {});
    const hasMore = (await reading) || merged.length > end;
    return {
      rows: merged.slice((page - 1) * pageSize, end),
      total: heads.reduce((sum, { total }) => sum + total, 0),
      hasMore: hasMore && end < rowsMax,
      isCut: hasMore && end >= rowsMax,
    };
  };
}
