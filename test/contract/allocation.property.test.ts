import { holdLot, releaseLot } from '@inventory/db/operator/holds';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { untilTaken } from '../harness/contract/answers.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';
import { type Operation, StockModel } from '../harness/stock/stock-model.ts';
import { expectSame, millionths, Places } from '../harness/stock/stock-places.ts';

const service = useService();

/** An operation as generated; a count may expect the true balance. */
type Drawn = Operation & { isRight?: boolean };
type Command =
  | { kind: 'single'; operation: Drawn; dryRun: boolean }
  | { kind: 'batch'; mode: 'each' | 'atomic'; operations: Drawn[]; dryRun: boolean }
  | { kind: 'hold'; lot: number }
  | { kind: 'release'; lot: number };

const spot = fc.constantFrom('', 'A', 'B');
const serial = fc.constantFrom('', 'S', 'T');
const wid = fc.constantFrom(1, 2);
const sometimes = <T>(arbitrary: fc.Arbitrary<T>, weight = 1) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight, arbitrary });
// Millionths, so that sums of doubles would go wrong: mostly tenths, sometimes the finest or the largest
// value.
const largestUnits = 999_999_999_999_999;
const units = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 30 }).map((tenths) => tenths * 100_000) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 3_000_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(largestUnits, 1) },
);
const expires = fc.constantFrom(undefined, undefined, '2090-01-01', '2091-01-01', '2092-01-01', '2001-01-01');
/** One of the lots so far, by its place; now and then one that does not exist. */
const lot = fc.nat({ max: 1000 });

const receive = fc.record({ kind: fc.constant('receive' as const), units, wid, spot, serial, expires });
const nowhere = fc.constant(undefined);
const destination = fc.oneof(
  { weight: 3, arbitrary: fc.record({ toSpot: fc.constantFrom('B', 'C'), shipToWid: sometimes(wid) }) },
  { weight: 1, arbitrary: fc.record({ toSpot: sometimes(spot), shipToWid: sometimes(wid, 3) }) },
);
const filters = fc.oneof(
  { weight: 2, arbitrary: fc.record({ spot: sometimes(spot), serial: sometimes(serial), lot: nowhere }) },
  { weight: 1, arbitrary: fc.record({ spot: nowhere, serial: nowhere, lot }) },
  {
    weight: 1,
    arbitrary: fc.record({ spot: sometimes(spot), serial: sometimes(serial), lot: sometimes(lot) }),
  },
);
const move = fc
  .record({ units, wid, filters, destination })
  .map(({ units, wid, filters: { spot: fromSpot, ...rest }, destination }) => {
    return { kind: 'move' as const, units, wid, fromSpot, ...rest, ...destination };
  });
const issue = fc
  .record({ units, wid, filters })
  .map(({ units, wid, filters }) => ({ kind: 'issue' as const, units, wid, ...filters }));
const count = fc
  .record({
    counted: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(0, 100_000, 1_000_000, 3_500_000) },
      { weight: 1, arbitrary: units },
    ),
    wid,
    filters,
    expected: sometimes(fc.constantFrom(0, 1_000_000)),
    isRight: fc.boolean(),
    // Given where it is needed; now and then given where it is not, or left out.
    isSaid: fc.nat({ max: 9 }).map((number) => number > 0),
  })
  .map(({ filters, isSaid, ...rest }) => {
    const isPlaced = Object.values(filters).some((each) => each !== undefined);
    const everywhere = isPlaced !== isSaid ? true : undefined;
    return { kind: 'count' as const, ...rest, ...filters, everywhere };
  });
/** One of the transactions so far, by its place; now and then one that does not exist. */
const reverse = fc.record({ kind: fc.constant('reverse' as const), transaction: fc.nat({ max: 1000 }) });
const hold = fc.record({
  kind: fc.constantFrom('hold' as const, 'hold' as const, 'hold' as const, 'release' as const),
  lot,
});
const operation: fc.Arbitrary<Drawn> = fc.oneof(
  { weight: 6, arbitrary: receive },
  { weight: 4, arbitrary: move },
  { weight: 4, arbitrary: issue },
  { weight: 3, arbitrary: count },
  { weight: 3, arbitrary: reverse },
);
const dryRun = fc.nat({ max: 9 }).map((number) => number === 0);
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('single' as const), operation, dryRun }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('batch' as const),
      mode: fc.constantFrom('each' as const, 'atomic' as const),
      operations: fc.array(operation, { minLength: 1, maxLength: 5, size: 'max' }),
      dryRun,
    }),
  },
  { weight: 3, arbitrary: hold },
);

type Result = { statusCode: number; body?: object; error?: object };

const anywhere = { spot: undefined, serial: undefined };
const single = (operation: Operation, dryRun = false): Command => ({ kind: 'single', operation, dryRun });
const together = (mode: 'each' | 'atomic', operations: Operation[], dryRun = false): Command => {
  return { kind: 'batch', mode, operations, dryRun };
};
const received = (tenths: number, at = 'A', expires?: string): Operation => {
  return { kind: 'receive', units: tenths * 100_000, wid: 1, spot: at, serial: '', expires };
};
const issued = (tenths: number, lot?: number): Operation => {
  return { kind: 'issue', units: tenths * 100_000, wid: 1, ...anywhere, lot };
};
const moved = (tenths: number, to: { toSpot?: string; shipToWid?: number }, lot?: number): Operation => {
  const places = { fromSpot: undefined, toSpot: undefined, shipToWid: undefined };
  return { kind: 'move', units: tenths * 100_000, wid: 1, serial: undefined, ...places, ...to, lot };
};
const counted = (tenths: number, lot?: number, expected?: number): Operation => {
  const everywhere = lot === undefined ? true : undefined;
  return { kind: 'count', counted: tenths * 100_000, wid: 1, ...anywhere, lot, everywhere, expected };
};
const reversed = (transaction: number): Operation => ({ kind: 'reverse', transaction });

