import { expect } from 'vitest';
import { expectAnswer, invalid, plainItem } from '../harness/contract/answers.ts';
import { useStock } from '../harness/contract/item-stock.ts';

const { service, test } = useStock();

test('200: the active items by ShortID; /Item/All includes discontinued ones', async ({ client }) => {
  const { modified } = (await client.post('/Item', { shortID: 'b' })).body;
  for (const shortID of ['a', 'B', '1', 'ä', '_']) await client.post('/Item', { shortID });
  await client.delete('/Item/a');
  const page = (...names: string[]) => ({
    value: names.map((shortID) => {
      return { ...plainItem, shortID, createdBy: client.clientId, discontinued: shortID === 'a' };
    }),
    ...{ totalCount: names.length, page: 1, pageSize: 25, pageCount: 1, hasMore: false },
  });
  expectAnswer(await client.get(`/Item?modifiedSince=${modified}`), 200, page('1', 'B', '_', 'b', 'ä'));
  expectAnswer(
    await client.get(`/Item/All?modifiedSince=${modified}`),
    200,
    page('1', 'B', '_', 'a', 'b', 'ä'),
  );
});

test('200: /Item/All wins over an item of that name', async ({ client }) => {
  await client.post('/Item', { shortID: 'All', description: 'an item' });
  expect((await client.get('/Item/All')).body).toHaveProperty('value');
  expect((await client.get('/Item?key=All&type=id')).body).toMatchObject({ description: 'an item' });
});

test('200: the same catalog for every client, whatever its warehouses', async () => {
  const [wide, none] = [[1, 2, 3], []].map(async (warehouses) => {
    return (await (await service.client({ warehouses })).get('/Item/All?pageSize=250')).text;
  });
  expect(await none).toBe(await wide);
});

test('200: view=full changes nothing, because items always show everything; 400: another view', async () => {
  const client = await service.client();
  for (const path of ['/Item', '/Item/All']) {
    const plain = await client.get(`${path}?pageSize=250`);
    expect((await client.get(`${path}?pageSize=250&view=full`)).text).toBe(plain.text);
    expectAnswer(await client.get(`${path}?view=some`), 400, invalid({ view: 'must be full.' }));
  }
});
