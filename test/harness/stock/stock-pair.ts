import { holdLot, releaseLot } from '@inventory/db/operator/holds';
import { expect } from 'vitest';
import { untilTaken } from '../contract/answers.ts';
import type { ApiClient } from '../service/api-client.ts';
import type { Service } from '../service/service.ts';
import { type Operation, StockModel } from './stock-model.ts';
import { expectSame, millionths, Places } from './stock-places.ts';

/** An operation as generated; a count may expect the true balance. */
export type Drawn = Operation & { isRight?: boolean };
export type Command =
  | { kind: 'single'; operation: Drawn; dryRun: boolean }
  | { kind: 'batch'; mode: 'each' | 'atomic'; operations: Drawn[]; dryRun: boolean }
  | { kind: 'hold'; lot: number }
  | { kind: 'release'; lot: number };

type Result = { statusCode: number; body?: object; error?: object };

/** The most millionths that every reader can carry. */
export const largestUnits = 999_999_999_999_999;

/** One item's stock, in the service and in the model. Only the order of record numbers is compared. */
export class StockPair {
  readonly model = new StockModel();
  private readonly places = new Places();
  private readonly service: Service;
  private readonly client: ApiClient;
  private readonly tally: Map<string, number>;
  private readonly itemID: string;

  /** `tally`: how often each kind of answer was given. */
  constructor(service: Service, client: ApiClient, itemID: string, tally: Map<string, number>) {
    this.service = service;
    this.client = client;
    this.tally = tally;
    this.itemID = itemID;
  }

  async run(given: Command): Promise<void> {
    this.model.goOn();
    if (given.kind === 'hold' || given.kind === 'release') {
      const index = this.lotOf(given.lot);
      const expected = this.model.hold(index, given.kind === 'hold');
      const recNo = this.places.recNos[index] ?? 2 ** 31 - 1;
      const isHeld = given.kind === 'hold';
      // By the API and by the command line in turn.
      if (given.lot % 2 === 0) {
        const body = { recno: recNo, hold: isHeld };
        const answer = await untilTaken(() => this.client.post('/Inventory/Hold', body));
        this.note(`hold ${answer.status}`);
        expect(answer.status === 200 && answer.body.changed).toBe(expected);
        return;
      }
      const outcome = isHeld
        ? await holdLot(this.service.sql, { recNo, reason: 'model' })
        : await releaseLot(this.service.sql, recNo);
      expect(outcome === 'held' || outcome === 'released').toBe(expected);
      return;
    }
    if (given.kind === 'batch') return this.runBatch(given);
    const operation = this.aimed(given.operation);
    const dryRun = given.dryRun && operation.kind !== 'receive';
    const path = `${operation.kind[0]!.toUpperCase()}${operation.kind.slice(1)}`;
    const body = { ...this.bodyOf(operation), dryRun };
    const answer = await untilTaken(() => this.client.post(`/Inventory/${path}`, body));
    const { kind } = operation;
    const named = 'lot' in operation && operation.lot !== undefined ? operation.lot : -1;
    const many = answer.body.lots?.length > 1;
    this.note(`${kind} ${answer.status}`);
    if (many) this.note(`${kind} many`);
    if (dryRun) this.note(`dry run ${answer.status}`);
    if (this.model.isHeld(named)) this.note(`${kind} held ${answer.status}`);
    if (this.model.isExpired(named)) this.note(`${kind} expired ${answer.status}`);
    const run = () => this.model.run(operation);
    const expected = dryRun ? this.model.tryOut(run) : run();
    expectSame(this.places.seen(answer), expected, operation);
  }

  private async runBatch({ mode, operations: drawn, ...given }: Extract<Command, { kind: 'batch' }>) {
    const operations = drawn.map((each) => this.aimed(each));
    const dryRun = given.dryRun && mode === 'atomic';
    const sent = operations.map((each) => ({ op: each.kind, ...this.bodyOf(each) }));
    const { status, results, rounds } = await this.sendBatch(mode, dryRun, sent);
    // The worker may decide a list in several batches: the times of its receipts tell.
    let receivedAt: string | undefined;
    const oneByOne = () =>
      operations.map((each, index) => {
        const at = each.kind === 'receive' ? receiptTime(results[index]!) : undefined;
        const isLater = at !== undefined && receivedAt !== undefined && at !== receivedAt;
        receivedAt = at ?? receivedAt;
        if (isLater || (index > 0 && rounds[index] !== rounds[index - 1])) this.model.goOn();
        return this.model.run(each);
      });
    const together = () => this.model.runTogether(operations);
    const { isApplied, answers } =
      mode === 'each'
        ? { isApplied: true, answers: oneByOne() }
        : dryRun
          ? this.model.tryOut(together)
          : together();
    this.note(`${mode} ${status}`);
    if (dryRun) this.note(`dry run of a batch ${status}`);
    expect(status, JSON.stringify(results)).toBe(isApplied ? 200 : 409);
    const seen = results.map((each) => {
      return this.places.seen({ status: each.statusCode, body: each.body ?? each.error });
    });
    // Operations sent again were decided in other batches than the model knows, and some messages name those.
    const isWhole = rounds.every((round) => round === 0);
    const compared = (each: object[]) => (isWhole ? each : each.map((one) => ({ ...one, message: null })));
    for (const [index, each] of seen.entries()) {
      const own = answers[index]!;
      // Of a list, the worker decides some together; their new lots have no numbers then.
      if (mode === 'atomic' || !('message' in each && 'message' in own)) continue;
      if (!each.message.includes('made just now')) continue;
      for (const one of [each, own]) one.message = one.message.split(' on hold in ')[0]!;
    }
    expectSame(compared(seen), compared(answers), operations);
  }

