import { describe, expect, test } from 'vitest';
import { withCheckDigit } from '../harness/codes/gs1-codes.ts';
import { untilTaken, validationError } from '../harness/contract/answers.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { notEnough, receiveLot } from '../harness/stock/stock.ts';

const service = useService();

let drawn = 100;
/** A GTIN of 13 digits that nothing has yet. */
function newGtin(): string {
  drawn += 1;
  return withCheckDigit(`9506000${String(drawn).padStart(5, '0')}`);
}

async function teach(client: ApiClient, shortID: string, alias: string): Promise<number> {
  const { partNo } = (await client.get(`/Item?key=${shortID}&type=id`)).body;
  const answer = await client.put(`/Item/${partNo}/Aliases/${encodeURIComponent(alias)}`, undefined);
  expect(answer.status, answer.text).toBe(200);
  return partNo;
}

/** An item with an alias and a GTIN. */
async function named() {
  const client = await service.client();
  const shortID = await service.item();
  const alias = uniqueName('ALIAS');
  const gtin = newGtin();
  await teach(client, shortID, alias);
  const partNo = await teach(client, shortID, `0${gtin}`);
  return { client, shortID, alias, gtin, partNo };
}

const inOne = { wid: 1, reasonCode: 0 };

describe('itemID is an alias or a GTIN', () => {
  test('201: a receipt; the lot says which item it was', async () => {
    const { client, shortID, alias, gtin, partNo } = await named();
    for (const itemID of [shortID, alias, gtin, `0${gtin}`]) {
      const answer = await client.post('/Inventory/Receive', { itemID, units: 1, ...inOne });
      expect(answer.status, answer.text).toBe(201);
      expect(answer.body.lot).toMatchObject({ shortID, partNo });
    }
  });

  test('200: a move, an issue and a count say which item it was, unless they named it by its ShortID', async () => {
    const { client, shortID, alias, gtin } = await named();
    await receiveLot(client, shortID, 10, { spot: 'A' });
    const calls = [
      ['/Inventory/Move', { units: 1, ...inOne, fromSpot: 'A', toSpot: 'B' }],
      ['/Inventory/Issue', { units: 1, ...inOne }],
      ['/Inventory/Count', { counted: 3, ...inOne, spot: 'A' }],
    ] as const;
    for (const [path, body] of calls) {
      for (const dryRun of [true, false]) {
        for (const itemID of [alias, gtin]) {
          const answer = await client.post(path, { ...body, itemID, dryRun });
          expect(answer.body, answer.text).toMatchObject({ shortID, dryRun });
        }
        const answer = await client.post(path, { ...body, itemID: shortID, dryRun });
        expect(answer.status).toBe(200);
        expect(answer.body).not.toHaveProperty('shortID');
      }
    }
  });

  test('the ledger knows the item by its ShortID, and a reversal needs no alias', async () => {
    const { client, shortID, alias, partNo } = await named();
    const { body } = await client.post('/Inventory/Receive', { itemID: alias, units: 4, ...inOne });
    await client.delete(`/Item/${partNo}/Aliases/${alias}`);
    // The name means another item now.
    await teach(client, await service.item(), alias);
    const { transactionNo } = body;
    expect((await client.get(`/Inventory/Transactions/${transactionNo}`)).body).toMatchObject({
      itemID: shortID,
    });
    const reversed = await client.post('/Inventory/Reverse', { transactionNo });
    expect(reversed.body, reversed.text).toMatchObject({ reverses: transactionNo, lots: [{ units: -4 }] });
  });

  test('a ShortID wins over a GTIN that another item has as an alias since 0.1.0', async () => {
    const client = await service.client();
    const gtin = newGtin();
    await service.item({ shortID: gtin });
    const other = await service.item();
    await service.sql`
      insert into item_alias (alias, part_no) select ${`0${gtin}`}, part_no from item where short_id = ${other}`;
    for (const [itemID, shortID] of [
      [gtin, gtin],
      [`0${gtin}`, other],
    ]) {
      const answer = await client.post('/Inventory/Receive', { itemID, units: 1, ...inOne });
      expect(answer.body.lot.shortID).toBe(shortID);
    }
  });

  test('400: a name that no item has, a wrong check digit, and an alias that was removed', async () => {
    const { client, alias, gtin, partNo } = await named();
    await client.post('/Inventory/Receive', { itemID: alias, units: 1, ...inOne });
    await client.delete(`/Item/${partNo}/Aliases/${alias}`);
    const wrong = gtin.slice(0, -1) + String((Number(gtin.at(-1)) + 1) % 10);
    for (const itemID of [uniqueName('NONE'), wrong, alias]) {
      for (const [path, more] of [
        ['/Inventory/Receive', {}],
        ['/Inventory/Move', { toSpot: 'B' }],
        ['/Inventory/Move', { toSpot: 'B', dryRun: true }],
      ] as const) {
        const { status, body } = await client.post(path, { itemID, units: 1, ...inOne, ...more });
        expect({ status, body }).toEqual({
          status: 400,
          body: validationError({ itemID: ['itemID is not a known item.'] }),
        });
      }
    }
  });

  test('an Idempotency-Key compares what was sent: the same names get the first answer, another name gets 409', async () => {
    const { client, shortID, alias } = await named();
    const key = { 'Idempotency-Key': uniqueName('key') };
    const receipt = { units: 1, ...inOne };
    const first = await client.post('/Inventory/Receive', { itemID: alias, ...receipt }, key);
    const again = await client.post('/Inventory/Receive', { itemID: alias, ...receipt }, key);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    const other = await client.post('/Inventory/Receive', { itemID: shortID, ...receipt }, key);
    expect(other.body).toMatchObject({ statusCode: 409, reason: 'keyReused' });
  });
});

