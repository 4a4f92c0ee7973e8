import { describe, expect, test } from 'vitest';
import { forbidden, validationError } from '../harness/contract/answers.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService();

const gtin = '04006381333931';

// biome-ignore lint/suspicious/noExplicitAny: a test compares an answer with what it expects.
type Result = any;

async function scan(client: ApiClient, data: string, more: object = {}): Promise<Result> {
  const { status, body, text } = await client.post('/Scan', { scans: [{ data }], ...more });
  expect(status, text).toBe(200);
  expect(body.results).toHaveLength(1);
  return body.results[0];
}

const kindsOf = ({ matches }: Result) => matches.map(({ kind }: Result) => kind);

async function teach(client: ApiClient, shortID: string, alias: string): Promise<number> {
  const { partNo } = (await client.get(`/Item?key=${shortID}&type=id`)).body;
  await service.sql`insert into item_alias (alias, part_no) values (${alias}, ${partNo}) on conflict (alias) do update set part_no = ${partNo}`;
  return partNo;
}

/** Sends the operation of a match, with the missing fields filled in. */
function carryOut(client: ApiClient, { operation }: Result) {
  const { op, body, missing } = operation;
  const all: Record<string, unknown> = { units: 1, reasonCode: 0, wid: 1, toSpot: uniqueName('TO') };
  const filled = Object.fromEntries((missing as string[]).map((name) => [name, all[name]]));
  const path = `/Inventory/${op.charAt(0).toUpperCase()}${op.slice(1)}`;
  return client.send('POST', path, { body: { ...body, ...filled }, headers: { Prefer: 'handling=strict' } });
}