  /** Sends again a batch that a slow machine was too busy for: in mode each, the rest of the list. */
  private async sendBatch(mode: string, dryRun: boolean, operations: object[]) {
    const send = (some: object[]) =>
      untilTaken(() => this.client.post('/Inventory/Batch', { mode, dryRun, operations: some }));
    const { status, body } = await send(operations);
    const results = body.results as Result[];
    const rounds = results.map(() => 0);
    const isOpen = ({ statusCode }: Result) => mode === 'each' && statusCode === 503;
    while (results.some(isOpen)) {
      const again = await send(operations.filter((_, index) => isOpen(results[index]!)));
      results.forEach((each, index) => {
        if (!isOpen(each)) return;
        results[index] = again.body.results.shift();
        rounds[index]! += 1;
      });
    }
    return { status, results, rounds };
  }

  private note(fate: string) {
    this.tally.set(fate, (this.tally.get(fate) ?? 0) + 1);
  }

  private bodyOf(operation: Operation): Record<string, unknown> {
    if (operation.kind === 'reverse') {
      return { transactionNo: this.places.transactionNos[operation.transaction] ?? 2 ** 40 };
    }
    const {
      kind: _kind,
      lot,
      units,
      counted,
      expected,
      ...rest
    } = {
      ...{ lot: undefined, units: undefined, counted: undefined, expected: undefined },
      ...operation,
    };
    const recno = lot === undefined ? undefined : (this.places.recNos[lot] ?? 2 ** 31 - 1);
    const whole = (millionths: number | undefined) =>
      millionths === undefined ? undefined : millionths / 1e6;
    const figures = { units: whole(units), counted: whole(counted), expected: whole(expected) };
    return { itemID: this.itemID, reasonCode: 0, ...figures, recno, ...rest };
  }

  /** Picks its lot or transaction from the existing ones, and mostly looks for it in the right place. */
  private aimed({ isRight = false, ...given }: Drawn): Operation {
    if (given.kind === 'receive') return given;
    if (given.kind === 'reverse') {
      return { ...given, transaction: placeOf(given.transaction, this.places.transactionNos) };
    }
    const lot = given.lot === undefined ? undefined : this.lotOf(given.lot);
    const isThere = lot === undefined || given.lot! % 5 === 0;
    const aimed = { ...given, lot, wid: isThere ? given.wid : (this.model.widOf(lot) ?? given.wid) };
    if (aimed.kind !== 'count' || aimed.expected === undefined || !isRight) return aimed;
    // More digits than every reader can carry are not asked for.
    return { ...aimed, expected: Math.min(this.model.unitsAt(aimed), largestUnits) };
  }

  private lotOf(drawn: number): number {
    return placeOf(drawn, this.places.recNos);
  }

  /** Every lot, both levels and every transaction of the item, in the service and in the model. */
  async compare(): Promise<void> {
    const lots = await this.client.get(`/Inventory?itemID=${this.itemID}&sort=recNo&pageSize=250`);
    const shown = lots.body.value.map((lot: Record<string, unknown>) => ({
      lot: this.places.of(lot.recNo as number),
      wid: lot.wID,
      spot: lot.spot,
      serial: lot.serial,
      units: millionths(lot.units as number),
      hold: lot.hold,
      active: lot.active,
      isShipped: lot.shipped !== null,
    }));
    expect(shown.sort((a: { lot: number }, b: { lot: number }) => a.lot - b.lot)).toEqual(
      this.model.lotsShown(),
    );
    const [item] = await this.service.sql`select part_no from item where short_id = ${this.itemID}`;
    for (const path of ['', '/1', '/2']) {
      const levels = await this.client.get(
        `/Inventory/StockLevels${path}?pageSize=250&sort=partNo&direction=DESC`,
      );
      const level = levels.text.match(new RegExp(`\\{"partNo":${item!.part_no},[^}]*\\}`))?.[0];
      const wids = path === '' ? [1, 2] : [Number(path.slice(1))];
      expect(level?.replace(/"partNo":\d+,/, '')).toBe(this.model.levelText(wids));
    }
    await this.compareTransactions();
  }

  private async compareTransactions() {
    const { body } = await this.client.get(
      `/Inventory/Transactions?itemID=${this.itemID}&sort=transactionNo&pageSize=250`,
    );
    const transactions = body.value as {
      transactionNo: number;
      kind: string;
      reversedBy: number | null;
      lines: { recNo: number; wID: number; spot: string; delta: number; balance: number }[];
    }[];
    // In the order of the requests: numbers follow it only within a warehouse when a part of a list was left
    // for the next batch.
    const askedAt = ({ transactionNo }: { transactionNo: number }) =>
      this.places.transactionNos.indexOf(transactionNo);
    // The model notes no holds, which the command line makes without a place in this list.
    const noted = transactions.filter(({ kind }) => kind !== 'hold');
    noted.sort((a, b) => askedAt(a) - askedAt(b));
    const shown = noted.map(({ kind, reversedBy, lines }) => ({
      kind,
      reversedBy: reversedBy === null ? null : this.places.transactionNos.indexOf(reversedBy),
      lines: lines.map(({ recNo, wID: wid, spot, delta, balance }) => ({
        ...{ lot: this.places.of(recNo), wid, spot },
        ...{ delta: millionths(delta), balance: millionths(balance) },
      })),
    }));
    expect(shown).toEqual(this.model.transactionsShown());
  }
}

/** One of the existing ones, or one that never exists, not even after the rest of a batch. */
function placeOf(drawn: number, there: readonly number[]): number {
  const place = drawn % (there.length + 1);
  return place === there.length ? 1_000_000 : place;
}

function receiptTime({ body }: Result): string | undefined {
  return (body as { lot?: { received: string } } | undefined)?.lot?.received;
}
