import { openReader } from './list-reader.js';
import { tables } from './tables.js';

const pageSize = 50;
// So many pages are kept. Those further away are read again when one scrolls back to them.
const pagesKept = 20;
const rowsMax = 5000;

/**
 * A list that is read on as one scrolls, however long it is: only the pages near what is seen are drawn and
 * kept. `onChange` is told when there is something to draw. `asked`: as `readQuery` returns it.
 */
export class LongList {
  #name;
  #asked;
  #onChange;
  #ending = new AbortController();
  #reader;
  #reading = null;
  /**
   * Of each page its rows, or null if they are not kept; its height when it was drawn last; and whether it is
   * near.
   */
  pages = [];
  total = null;
  hasMore = false;
  /** Whether there are more that are not shown. */
  isCut = false;
  /** Why the last read gave nothing. */
  problem = null;

  constructor(name, asked, onChange) {
    this.#name = name;
    this.#asked = asked;
    this.#onChange = onChange;
  }

  /** `heights`: of the pages that stood here before. */
  async open(heights = []) {
    const { signal } = this.#ending;
    try {
      this.#reader = await openReader(this.#name, this.#asked, { pageSize, rowsMax, signal });
      await this.#read(0);
      for (const height of heights.slice(1)) this.pages.push({ rows: null, height, isNear: false });
      if (heights.length > 1) this.hasMore = true;
    } catch (error) {
      this.#fail(error);
    }
  }

  get asked() {
    return this.#asked;
  }

  get found() {
    return this.#reader?.found;
  }

  get one() {
    return this.#reader?.one;
  }

  get choices() {
    return this.#reader?.choices ?? [];
  }

  /** Whether the rows can be put in the order of this column. */
  sortsBy(column) {
    return this.#reader?.sorts.includes(column) ?? false;
  }

  get isEnded() {
    return this.#ending.signal.aborted;
  }

  /** Reads the next page. */
  async readOn() {
    if (this.#reading === null) await this.#inTurn(() => this.#read(this.pages.length));
  }

  /** After a problem, reads the pages that are missing in sight; if there are none, the next page. */
  async readAgain() {
    const missing = [...this.pages.keys()].filter((place) => this.#isMissing(place));
    if (missing.length === 0) await this.#inTurn(() => this.hasMore && this.#read(this.pages.length));
    for (const place of missing) await this.#inTurn(() => this.pages[place].rows ?? this.#read(place));
  }

  #isMissing(place) {
    const { isNear, rows } = this.pages[place];
    return isNear && rows === null;
  }

  /** Tells that a page has come near what is seen, or is no longer. */
  async move(place, isNear, height) {
    const page = this.pages[place];
    if (page.isNear === isNear) return;
    Object.assign(page, { isNear, ...(!isNear && page.rows && { height }) });
    if (isNear && page.rows === null) await this.#inTurn(() => page.rows ?? this.#read(place));
    this.#onChange();
  }

  end() {
    this.#ending.abort();
  }

  async #inTurn(read) {
    // Another page may be on its way.
    while (this.#reading !== null) await this.#reading;
    if (this.isEnded) return;
    this.#reading = Promise.resolve(read())
      .then(
        () => {
          // Another page may still be missing.
          if (![...this.pages.keys()].some((place) => this.#isMissing(place))) this.problem = null;
        },
        (error) => this.#fail(error),
      )
      .finally(() => {
        this.#reading = null;
        if (!this.isEnded) this.#onChange();
      });
    await this.#reading;
  }

  async #read(place) {
    const { rows, total, hasMore, isCut = false } = await this.#reader.page(place + 1);
    // A record that moved to another page meanwhile is there already. The first column names it.
    const [{ name: id }] = tables[this.#name].columns;
    const others = this.pages.filter((page, at) => at !== place && page.rows);
    const known = new Set(others.flatMap((page) => page.rows.map((row) => row[id])));
    const page = this.pages[place] ?? { height: 0, isNear: true };
    this.pages[place] = Object.assign(page, { rows: rows.filter((row) => !known.has(row[id])) });
    this.total = total;
    if (place === this.pages.length - 1) Object.assign(this, { hasMore, isCut });
    this.#forget(place);
  }

  /** Lets go of the pages that are furthest from this one. */
  #forget(place) {
    const kept = [...this.pages.keys()].filter((at) => this.pages[at].rows && !this.pages[at].isNear);
    const near = this.pages.filter(({ isNear }) => isNear).length;
    const far = kept.sort((one, other) => Math.abs(other - place) - Math.abs(one - place));
    for (const at of far.slice(0, Math.max(0, kept.length + near - pagesKept))) this.pages[at].rows = null;
  }

  #fail(error) {
    if (this.isEnded) return;
    this.problem = error.status === 0 ? 'Offline: this list cannot be read.' : error.message;
  }
}