// Cases that are rarely generated, with lots and transactions by their places: existing ones have their own,
// and the next place is that of none.
const examples: Command[][] = [
  // Lots on hold that are named.
  [
    ...[received(50), received(20)].map((each) => single(each)),
    { kind: 'hold', lot: 0 },
    single(issued(10, 6)),
    single(counted(10, 6)),
    single(moved(15, { toSpot: 'B' }, 6)),
    single(moved(35, { toSpot: 'B', shipToWid: 2 }, 8)),
    single({
      ...{ kind: 'count', counted: 0, wid: 2, ...anywhere, lot: undefined },
      ...{ everywhere: true, expected: undefined },
    }),
    ...[reversed(3), reversed(2)].map((each) => single(each)),
  ],
  // Expired lots are taken when named, and counted.
  [
    ...[received(50, 'A', '2001-01-01'), issued(10), issued(10, 6), counted(30), counted(20, 6)].map((each) =>
      single(each),
    ),
    single(reversed(2)),
  ],
  // Lots received in one batch have the same age, and so have lots split from them: their numbers decide.
  ...(['each', 'atomic'] as const).map((mode) => [
    together(mode, [received(50), received(20), moved(10, { toSpot: 'B' })]),
    single(received(5)),
    ...[issued(45), issued(8), moved(7, { toSpot: 'C' }), issued(14)].map((each) => single(each)),
  ]),
  // Every possible answer, alone, in a batch and as a dry run.
  [
    ...[received(50), received(20), moved(60, { toSpot: 'B' }), issued(55), issued(999)].map((each) =>
      single(each),
    ),
    ...[moved(999, { toSpot: 'C' }), moved(1, {}), issued(1, 3), counted(30), counted(1, undefined, 0)].map(
      (each) => single(each),
    ),
    ...[reversed(4), reversed(4), reversed(5), reversed(6)].map((each) => single(each)),
    ...[issued(1), issued(999), reversed(3)].map((each) => single(each, true)),
    together('each', [received(10), issued(999), issued(5), reversed(3), reversed(3)]),
    together('atomic', [received(10), issued(15), counted(7), reversed(0)]),
    together('atomic', [received(10), issued(25), counted(7), moved(3, { shipToWid: 2 })]),
    together('atomic', [received(10), reversed(99), moved(1, {})]),
    together('atomic', [received(10), issued(5), moved(8, { toSpot: 'D' }), counted(1)], true),
    together('atomic', [received(10), issued(999)], true),
  ],
];

/** One item's stock, in the service and in the model. Only the order of record numbers is compared. */
class Pair {
  readonly model = new StockModel();
  private readonly places = new Places();
  private readonly client: ApiClient;
  private readonly tally: Map<string, number>;
  private readonly itemID: string;

  constructor(client: ApiClient, itemID: string, tally: Map<string, number>) {
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
      const outcome =
        given.kind === 'hold'
          ? await holdLot(service.sql, { recNo, reason: 'model' })
          : await releaseLot(service.sql, recNo);
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
    expectSame(seen, answers, operations);
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
    const [item] = await service.sql`select part_no from item where short_id = ${this.itemID}`;
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
    transactions.sort((a, b) => askedAt(a) - askedAt(b));
    const shown = transactions.map(({ kind, reversedBy, lines }) => ({
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

test('the service gives the answers and the final stock of the model: transactions, batches and dry runs, hold and release, in any order', async () => {
  const client = await service.client();
  // A failure prints its seed; FC_SEED repeats it. A busy machine has to do fewer runs.
  const seed = Number(process.env.FC_SEED ?? Date.now() % 2 ** 31);
  const tally = new Map<string, number>();
  const run = await fc.check(
    fc.asyncProperty(fc.array(command, { minLength: 10, maxLength: 30, size: 'max' }), async (commands) => {
      const pair = new Pair(client, await service.item(), tally);
      for (const each of commands) await pair.run(each);
      await pair.compare();
    }),
    {
      seed,
      numRuns: 100,
      examples: examples.map((each) => [each]),
      interruptAfterTimeLimit: 40_000,
      includeErrorInReport: true,
    },
  );
  expect(run.failed, await fc.asyncDefaultReportMessage(run)).toBe(false);
  // The run counts only if it covered something of every kind.
  const fates = [
    ...['move', 'issue'].flatMap((kind) => ['200', 'many', '409', '400'].map((fate) => `${kind} ${fate}`)),
    ...[
      'move held 200',
      'count 400',
      'issue held 409',
      'issue expired 200',
      'count 200',
      'count 409',
      'count held 409',
    ],
    ...['reverse 200', 'reverse 409', 'reverse 404', 'each 200', 'atomic 200', 'atomic 409'],
    ...['dry run 200', 'dry run 409', 'dry run of a batch 200'],
  ];
  for (const fate of fates) expect(tally.get(fate), fate).toBeGreaterThan(0);
}, 120_000);