describe('200: all that a code names', () => {
  test('an item by its ShortID and by an alias', async () => {
    const client = await service.client();
    const shortID = await service.item({ description: 'Something' });
    const alias = uniqueName('ALIAS');
    const partNo = await teach(client, shortID, alias);
    const operation = { op: 'receive', body: { itemID: shortID, wid: 2 }, missing: ['units', 'reasonCode'] };
    const item = { partNo, shortID, description: 'Something', operation };
    const nothing = { ambiguous: false, gs1: null, fault: null, moreMatches: false };
    expect(await scan(client, shortID, { wid: 2 })).toEqual({
      ...{ data: shortID, matches: [{ kind: 'item', ...item }] },
      ...nothing,
    });
    expect(await scan(client, alias, { wid: 2 })).toEqual({
      ...{ data: alias, matches: [{ kind: 'alias', alias, units: 1, ...item }] },
      ...nothing,
    });
    // Two warehouses can be meant.
    const [match] = (await scan(client, shortID)).matches;
    expect(match.operation).toEqual({
      op: 'receive',
      body: { itemID: shortID },
      missing: ['units', 'wid', 'reasonCode'],
    });
    expect((await carryOut(client, match)).status).toBe(201);
  });

  test('a lot by its number, its serials and its tag', async () => {
    const client = await service.client();
    const shortID = await service.item();
    const marks = { serial: uniqueName('SER'), serial2: uniqueName('SEC'), rfidTag: uniqueName('TAG') };
    const recNo = await receiveLot(client, shortID, 5, { ...marks, spot: 'A-1', expires: '2031-06-30' });
    let units = 5;
    for (const [kind, data] of Object.entries({ ...marks, lot: String(recNo) })) {
      const { matches, ambiguous } = await scan(client, data);
      expect(matches).toEqual([
        {
          ...{
            kind,
            recNo,
            partNo: expect.any(Number),
            shortID,
            description: '',
            wID: 1,
            spot: 'A-1',
            units,
          },
          ...{ serial: marks.serial, serial2: marks.serial2, rFIDTag: marks.rfidTag },
          ...{ expires: '2031-06-30T23:59:59.999Z', hold: false, active: true },
          operation: {
            op: 'issue',
            body: { itemID: shortID, wid: 1, recno: recNo },
            missing: ['units', 'reasonCode'],
          },
        },
      ]);
      expect(ambiguous).toBe(false);
      expect((await carryOut(client, matches[0])).status).toBe(200);
      units -= 1;
    }
  });

  test('a lot on hold is moved, and one that is used up is only told', async () => {
    const client = await service.client();
    const shortID = await service.item();
    const serial = uniqueName('HELD');
    const [held, gone, here] = [
      await receiveLot(client, shortID, 5, { serial }),
      await receiveLot(client, shortID, 2, { serial }),
      await receiveLot(client, shortID, 3, { serial }),
    ];
    await client.post('/Inventory/Issue', { itemID: shortID, units: 2, wid: 1, reasonCode: 0, recno: gone });
    await service.sql.begin(async (tx) => {
      await tx`update lot set hold = true, hold_reason = 'x', modified = now() where rec_no = ${held}`;
      await tx`update stock_level set on_hold = on_hold + 5 where part_no = (select part_no from lot where rec_no = ${held}) and wid = 1`;
    });
    const { matches, ambiguous } = await scan(client, serial);
    expect(matches.map(({ recNo, operation }: Result) => [recNo, operation?.op ?? null])).toEqual([
      [here, 'issue'],
      [held, 'move'],
      [gone, null],
    ]);
    expect(ambiguous).toBe(false);
    expect((await carryOut(client, matches[1])).status).toBe(200);
  });

  test('a lot that has expired is moved: an issue by its recNo would write it off', async () => {
    const client = await service.client();
    const shortID = await service.item();
    const serial = uniqueName('OLD');
    const old = await receiveLot(client, shortID, 5, { serial, expires: '2020-01-31' });
    const good = await receiveLot(client, shortID, 5, { serial, expires: '2999-01-31' });
    const { matches } = await scan(client, serial);
    expect(matches.map(({ recNo, operation }: Result) => [recNo, operation.op])).toEqual([
      [good, 'issue'],
      [old, 'move'],
    ]);
    expect(Object.keys(matches[1])).not.toContain('hasExpired');
    expect((await carryOut(client, matches[1])).status).toBe(200);
  });

  test('a spot, once for each warehouse', async () => {
    const client = await service.client();
    const shortID = await service.item();
    const spot = uniqueName('SPOT');
    await receiveLot(client, shortID, 5, { spot });
    const atOne = {
      ...{ kind: 'spot', wID: 1, spot },
      operation: { op: 'move', body: { wid: 1, toSpot: spot }, missing: ['itemID', 'units'] },
    };
    expect(await scan(client, spot)).toMatchObject({ matches: [atOne], ambiguous: false });
    await receiveLot(client, shortID, 5, { spot, wid: 2 });
    expect(await scan(client, spot)).toMatchObject({ ambiguous: true, matches: [atOne, { wID: 2 }] });
    expect(await scan(client, spot, { wid: 2 })).toMatchObject({ ambiguous: false, matches: [{ wID: 2 }] });
  });

  test('everything of that name, in the order of the kinds', async () => {
    const client = await service.client();
    const name = uniqueName('ALL');
    const other = await service.item();
    await service.item({ shortID: name });
    for (const field of ['serial', 'serial2', 'rfidTag', 'spot'])
      await receiveLot(client, other, 1, { [field]: name });
    const result = await scan(client, name);
    expect(kindsOf(result)).toEqual(['item', 'serial', 'serial2', 'rfidTag', 'spot']);
    expect(result.ambiguous).toBe(true);
  });

  test('at most 20 matches, those in stock first', async () => {
    const client = await service.client();
    const shortID = await service.item();
    const serial = uniqueName('MANY');
    const operations = Array.from({ length: 25 }, () => ({
      ...{ op: 'receive', itemID: shortID, units: 1, wid: 1, reasonCode: 0, serial },
    }));
    await client.post('/Inventory/Batch', { mode: 'atomic', operations });
    const result = await scan(client, serial);
    expect(result.matches).toHaveLength(20);
    expect(result.moreMatches).toBe(true);
  });

  test('a discontinued item, whose stock still comes and goes', async () => {
    const client = await service.client();
    const shortID = await service.item();
    const alias = uniqueName('OLD');
    await teach(client, shortID, alias);
    expect((await client.delete(`/Item/${shortID}`)).status).toBe(200);
    for (const data of [shortID, alias]) {
      const { matches } = await scan(client, data);
      expect(matches).toMatchObject([{ shortID }]);
      expect((await carryOut(client, matches[0])).body.lot).toMatchObject({ shortID });
    }
  });

  test('names that look alike are different names: composed and decomposed, in either case, with a space', async () => {
    const client = await service.client();
    const mark = uniqueName('N');
    const names = [`${mark}\u00e9`, `${mark}e\u0301`, `${mark}\u00c9`, `${mark}e`, `${mark}e `];
    const shortIDs: string[] = [];
    for (const name of names) {
      const shortID = await service.item();
      const { partNo } = (await client.get(`/Item?key=${shortID}&type=id`)).body;
      await client.put(`/Item/${partNo}/Aliases/${encodeURIComponent(name)}`, undefined);
      shortIDs.push(shortID);
    }
    for (const [index, data] of names.entries())
      expect((await scan(client, data)).matches).toMatchObject([{ alias: data, shortID: shortIDs[index] }]);
  });

  test('nothing: a code that nobody knows', async () => {
    const client = await service.client();
    for (const data of [uniqueName('NOBODY'), '999999999', 'ünknown “code”', '99999999999999999999']) {
      expect(await scan(client, data)).toMatchObject({ data, matches: [], ambiguous: false, gs1: null });
    }
  });

  test('500 codes in one call, in their order, however often one stands there', async () => {
    const client = await service.client();
    const shortID = await service.item();
    const data = Array.from({ length: 500 }, (_, index) => (index % 3 === 0 ? shortID : `none-${index % 7}`));
    const { status, body } = await client.post('/Scan', { scans: data.map((each) => ({ data: each })) });
    expect(status).toBe(200);
    expect(body.results.map((result: Result) => result.data)).toEqual(data);
    expect(body.results.map(({ matches }: Result) => matches.length)).toEqual(
      data.map((each) => (each === shortID ? 1 : 0)),
    );
  });
});

