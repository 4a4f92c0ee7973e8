import { holdLot, releaseLot } from '@inventory/db/operator/holds';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ApiAnswer, ApiClient } from '../harness/api-client.ts';
import { useService } from '../harness/service.ts';
import { type Issue, type ModelAnswer, type Move, type Receive, StockModel } from './stock-model.ts';

const service = useService();

type Command =
  | ({ kind: 'receive' } & Receive)
  | ({ kind: 'move' } & Move)
  | ({ kind: 'issue' } & Issue)
  | { kind: 'hold'; lot: number }
  | { kind: 'release'; lot: number };

const spot = fc.constantFrom('', 'A', 'B');
const serial = fc.constantFrom('', 'S', 'T');
const wid = fc.constantFrom(1, 2);
const sometimes = <T>(arbitrary: fc.Arbitrary<T>, weight = 1) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight, arbitrary });
// Millionths, so that sums of doubles would go wrong: mostly tenths, sometimes the finest or the largest
// there is.
const units = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 30 }).map((tenths) => tenths * 100_000) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 3_000_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(999_999_999_999_999, 1) },
);
const expires = fc.constantFrom(undefined, undefined, '2090-01-01', '2091-01-01', '2092-01-01', '2001-01-01');
/** Which of the lots so far, by its place; now and then one that does not exist. */
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
const hold = fc.record({
  kind: fc.constantFrom('hold' as const, 'hold' as const, 'hold' as const, 'release' as const),
  lot,
});
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: receive },
  { weight: 4, arbitrary: move },
  { weight: 4, arbitrary: issue },
  { weight: 3, arbitrary: hold },
);

const anywhere = { spot: undefined, serial: undefined, shipToWid: undefined };
/** A case that chance seldom brings: lots on hold that are named. */
const heldLots: Command[] = [
  { kind: 'receive', units: 5_000_000, wid: 1, spot: 'A', serial: '', expires: undefined },
  { kind: 'receive', units: 2_000_000, wid: 1, spot: 'A', serial: '', expires: undefined },
  { kind: 'hold', lot: 0 },
  { kind: 'issue', units: 1_000_000, wid: 1, ...anywhere, lot: 6 },
  { kind: 'move', units: 1_500_000, wid: 1, ...anywhere, fromSpot: undefined, toSpot: 'B', lot: 6 },
  {
    kind: 'move',
    units: 3_500_000,
    wid: 1,
    ...anywhere,
    fromSpot: undefined,
    toSpot: 'B',
    shipToWid: 2,
    lot: 8,
  },
];

/** One item's stock, in the service and in the model. Record numbers are told apart by their order only. */
class Pair {
  readonly model = new StockModel();
  private readonly recNos: number[] = [];
  private readonly client: ApiClient;
  private readonly tally: Map<string, number>;
  private readonly itemID: string;

  constructor(client: ApiClient, itemID: string, tally: Map<string, number>) {
    this.client = client;
    this.tally = tally;
    this.itemID = itemID;
  }

  async run(given: Command): Promise<void> {
    if (given.kind === 'hold' || given.kind === 'release') {
      const index = this.lotOf(given.lot);
      const expected = this.model.hold(index, given.kind === 'hold');
      const recNo = this.recNos[index] ?? 2 ** 31 - 1;
      const outcome =
        given.kind === 'hold'
          ? await holdLot(service.sql, { recNo, reason: 'model' })
          : await releaseLot(service.sql, recNo);
      expect(outcome === 'held' || outcome === 'released').toBe(expected);
      return;
    }
    const asked = given.kind === 'receive' ? given : this.aimed(given);
    const { kind, units, ...fields } = asked;
    const { lot, ...rest } = { lot: undefined, ...fields };
    const recno = lot === undefined ? undefined : (this.recNos[lot] ?? 2 ** 31 - 1);
    const path = { receive: 'Receive', move: 'Move', issue: 'Issue' }[kind];
    const answer = await this.client.post(`/Inventory/${path}`, {
      itemID: this.itemID,
      units: units / 1e6,
      reasonCode: 0,
      recno,
      ...rest,
    });
    const isHeld = lot !== undefined && this.model.isHeld(lot);
    const fate = answer.body.lots?.length > 1 ? 'many' : isHeld ? `held ${answer.status}` : answer.status;
    this.tally.set(`${kind} ${fate}`, (this.tally.get(`${kind} ${fate}`) ?? 0) + 1);
    const expected =
      asked.kind === 'receive'
        ? this.model.receive(asked)
        : asked.kind === 'move'
          ? this.model.move(asked)
          : this.model.issue(asked);
    expect(this.seen(answer)).toEqual(expected);
  }

  /** The command with its lot among those there are, and mostly looked for where it is. */
  private aimed<C extends { wid: number; lot: number | undefined }>(given: C): C {
    if (given.lot === undefined) return given;
    const lot = this.lotOf(given.lot);
    return { ...given, lot, wid: given.lot % 5 === 0 ? given.wid : (this.model.widOf(lot) ?? given.wid) };
  }

  private lotOf(drawn: number): number {
    return drawn % (this.recNos.length + 1);
  }

  /** The answer in the model's terms; the numbers of new lots are remembered. */
  private seen({ status, body }: ApiAnswer): ModelAnswer {
    if (status >= 400)
      return { status, message: body.details ? Object.keys(body.details).join() : body.message };
    if (status === 201)
      return { status, lots: [{ lot: this.place(body.recNo), units: millionths(body.lot.units) }] };
    return {
      status,
      lots: body.lots.map((part: Record<string, number> & { spot?: string }) => ({
        lot: this.place(part.recNo!),
        units: millionths(part.units!),
        remaining: millionths(part.remaining!),
        ...(part.fromRecNo === undefined
          ? {}
          : { from: this.place(part.fromRecNo), wid: part.wID!, spot: part.spot! }),
      })),
    };
  }

  private place(recNo: number): number {
    const known = this.recNos.indexOf(recNo);
    return known >= 0 ? known : this.recNos.push(recNo) - 1;
  }

  /** Every lot and both levels of the item, in the service and in the model. */
  async compare(): Promise<void> {
    const lots = await this.client.get(`/Inventory?itemID=${this.itemID}&sort=recNo&pageSize=250`);
    const shown = lots.body.value.map((lot: Record<string, unknown>) => ({
      lot: this.place(lot.recNo as number),
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
  }
}

function millionths(units: number): bigint {
  const [whole = '', fraction = ''] = units.toFixed(6).split('.');
  return BigInt(whole + fraction);
}

test('the service answers, and ends up, as the model does: receive, move, issue, hold and release in any order', async () => {
  const client = await service.client();
  // A failure prints its seed; FC_SEED runs it again. On a machine that is busy with other work fewer runs
  // have to do.
  const seed = Number(process.env.FC_SEED ?? Date.now() % 2 ** 31);
  const tally = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 10, maxLength: 30, size: 'max' }), async (commands) => {
      const pair = new Pair(client, await service.item(), tally);
      for (const each of commands) await pair.run(each);
      await pair.compare();
    }),
    {
      seed,
      numRuns: 100,
      examples: [[heldLots]],
      interruptAfterTimeLimit: 40_000,
    },
  );
  // The run says something only if something of every kind was among it.
  for (const kind of ['move', 'issue']) {
    for (const fate of ['200', 'many', '409', '400', kind === 'move' ? 'held 200' : 'held 409'])
      expect(tally.get(`${kind} ${fate}`), `${kind} ${fate}`).toBeGreaterThan(0);
  }
}, 120_000);
