import { expect, test } from 'vitest';
import { dateTime, expectAnswer } from '../harness/contract/answers.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const service = useService();

test('200: the active items by ShortID; /Item/All includes discontinued ones', async () => {
  const client = await service.client();
  const item = (shortID: string, discontinued: boolean) => ({
    partNo: expect.any(Number),
    shortID,
    description: '',
    category: 0,
    subCategory: 0,
    uOM: 'EA',
    putUp: '',
    units: 1,
    dfltOwner: 0,
    created: dateTime,
    createdBy: client.clientId,
    modified: dateTime,
    discontinued,
  });
  for (const shortID of ['b', 'a', 'B', '1', 'ä', '_']) await client.post('/Item', { shortID });
  await client.delete('/Item/a');
  const envelope = { page: 1, pageSize: 25, pageCount: 1, hasMore: false };
  expectAnswer(await client.get('/Item'), 200, {
    value: ['1', 'B', '_', 'b', 'ä'].map((shortID) => item(shortID, false)),
    totalCount: 5,
    ...envelope,
  });
  expectAnswer(await client.get('/Item/All'), 200, {
    value: ['1', 'B', '_', 'a', 'b', 'ä'].map((shortID) => item(shortID, shortID === 'a')),
    totalCount: 6,
    ...envelope,
  });
});

test('/Item/All wins over an item of that name', async () => {
  const client = await service.client();
  await client.post('/Item', { shortID: 'All', description: 'an item' });
  expect((await client.get('/Item/All')).body).toHaveProperty('value');
  expect((await client.get('/Item?key=All&type=id')).body).toMatchObject({ description: 'an item' });
});

test('modifiedSince: an item counts as modified whenever any column changes', async () => {
  const client = await service.client();
  const shortID = uniqueName('SYNC');
  const { partNo } = (await client.post('/Item', { shortID })).body;
  const changes: [string, () => Promise<unknown>][] = [
    ['update', () => client.put('/Item', { shortID, putUp: 'BOX' })],
    ['discontinue', () => client.delete(`/Item/${shortID}`)],
    ['reactivate', () => client.put('/Item', { shortID, active: true })],
  ];
  for (const [what, change] of changes) {
    const since = new Date(Date.parse((await client.get(`/Item/${partNo}`)).body.modified) + 1).toISOString();
    const names = async () => {
      const { body } = await client.get(`/Item/All?modifiedSince=${since}`);
      return body.value.map((item: { shortID: string }) => item.shortID);
    };
    expect(await names(), what).toEqual([]);
    await expect.poll(async () => Date.now() > Date.parse(since)).toBe(true);
    await change();
    expect(await names(), what).toEqual([shortID]);
  }
});

test('the catalog is the same for every client, whatever its warehouses', async () => {
  const wide = await service.client({ warehouses: [1, 2, 3] });
  const none = await service.client({ warehouses: [] });
  expect((await none.get('/Item/All?pageSize=250')).text).toBe(
    (await wide.get('/Item/All?pageSize=250')).text,
  );
});

test('type without key, or key in another case, is no look-up', async () => {
  const client = await service.client();
  const plain = await client.get('/Item');
  expect((await client.get('/Item?type=id')).text).toBe(plain.text);
  expect((await client.get('/Item?Key=B')).text).toBe(plain.text);
});
