import { holdLot } from '@inventory/db/operator/holds';
import { describe, expect, test } from 'vitest';
import {
  conflictObject,
  dateTime,
  expectAnswer,
  inChunks,
  untilTaken,
  validationError,
} from '../harness/contract/answers.ts';
import { type ApiClient, createApiClient } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';
import { notEnough, receive, receiveLot } from '../harness/stock/stock.ts';

const service = useService({ apis: 2, workers: 2 });

const notOfItem = validationError({ recno: ['recno is not a lot of this item in this warehouse.'] });

function issue(client: ApiClient, itemID: string, units: number, fields: object = {}) {
  return client.post('/Inventory/Issue', { itemID, units, wid: 1, reasonCode: 0, ...fields });
}

function lotsOf(body: { lots: { recNo: number; units: number; remaining: number }[] }) {
  return body.lots.map(({ recNo, units, remaining }) => [recNo, units, remaining]);
}

test('200: the lots it took from, with what is left of each', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const first = await receiveLot(client, itemID, 2.5);
  const second = await receiveLot(client, itemID, 4);
  const answer = await issue(client, itemID, 3.000001, {
    reference: 'SO 1',
    remark: 'for the shop',
    netWeight: 3,
    shipto: 8,
    prodID: 'P',
    line: 1,
  });
  expectAnswer(answer, 200, {
    recNo: first,
    status: 'issued',
    transactionNo: expect.any(Number),
    dryRun: false,
    units: 3.000001,
    lots: [
      { recNo: first, units: 2.5, remaining: 0 },
      { recNo: second, units: 0.500001, remaining: 3.499999 },
    ],
  });
});

test('a lot at 0 is shipped and inactive, and stays listed', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const recNo = await receiveLot(client, itemID, 2, { spot: 'A', serial: 'S' });
  await issue(client, itemID, 2);
  const list = await client.get(`/Inventory?itemID=${itemID}`);
  expect(list.body.value).toEqual([
    expect.objectContaining({ recNo, units: 0, shipped: dateTime, active: false, spot: 'A', serial: 'S' }),
  ]);
});

test('a lot that still has units keeps shipped null', async () => {
  const client = await service.client();
  const itemID = await service.item();
  await receiveLot(client, itemID, 2);
  await issue(client, itemID, 1);
  const list = await client.get(`/Inventory?itemID=${itemID}`);
  expect(list.body.value).toEqual([expect.objectContaining({ units: 1, shipped: null, active: true })]);
});

