import { gtinSpellingsOf } from '@inventory/domain/scan/check-digits';
import { describe, expect, test } from 'vitest';
import { withCheckDigit } from '../harness/codes/gs1-codes.ts';
import { conflictObject, untilTaken } from '../harness/contract/answers.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const service = useService();

let drawn = 0;
/** A GTIN of so many digits, in none of the shorter forms, that nothing has yet. */
function newGtin(length: number): string {
  drawn += 1;
  return withCheckDigit(`7${String(drawn).padStart(length - 2, '0')}`);
}

async function newItem(client: ApiClient) {
  const shortID = await service.item();
  return { shortID, partNo: (await client.get(`/Item?key=${shortID}&type=id`)).body.partNo as number };
}

const pathOf = (partNo: number, alias: string) => `/Item/${partNo}/Aliases/${alias}`;
const teach = (client: ApiClient, partNo: number, alias: string) =>
  untilTaken(() => client.put(pathOf(partNo, alias), undefined));
const post = (client: ApiClient, path: string, body: object) => untilTaken(() => client.post(path, body));

/** Every way to name an item by a code. Each says which item it was. */
const ways: Record<string, (client: ApiClient, name: string) => Promise<string | undefined>> = {
  Receive: async (client, itemID) =>
    (await post(client, '/Inventory/Receive', { itemID, units: 3, wid: 1, reasonCode: 0, spot: 'A' })).body
      .lot?.shortID,
  Move: async (client, itemID) =>
    (await post(client, '/Inventory/Move', { itemID, units: 1, wid: 1, reasonCode: 0, toSpot: 'B' })).body
      .shortID,
  Issue: async (client, itemID) =>
    (await post(client, '/Inventory/Issue', { itemID, units: 1, wid: 1, reasonCode: 0 })).body.shortID,
  Count: async (client, itemID) =>
    (await post(client, '/Inventory/Count', { itemID, counted: 9, wid: 1, reasonCode: 0, spot: 'A' })).body
      .shortID,
  'a dry run': async (client, itemID) =>
    (await post(client, '/Inventory/Issue', { itemID, units: 1, wid: 1, reasonCode: 0, dryRun: true })).body
      .shortID,
  'a batch': async (client, itemID) => {
    const operations = [{ op: 'issue', itemID, units: 1, wid: 1, reasonCode: 0 }];
    return (await post(client, '/Inventory/Batch', { mode: 'atomic', operations })).body.results?.[0].body
      ?.shortID;
  },
  'GET /Item?type=alias': async (client, name) =>
    (await client.get(`/Item?key=${name}&type=alias`)).body.shortID,
  Scan: (client, data) => scanned(client, data),
  'Scan of a label': (client, name) => scanned(client, `]C101${name.padStart(14, '0')}10L-1`),
};

async function scanned(client: ApiClient, data: string): Promise<string | undefined> {
  const { matches, ambiguous } = (await client.post('/Scan', { scans: [{ data }] })).body.results[0];
  const items = matches.filter(({ kind }: { kind: string }) => kind === 'alias');
  return ambiguous || items.length !== 1 ? undefined : items[0].shortID;
}