describe('200: what is told twice', () => {
  test('a code that stands twice is told once in full, and then where', async () => {
    const client = await service.client();
    const shortID = await service.item({ description: 'Something' });
    const [serial, other] = [uniqueName('TWICE'), uniqueName('OTHER')];
    for (const each of [serial, serial, other]) await receiveLot(client, shortID, 1, { serial: each });
    const scans = [
      { data: serial },
      { data: other },
      { data: serial },
      { data: other },
      { data: serial, symbology: ']C0' },
      { data: 'nobody' },
      { data: 'nobody' },
    ];
    const { body, text } = await client.post('/Scan', { scans });
    const told = body.results.map(({ matches, moreMatches, sameAs }: Result) => [
      matches.map(({ description }: Result) => description),
      moreMatches,
      sameAs ?? null,
    ]);
    expect(told, text).toEqual([
      [['Something', ''], false, null],
      [['Something'], false, null],
      [[''], true, 0],
      [[''], false, 1],
      // Read as another kind of code.
      [['Something', ''], false, null],
      [[], false, null],
      [[], false, 5],
    ]);
    expect(body.results[2]).toMatchObject({ data: serial, ambiguous: false, gs1: null, fault: null });
    expect({ ...body.results[2].matches[0], description: 'Something' }).toEqual(body.results[0].matches[0]);
  });
});