describe('which lots are taken', () => {
  test('earliest expiry first, lots without expiry last, then received, then recNo', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const never = await receiveLot(client, itemID, 1);
    const late = await receiveLot(client, itemID, 1, { expires: '2090-01-01' });
    const early = await receiveLot(client, itemID, 1, { expires: '2080-01-01' });
    const earlyToo = await receiveLot(client, itemID, 1, { expires: '2080-01-01' });
    const neverToo = await receiveLot(client, itemID, 1);
    const { body } = await issue(client, itemID, 5);
    expect(lotsOf(body).map(([recNo]) => recNo)).toEqual([early, earlyToo, late, never, neverToo]);
  });

  test('no expired lot, unless it is named by recno: then it is written off', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const expired = await receiveLot(client, itemID, 5, { expires: '2020-01-01' });
    const good = await receiveLot(client, itemID, 1);
    expectAnswer(await issue(client, itemID, 2), 409, notEnough(2, 1, '5 expired'));
    expect(lotsOf((await issue(client, itemID, 1)).body)).toEqual([[good, 1, 0]]);
    expect(lotsOf((await issue(client, itemID, 5, { recno: expired })).body)).toEqual([[expired, 5, 0]]);
    expectAnswer(await issue(client, itemID, 1), 409, notEnough(1, 0));
  });

  test('a lot that expires today is good through the end of that day', async () => {
    const client = await service.client();
    const utcDay = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    for (let day = ''; day !== utcDay(0); ) {
      // Once more if midnight passed meanwhile.
      day = utcDay(0);
      const itemID = await service.item();
      const today = await receiveLot(client, itemID, 1, { expires: day });
      await receiveLot(client, itemID, 1, { expires: utcDay(-1) });
      const both = await issue(client, itemID, 2);
      const one = await issue(client, itemID, 1);
      if (day !== utcDay(0)) continue;
      expectAnswer(both, 409, notEnough(2, 1, '1 expired'));
      expect(lotsOf(one.body)).toEqual([[today, 1, 0]]);
    }
  });

  test('409: the refusal counts only matching lots on hold or expired', async () => {
    const client = await service.client();
    const itemID = await service.item();
    for (const spot of ['A', 'B']) {
      const held = await receiveLot(client, itemID, 2, { spot });
      await holdLot(service.sql, { recNo: held, reason: 'inspection' });
      await receiveLot(client, itemID, 3.5, { spot, expires: '2020-01-01' });
      const both = await receiveLot(client, itemID, 4, { spot, expires: '2020-01-01' });
      await holdLot(service.sql, { recNo: both, reason: 'inspection' });
    }
    expectAnswer(await issue(client, itemID, 1), 409, notEnough(1, 0, '12 on hold, 7 expired'));
    expectAnswer(
      await issue(client, itemID, 1, { spot: 'A' }),
      409,
      notEnough(1, 0, '6 on hold, 3.5 expired'),
    );
    expectAnswer(await issue(client, itemID, 1, { spot: 'C' }), 409, notEnough(1, 0));
    expectAnswer(await issue(client, itemID, 1, { wid: 2 }), 409, notEnough(1, 0));
  });

  test('409: "at least 1000 on hold" when there are too many to count', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const { lot } = await receive(client, itemID, 1);
    await service.sql.begin(async (tx) => {
      await tx`
        insert into lot (part_no, wid, units, received, hold, modified)
        select ${lot.partNo}, 1, 1, now(), true, now()
        from generate_series(1, 1500)`;
      await tx`
        with received as (
          insert into stock_transaction (request_id, client_id, kind, body, status, result)
          values (gen_random_uuid(), 'tests', 'receive', '{}', 'applied', '{}')
          returning transaction_no
        )
        insert into stock_entry (transaction_no, line, rec_no, part_no, wid, spot, delta, balance)
        select transaction_no, row_number() over (), rec_no, part_no, wid, spot, units, units
        from lot, received
        where part_no = ${lot.partNo} and hold`;
      await tx`update stock_level set in_stock = 1501, on_hold = 1500 where part_no = ${lot.partNo}`;
    });
    expectAnswer(await issue(client, itemID, 2), 409, notEnough(2, 1, 'at least 1000 on hold'));
  });

  test('only lots that match every filter given', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const plain = { spot: 'A', serial: 'S', serial2: 'T', rfidTag: 'R' };
    for (const field of Object.keys(plain))
      await receiveLot(client, itemID, 1, { ...plain, [field]: 'other' });
    const wanted = await receiveLot(client, itemID, 1, plain);
    expectAnswer(await issue(client, itemID, 2, plain), 409, notEnough(2, 1));
    expect(lotsOf((await issue(client, itemID, 1, plain)).body)).toEqual([[wanted, 1, 0]]);
    expectAnswer(await issue(client, itemID, 1, plain), 409, notEnough(1, 0));
    const bySpot = await issue(client, itemID, 3, { spot: 'A' });
    expect(bySpot.body.lots).toHaveLength(3);
  });

  test('an empty spot as a filter means lots without a spot', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await receiveLot(client, itemID, 1, { spot: 'A' });
    const bare = await receiveLot(client, itemID, 1);
    expect(lotsOf((await issue(client, itemID, 1, { spot: '' })).body)).toEqual([[bare, 1, 0]]);
  });

  test('only the lot named by recno', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await receiveLot(client, itemID, 5);
    const second = await receiveLot(client, itemID, 5, { spot: 'B' });
    expect(lotsOf((await issue(client, itemID, 2, { recno: second })).body)).toEqual([[second, 2, 3]]);
    expectAnswer(await issue(client, itemID, 4, { recno: second }), 409, notEnough(4, 3));
    const filters = { recno: second, spot: 'A', serial: 'S', serial2: 'T', rfidTag: 'R' };
    const refusal = conflictObject(
      'lotDiffers',
      { recNo: second, present: 3 },
      'The lot does not match spot, serial, serial2, rfidTag.',
    );
    expectAnswer(await issue(client, itemID, 1, filters), 409, refusal);
    expect((await issue(client, itemID, 1, { recno: second, spot: 'B' })).status).toBe(200);
  });

  test('no lot on hold; 409 when it is named by recno', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const held = await receiveLot(client, itemID, 5);
    const free = await receiveLot(client, itemID, 1);
    await holdLot(service.sql, { recNo: held, reason: 'inspection' });
    expectAnswer(await issue(client, itemID, 2), 409, notEnough(2, 1, '5 on hold'));
    expectAnswer(
      await issue(client, itemID, 1, { recno: held }),
      409,
      conflictObject('onHold', { recNo: held, asked: 1, onHold: 5 }, 'The lot is on hold.'),
    );
    expect(lotsOf((await issue(client, itemID, 1)).body)).toEqual([[free, 1, 0]]);
  });

  test('no lot of another warehouse', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await receiveLot(client, itemID, 5, { wid: 2 });
    expectAnswer(await issue(client, itemID, 1), 409, notEnough(1, 0));
  });

  test('more lots than the first look reads', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await inChunks(40, 20, () => receiveLot(client, itemID, 1));
    const { body } = await issue(client, itemID, 39.5);
    expect(body.lots).toHaveLength(40);
    expect(lotsOf(body).at(-1)?.slice(1)).toEqual([0.5, 0.5]);
  });
});