describe('a GTIN is one alias in all its spellings', () => {
  for (const length of [8, 12, 13, 14]) {
    for (const [at, digits] of gtinSpellingsOf(newGtin(length))
      .map((each) => each.length)
      .entries()) {
      test(`taught in ${digits} of the digits of a GTIN-${length}, it is found by each of them, kept once and removed by any`, async () => {
        const client = await service.client();
        const { shortID, partNo } = await newItem(client);
        const other = await newItem(client);
        const spellings = gtinSpellingsOf(newGtin(length));
        const taught = spellings[at]!;
        expect((await teach(client, partNo, taught)).body).toEqual({
          alias: taught,
          partNo,
          status: 'added',
          units: 1,
        });
        for (const spelling of spellings) {
          for (const [way, ask] of Object.entries(ways))
            expect(await ask(client, spelling), `${way} ${spelling}`).toBe(shortID);
          expect((await teach(client, partNo, spelling)).body.status).toBe('unchanged');
          expect((await teach(client, other.partNo, spelling)).body).toEqual(
            conflictObject('nameTaken', { partNo }, `Item ${partNo} has this name already.`),
          );
          expect((await client.delete(pathOf(other.partNo, spelling))).status).toBe(404);
          const asItem = await client.post('/Item', { shortID: spelling });
          expect([asItem.status, asItem.body.details?.shortID]).toEqual([
            400,
            ['shortID is taken: it is an alias of another item.'],
          ]);
        }
        // A search stays a search for a text.
        expect((await client.get(`/Item?search=${taught}`)).body.value).toMatchObject([{ partNo }]);
        expect((await client.get(`/Item/${partNo}/Aliases`)).body.value).toEqual([
          { alias: taught, units: 1 },
        ]);
        const removed = spellings.at(-1 - at)!;
        expect((await client.delete(pathOf(partNo, removed))).body).toEqual({
          ...{ alias: removed, partNo, status: 'removed' },
        });
        for (const spelling of spellings)
          for (const [way, ask] of Object.entries(ways))
            expect(await ask(client, spelling), `${way} ${spelling}`).toBeUndefined();
        expect((await teach(client, other.partNo, taught)).body.status).toBe('added');
      });
    }
  }

  test('a text of digits that is no GTIN is itself alone', async () => {
    const client = await service.client();
    const [one, other] = [await newItem(client), await newItem(client)];
    const gtin = newGtin(13);
    const wrong = gtin.slice(0, -1) + String((Number(gtin.at(-1)) + 1) % 10);
    expect((await teach(client, one.partNo, wrong)).status).toBe(200);
    expect((await teach(client, other.partNo, `0${wrong}`)).status).toBe(200);
    expect((await teach(client, other.partNo, gtin)).status).toBe(200);
    expect((await client.get(`/Item?key=${wrong}&type=alias`)).body.shortID).toBe(one.shortID);
    expect((await client.get(`/Item?key=00${wrong}&type=alias`)).status).toBe(404);
  });

  test('of two spellings that are taught to two items at once, one is refused', async () => {
    const client = await service.client();
    const items = [await newItem(client), await newItem(client)];
    for (let round = 0; round < 20; round++) {
      const gtin = newGtin(12);
      const spellings = gtinSpellingsOf(gtin);
      const taught = await Promise.all(
        items.map(({ partNo }, index) => teach(client, partNo, spellings[(round + index) % 3]!)),
      );
      expect(taught.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
  });

  test('of an item whose ShortID is a GTIN, and an alias of another item that is its other spelling, at once, one is refused', async () => {
    const client = await service.client();
    const { partNo } = await newItem(client);
    for (let round = 0; round < 20; round++) {
      const gtin = newGtin(13);
      const [alias, item] = await Promise.all([
        teach(client, partNo, `0${gtin}`),
        client.post('/Item', { shortID: gtin }),
      ]);
      expect([
        [200, 400],
        [409, 201],
      ]).toContainEqual([alias.status, item.status]);
    }
  });

  test('an item may have its own ShortID in another spelling', async () => {
    const client = await service.client();
    const gtin = newGtin(13);
    const { partNo } = (await client.post('/Item', { shortID: gtin })).body;
    expect((await teach(client, partNo, `0${gtin}`)).body.status).toBe('added');
    expect((await client.post('/Item', { shortID: gtin })).body.details.shortID).toEqual([
      'shortID is taken: an item with this ShortID already exists.',
    ]);
    expect(await scanned(client, `]C101${gtin.padStart(14, '0')}`)).toBe(gtin);
  });
});

describe('409: an item has at most 100 aliases', () => {
  const tooMany = conflictObject(
    'tooManyAliases',
    { aliasesMax: 100 },
    'The item has 100 aliases or more, and gets no further ones. Remove some first.',
  );

  test('the 101st, however many are taught at once; one that is removed makes room', async () => {
    const client = await service.client({ rateLimit: 10_000 });
    const { partNo } = await newItem(client);
    const names = Array.from({ length: 120 }, () => uniqueName('N'));
    const taught = await Promise.all(names.map((name) => teach(client, partNo, name)));
    expect(taught.filter(({ status }) => status === 200)).toHaveLength(100);
    for (const { body } of taught.filter(({ status }) => status !== 200)) expect(body).toEqual(tooMany);
    expect((await client.get(`/Item/${partNo}/Aliases`)).body.totalCount).toBe(100);
    const there = names[taught.findIndex(({ status }) => status === 200)]!;
    expect((await teach(client, partNo, there)).body.status).toBe('unchanged');
    expect((await client.delete(pathOf(partNo, there))).status).toBe(200);
    expect((await teach(client, partNo, uniqueName('N'))).status).toBe(200);
    expect((await teach(client, partNo, uniqueName('N'))).body).toEqual(tooMany);
  });

  test('an item that has more keeps them and gets no further ones', async () => {
    const client = await service.client();
    const { partNo } = await newItem(client);
    const mark = uniqueName('OLD');
    await service.sql`
      insert into item_alias (alias, part_no) select ${mark} || '-' || n, ${partNo} from generate_series(1, 130) as n`;
    expect((await teach(client, partNo, uniqueName('N'))).body).toEqual(tooMany);
    expect((await client.get(`/Item/${partNo}/Aliases`)).body.totalCount).toBe(130);
    expect((await client.get(`/Item?key=${mark}-130&type=alias`)).body.partNo).toBe(partNo);
  });
});