describe('GS1', () => {
  test('200: a GTIN is an alias of 14 digits, and the code fills in the receipt', async () => {
    const client = await service.client({ warehouses: [2] });
    const shortID = await service.item();
    const partNo = await teach(client, shortID, gtin);
    const result = await scan(client, `]C101${gtin}3103001250173006003025\u001d10L-77\u001d21S-1`);
    expect(result).toEqual({
      data: `]C101${gtin}3103001250173006003025\u001d10L-77\u001d21S-1`,
      ambiguous: false,
      gs1: {
        ...{ form: 'elementString', gtin, sscc: null, serial: 'L-77', serial2: 'S-1' },
        ...{ expires: '2030-06-30', units: 25, netWeight: 1.25, repeated: [] },
        elements: [
          { ai: '01', value: gtin },
          { ai: '3103', value: '001250', number: 1.25 },
          { ai: '17', value: '300600', date: '2030-06-30' },
          { ai: '30', value: '25', number: 25 },
          { ai: '10', value: 'L-77' },
          { ai: '21', value: 'S-1' },
        ],
      },
      fault: null,
      matches: [
        {
          ...{ kind: 'alias', alias: gtin, units: 1, partNo, shortID, description: '' },
          operation: {
            op: 'receive',
            body: {
              ...{ itemID: shortID, units: 25, wid: 2, serial: 'L-77', serial2: 'S-1' },
              ...{ expires: '2030-06-30', netWeight: 1.25 },
            },
            missing: ['reasonCode'],
          },
        },
      ],
      moreMatches: false,
    });
    const received = await carryOut(client, result.matches[0]);
    expect(received.body.lot, received.text).toMatchObject({
      shortID,
      units: 25,
      serial: 'L-77',
      serial2: 'S-1',
    });
  });

  test('200: the same label in every form, and the bare GTIN', async () => {
    const client = await service.client();
    const shortID = await service.item();
    await teach(client, shortID, gtin);
    const forms = [
      `01${gtin}10X`,
      `]d201${gtin}10X`,
      `\u001d01${gtin}10X`,
      `(01)${gtin}(10)X`,
      `https://id.example/01/${gtin}/10/X`,
    ];
    for (const data of forms) {
      expect(await scan(client, data)).toMatchObject({
        gs1: { gtin, serial: 'X' },
        matches: [{ kind: 'alias', shortID }],
      });
    }
    for (const data of ['4006381333931', ']E04006381333931', gtin]) {
      expect(await scan(client, data)).toMatchObject({ gs1: { form: 'gtin', gtin }, matches: [{ shortID }] });
    }
    const { body } = await client.post('/Scan', { scans: [{ data: '10L-1\u001d', symbology: ']C1' }] });
    expect(body.results[0].gs1).toMatchObject({ serial: 'L-1', gtin: null });
  });

  test('200: a batch or serial number counts for its own item only, and a lot with another one does not match', async () => {
    const client = await service.client();
    const [own, other] = [await service.item(), await service.item()];
    await teach(client, own, gtin);
    const serial = uniqueName('L');
    const plain = await receiveLot(client, own, 1, { serial });
    const first = await receiveLot(client, own, 1, { serial, serial2: 'S-1' });
    await receiveLot(client, own, 1, { serial, serial2: 'S-2' });
    await receiveLot(client, own, 1, { serial: `${serial}-2`, serial2: 'S-1' });
    await receiveLot(client, other, 1, { serial, serial2: 'S-1' });
    const result = await scan(client, `(01)${gtin}(10)${serial}(21)S-1`);
    expect(result.matches.map(({ kind, recNo }: Result) => [kind, recNo ?? null])).toEqual([
      ['alias', null],
      ['serial', first],
      ['serial', plain],
      ['serial2', first],
    ]);
    expect(result.ambiguous).toBe(false);
    // Of an item that was never taught, nothing is known.
    expect((await scan(client, `(01)09506000134352(10)${serial}`)).matches).toEqual([]);
  });

  test('200: an EAN that is the ShortID of one item and an alias of another in 14 digits names both; a receipt means the ShortID', async () => {
    const client = await service.client();
    const ean = '4012345678901';
    await service.item({ shortID: ean });
    const taught = await service.item();
    await teach(client, taught, `0${ean}`);
    for (const data of [ean, `]E0${ean}`]) {
      const result = await scan(client, data);
      expect(result.matches.map(({ kind, shortID }: Result) => [kind, shortID])).toEqual([
        ['item', ean],
        ['alias', taught],
      ]);
      expect(result.ambiguous).toBe(true);
    }
    const receipt = { itemID: ean, units: 1, wid: 1, reasonCode: 0 };
    expect((await client.post('/Inventory/Receive', receipt)).body.lot.shortID).toBe(ean);
  });

  test('200: an SSCC is a tag, a serial or an alias', async () => {
    const client = await service.client();
    const sscc = '106141412345678908';
    const recNo = await receiveLot(client, await service.item(), 1, { rfidTag: sscc });
    expect(await scan(client, `]C100${sscc}`)).toMatchObject({
      gs1: { sscc },
      matches: [{ kind: 'rfidTag', recNo }],
    });
  });

  test('200: a count is of the GTIN in the code; an SSCC that was taught stands for its own units', async () => {
    const client = await service.client();
    const { partNo } = (await client.get(`/Item?key=${await service.item()}&type=id`)).body;
    const [sscc, plain] = ['106141412345678922', '106141412345678939'];
    for (const [alias, body] of [
      [sscc, { units: 480 }],
      [plain, {}],
    ] as const)
      expect((await client.put(`/Item/${partNo}/Aliases/${alias}`, body)).status).toBe(200);
    const unitsOf = async (data: string) => (await scan(client, data)).matches[0].operation.body.units;
    expect(await unitsOf(`(00)${sscc}(02)10614141000415(37)480`)).toBe(480);
    // One that says nothing of units leaves the count.
    expect(await unitsOf(`(00)${plain}(02)10614141000415(37)480`)).toBe(480);
    await client.put(`/Item/${partNo}/Aliases/10614141000415`, { units: 12 });
    const { matches } = await scan(client, `(00)${sscc}(02)10614141000415(37)4`);
    const found = matches.map(({ alias, operation }: Result) => [alias, operation.body.units]);
    expect(Object.fromEntries(found)).toEqual({ '10614141000415': 48, [sscc]: 480 });
  });

  test('200: a broken or contradicting code is named and not taken, and its text is looked up', async () => {
    const client = await service.client();
    await teach(client, await service.item(), gtin);
    const bad = '(01)04006381333932';
    await service.item({ shortID: bad });
    expect(await scan(client, bad)).toMatchObject({
      gs1: null,
      fault: { ai: '01', message: 'Its check digit is wrong.' },
      matches: [{ kind: 'item', shortID: bad }],
    });
    expect(await scan(client, `]d201${gtin}10A\u001d10B`)).toMatchObject({
      ...{ gs1: null, matches: [] },
      fault: { ai: '10', message: 'It stands there more than once, with different values.' },
    });
    expect(await scan(client, `(01)${gtin}(01)${gtin}`)).toMatchObject({
      gs1: { repeated: ['01'] },
      fault: null,
    });
    expect(await scan(client, '10D9T')).toMatchObject({ gs1: null, fault: null });
  });
});