describe('an alias that moves to another item between a send and its resend', () => {
  /** Takes the alias from its item and gives it to another one, which is returned. */
  async function move(client: ApiClient, partNo: number, alias: string): Promise<string> {
    const other = await service.item();
    expect((await client.delete(`/Item/${partNo}/Aliases/${alias}`)).status).toBe(200);
    await teach(client, other, alias);
    return other;
  }

  test.each(['alone', 'each', 'atomic', 'atomic with a key of its list'])(
    '%s: the first answer again, and nothing for the other item',
    async (way) => {
      const { client, shortID, alias, partNo } = await named();
      const key = uniqueName('key');
      const receipt = { itemID: alias, units: 3, ...inOne };
      const isList = way.endsWith('list');
      const operation = { op: 'receive', ...receipt, ...(!isList && { key }) };
      const send = () =>
        way === 'alone'
          ? client.post('/Inventory/Receive', receipt, { 'Idempotency-Key': key })
          : client.post(
              '/Inventory/Batch',
              { mode: way.split(' ')[0], operations: [operation] },
              isList ? { 'Idempotency-Key': key } : {},
            );
      const lotOf = ({ body }: Awaited<ReturnType<typeof send>>) => (body.results?.[0].body ?? body).lot;
      const first = lotOf(await send());
      expect(first.shortID).toBe(shortID);
      const other = await move(client, partNo, alias);
      expect(lotOf(await send())).toEqual(first);
      const { body } = await client.get(`/Inventory?itemID=${other}`);
      expect(body.totalCount).toBe(0);
      // Under a new key it is the other item's.
      const later = await client.post('/Inventory/Receive', receipt, {
        'Idempotency-Key': uniqueName('key'),
      });
      expect(later.body.lot.shortID).toBe(other);
    },
  );

  test('one key, sent at once and again afterwards: one answer, for either item or for none', async () => {
    const { client, shortID, alias, partNo } = await named();
    const headers = { 'Idempotency-Key': uniqueName('key') };
    const send = () => client.post('/Inventory/Receive', { itemID: alias, units: 1, ...inOne }, headers);
    const sent = [send(), send()];
    const other = await move(client, partNo, alias);
    const answers = await Promise.all([...sent, send(), send()]);
    // While no item had the alias, it is refused, and stays so under this key.
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const totals = await Promise.all(
      [shortID, other].map(async (name) => (await client.get(`/Inventory?itemID=${name}`)).body.totalCount),
    );
    expect(totals[0] + totals[1]).toBe(answers[0]!.status === 201 ? 1 : 0);
  });
});

