import { expect } from 'vitest';
import { dateTime, errorObject, expectAnswer } from '../harness/contract/answers.ts';
import { useStock } from '../harness/contract/item-stock.ts';
import { uniqueName } from '../harness/service/service.ts';

const { test } = useStock();

const noItem = errorObject(404, 'not_found', 'There is no such item.');

test('200: the item leaves the active list, not /Item/All; its lots remain', async ({ stock }) => {
  const { client, itemID: shortID } = stock;
  await stock.addLot(3);
  const item = async () => (await client.get(`/Item?key=${shortID}&type=id`)).body;
  const [before, lots] = [await item(), await stock.lots()];
  expectAnswer(await client.delete(`/Item/${shortID}`), 200, { shortID, status: 'discontinued' });
  expect(await item()).toEqual({ ...before, discontinued: true, modified: dateTime });
  const names = async (path: string) =>
    (await client.get(`${path}?pageSize=250`)).body.value.map((item: { shortID: string }) => item.shortID);
  expect(await names('/Item')).not.toContain(shortID);
  expect(await names('/Item/All')).toContain(shortID);
  expect(await stock.lots()).toEqual(lots);
  await stock.done('Issue', { units: 3 });
});

test('200 again, with the same body; modified stays', async ({ client, itemID: shortID }) => {
  const item = async () => (await client.get(`/Item?key=${shortID}&type=id`)).body;
  const first = await client.delete(`/Item/${shortID}`);
  const before = await item();
  expectAnswer(await client.delete(`/Item/${shortID}`), 200, first.body);
  expect(await item()).toEqual(before);
});

test.for(['A/B', 'A B', '100%', '%zz', '%41', 'ä€', 'a?b#c', 'a+b', 'All', 'a;b', '\u{1f4e6}'])(
  '200: the ShortID "%s", percent-encoded',
  async (shortID, { client }) => {
    await client.post('/Item', { shortID });
    const answer = await client.delete(`/Item/${encodeURIComponent(shortID)}`);
    expectAnswer(answer, 200, { shortID, status: 'discontinued' });
  },
);

test('404: no item with that ShortID; the number of an item is none', async ({ client, itemID }) => {
  const { partNo } = (await client.get(`/Item?key=${itemID}&type=id`)).body;
  for (const name of [uniqueName('NO'), itemID.toLowerCase(), `${itemID}%20`, 'x'.repeat(500), partNo])
    expectAnswer(await client.delete(`/Item/${name}`), 404, noItem);
});

test.for(['A%00', '%00', '%zz', '%', '%C3', '%ED%A0%80', '%2E%2E%2F'])(
  '404: the path /Item/%s, which no item can have',
  async (name, { client }) => {
    const answer = await client.delete(`/Item/${name}`);
    expect([answer.status, answer.body.error]).toEqual([404, 'not_found']);
  },
);