test('409: more units than there are; nothing is applied', async () => {
  const client = await service.client();
  const itemID = await service.item();
  await receiveLot(client, itemID, 1.5);
  const before = await client.get(`/Inventory?itemID=${itemID}`);
  expectAnswer(await issue(client, itemID, 1.500001), 409, notEnough(1.500001, 1.5));
  expect((await client.get(`/Inventory?itemID=${itemID}`)).text).toBe(before.text);
});

test('409: a lot that has been shipped', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const recno = await receiveLot(client, itemID, 1);
  await issue(client, itemID, 1, { recno });
  expectAnswer(await issue(client, itemID, 1, { recno }), 409, notEnough(1, 0));
});

test('400: an unknown recno, or one of another item or warehouse: the same text for all', async () => {
  const client = await service.client({ warehouses: [1, 2, 3] });
  const itemID = await service.item();
  await receiveLot(client, itemID, 1);
  const other = await receiveLot(client, await service.item(), 1);
  const elsewhere = await receiveLot(client, itemID, 1, { wid: 3 });
  const narrow = await service.client({ warehouses: [1] });
  const texts = [];
  for (const recno of [2 ** 31 - 1, other, elsewhere]) {
    const answer = await issue(narrow, itemID, 1, { recno });
    expectAnswer(answer, 400, notOfItem);
    texts.push(answer.text);
  }
  expect(new Set(texts).size).toBe(1);
});

test('400: every offending field is named', async () => {
  const client = await service.client();
  expectAnswer(
    await client.post('/Inventory/Issue', {
      units: -1,
      wid: 0,
      reasonCode: 'x',
      recno: 0,
      shipto: -1,
      prodID: 1,
    }),
    400,
    validationError({
      itemID: ['itemID is required.'],
      units: ['units must be greater than 0.'],
      wid: ['wid must be at least 1.'],
      reasonCode: ['reasonCode must be an integer.'],
      recno: ['recno must be at least 1.'],
      shipto: ['shipto must be at least 0.'],
      prodID: ['prodID must be a string.'],
    }),
  );
});

test('400: an unknown item', async () => {
  const client = await service.client();
  expectAnswer(
    await issue(client, 'NONE', 1),
    400,
    validationError({ itemID: ['itemID is not a known item.'] }),
  );
});

test('200 for exactly 100 of 200 issues of 1 from 100 units, 409 for the others', async () => {
  const client = await service.client();
  const processes = service.baseUrls.map((baseUrl) =>
    createApiClient(baseUrl, client.clientId, client.token),
  );
  const itemID = await service.item();
  for (let count = 0; count < 4; count++) await receiveLot(client, itemID, 25);
  const answers = await inChunks(200, 200, (index) =>
    untilTaken(() => issue(processes[index % 2]!, itemID, 1)),
  );
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(100);
  const refused = answers.filter((answer) => answer.status !== 200);
  for (const answer of refused) expectAnswer(answer, 409, notEnough(1, 0));
  const list = await client.get(`/Inventory?itemID=${itemID}&inStock=true`);
  expect(list.body.totalCount).toBe(0);
});

test('200 for one of two issues of 60 from 100 units at once', async () => {
  const client = await service.client();
  const itemID = await service.item();
  await receiveLot(client, itemID, 100);
  const answers = await Promise.all([issue(client, itemID, 60), issue(client, itemID, 60)]);
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409]);
  expect(answers.find((answer) => answer.status === 409)?.body).toEqual(notEnough(60, 40));
});