describe('one item under several names', () => {
  const steps = (names: readonly string[]) =>
    names.flatMap((itemID, index) => [
      { op: 'receive', itemID, units: index + 1, ...inOne, serial: `S-${index}` },
      {
        op: 'issue',
        itemID: names[(index + 1) % names.length]!,
        units: index + 1,
        ...inOne,
        serial: `S-${index}`,
      },
    ]);

  test.each(['each', 'atomic'])('a batch of mode %s is decided in the order of the list', async (mode) => {
    const { client, shortID, alias, gtin } = await named();
    const operations = Array.from({ length: 20 }, () => steps([shortID, alias, gtin, `0${gtin}`])).flat();
    const { status, body, text } = await client.post('/Inventory/Batch', { mode, operations });
    expect(status, text).toBe(200);
    expect(body.summary).toEqual({ applied: 160, refused: 0, notApplied: 0 });
    const issued = body.results.filter((_: unknown, index: number) => index % 2 === 1);
    expect(new Set(issued.map((each: { body: { shortID?: string } }) => each.body.shortID))).toEqual(
      new Set([shortID, undefined]),
    );
  });

  test('a refusal counts the stock of the item, whatever name asks for it', async () => {
    const { client, shortID, alias, gtin } = await named();
    const operations = [
      { op: 'receive', itemID: gtin, units: 3, ...inOne },
      { op: 'issue', itemID: alias, units: 2, ...inOne },
      { op: 'issue', itemID: shortID, units: 2, ...inOne },
    ];
    const { body } = await client.post('/Inventory/Batch', { mode: 'each', operations });
    expect(body.results.map(({ statusCode }: { statusCode: number }) => statusCode)).toEqual([201, 200, 409]);
    expect(body.results[2].error).toEqual(notEnough(2, 1));
  });

  test('many callers under all names at once: every unit is counted once', async () => {
    const { client, shortID, alias, gtin, partNo } = await named();
    const names = [shortID, alias, gtin, `0${gtin}`];
    // A machine may be busy: a call whose outcome is not known is settled by its key.
    const calls = Array.from({ length: 90 }, (_, index) => {
      const path = index % 3 === 2 ? '/Inventory/Issue' : '/Inventory/Receive';
      const body = { itemID: names[index % 4], units: 1, ...inOne };
      const key = { 'Idempotency-Key': uniqueName('key') };
      return untilTaken(() => client.post(path, body, key), { isKeyed: true });
    });
    const answers = await Promise.all(calls);
    const of = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
    expect(of(201)).toBe(60);
    expect(of(200) + of(409)).toBe(30);
    const levels = await client.get(`/Inventory/StockLevels?itemID=${shortID}`);
    expect(levels.body.value).toMatchObject([{ partNo, inStock: 60 - of(200) }]);
  });

  test('an alias that is taught to another item again and again: every receipt is one of the two', async () => {
    const client = await service.client();
    const items = [await service.item(), await service.item()];
    const alias = uniqueName('TURNS');
    let holder = 0;
    let partNo = await teach(client, items[holder]!, alias);
    let done = false;
    const receiving = (async () => {
      const received: string[] = [];
      while (!done) {
        const answer = await client.post('/Inventory/Receive', { itemID: alias, units: 1, ...inOne });
        expect([201, 400]).toContain(answer.status);
        if (answer.status === 201) received.push(answer.body.lot.shortID);
      }
      return received;
    })();
    try {
      for (let turn = 0; turn < 20; turn++) {
        await client.delete(`/Item/${partNo}/Aliases/${alias}`);
        const none = await client.post('/Inventory/Receive', { itemID: alias, units: 1, ...inOne });
        expect(none.status).toBe(400);
        holder = 1 - holder;
        partNo = await teach(client, items[holder]!, alias);
        const { body } = await client.post('/Inventory/Receive', { itemID: alias, units: 1, ...inOne });
        expect(body.lot.shortID).toBe(items[holder]);
      }
    } finally {
      done = true;
    }
    expect(items).toEqual(expect.arrayContaining([...new Set(await receiving)]));
  });
});