describe('scope', () => {
  test('200: nothing outside the scope, and the same answer whether it exists there or not', async () => {
    const everywhere = await service.client({ warehouses: [1, 2, 3] });
    const client = await service.client();
    const itemID = await service.item();
    const marks = {
      serial: uniqueName('OUT'),
      serial2: uniqueName('OUT'),
      rfidTag: uniqueName('OUT'),
      spot: uniqueName('OUT'),
    };
    const recNo = await receiveLot(everywhere, itemID, 1, { ...marks, wid: 3 });
    for (const data of [...Object.values(marks), String(recNo)]) {
      expect((await scan(everywhere, data)).matches).toHaveLength(1);
      const [there, nowhere] = [await scan(client, data), await scan(client, `${data}7`)];
      expect({ ...there, data: '' }).toEqual({ ...nowhere, data: '' });
      expect(there.matches).toEqual([]);
    }
    const { status, body } = await client.post('/Scan', { scans: [{ data: 'x' }], wid: 3 });
    expect({ status, body }).toEqual({ status: 403, body: forbidden.scope });
  });

  test('200: a client without warehouses finds items only', async () => {
    const client = await service.client({ warehouses: [] });
    const shortID = await service.item();
    expect(kindsOf(await scan(client, shortID))).toEqual(['item']);
    expect(kindsOf(await scan(client, 'A-1'))).toEqual([]);
  });
});

describe('400', () => {
  test('every invalid field is named, with its place in the list', async () => {
    const client = await service.client();
    const scans = [
      { data: 'good' },
      {},
      { data: '' },
      { data: 'x'.repeat(1001) },
      { data: 'a\u0000' },
      { data: 5, symbology: 'EAN-13' },
      'text',
      null,
      { data: 'x', symbology: null },
    ];
    const { status, body } = await client.post('/Scan', { scans, wid: 0 });
    expect(status).toBe(400);
    expect(Object.keys(body.details)).toEqual([
      ...['wid', 'scans[1].data', 'scans[2].data', 'scans[3].data', 'scans[4].data', 'scans[5].data'],
      ...['scans[5].symbology', 'scans[6]', 'scans[7]'],
    ]);
  });

  test.each([
    [undefined, 'scans is required.'],
    [null, 'scans is required.'],
    ['x', 'scans must be a list.'],
    [[], 'scans must hold 1 to 500 codes.'],
    [Array.from({ length: 501 }, () => ({ data: 'x' })), 'scans must hold 1 to 500 codes.'],
  ])('a list that is none: %j', async (scans, message) => {
    const client = await service.client();
    expect((await client.post('/Scan', { scans })).body).toEqual(validationError({ scans: [message] }));
  });

  test('413: 500 codes of the longest kind; as many as fit are answered', async () => {
    const client = await service.client();
    const data = `(10)${'\\('.repeat(498)}`;
    expect(data).toHaveLength(1000);
    const post = (count: number) =>
      client.post('/Scan', { scans: Array.from({ length: count }, () => ({ data, symbology: ']C1' })) });
    expect((await post(500)).status).toBe(413);
    expect((await post(40)).body.results).toHaveLength(40);
  });

  test('with handling=strict, unknown names are named, also those of a scan', async () => {
    const client = await service.client();
    const body = { scans: [{ data: 'x', Symbology: ']C1' }], Wid: 1 };
    expect((await client.post('/Scan', body)).status).toBe(200);
    const answer = await client.post('/Scan', body, { Prefer: 'handling=strict' });
    expect(answer.body).toEqual(
      validationError({ Wid: ['Wid is unknown.'], 'scans[0].Symbology': ['scans[0].Symbology is unknown.'] }),
    );
  });
});
