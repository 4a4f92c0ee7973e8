import { expect, test } from 'vitest';
import { dateTime, errorObject, expectAnswer } from '../harness/contract/answers.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const service = useService();

const noItem = errorObject(404, 'not_found', 'There is no such item.');

test('200: the item is discontinued: gone from the active list, still in /Item/All, its lots remain', async () => {
  const client = await service.client();
  const shortID = await service.item();
  await client.post('/Inventory/Receive', { itemID: shortID, units: 3, wid: 1, reasonCode: 0 });
  const before = (await client.get(`/Item?key=${shortID}&type=id`)).body;
  const lots = await client.get(`/Inventory?itemID=${shortID}`);
  expectAnswer(await client.delete(`/Item/${shortID}`), 200, { shortID, status: 'discontinued' });
  expectAnswer(await client.get(`/Item?key=${shortID}&type=id`), 200, {
    ...before,
    discontinued: true,
    modified: dateTime,
  });
  const names = async (path: string) =>
    (await client.get(`${path}?pageSize=250`)).body.value.map((item: { shortID: string }) => item.shortID);
  expect(await names('/Item')).not.toContain(shortID);
  expect(await names('/Item/All')).toContain(shortID);
  expect((await client.get(`/Inventory?itemID=${shortID}`)).text).toBe(lots.text);
  const issue = await client.post('/Inventory/Issue', { itemID: shortID, units: 3, wid: 1, reasonCode: 0 });
  expect(issue.status).toBe(200);
});

test('200 again, with the same body; modified stays', async () => {
  const client = await service.client();
  const shortID = await service.item();
  const first = await client.delete(`/Item/${shortID}`);
  const { modified } = (await client.get(`/Item?key=${shortID}&type=id`)).body;
  const second = await client.delete(`/Item/${shortID}`);
  expectAnswer(second, 200, first.body);
  expect((await client.get(`/Item?key=${shortID}&type=id`)).body.modified).toBe(modified);
});

test.each(['A/B', 'A B', '100%', '%zz', '%41', 'ä€', 'a?b#c', 'a+b', 'All', '..', 'a;b', '\u{1f4e6}'])(
  '200: the ShortID "%s", percent-encoded',
  async (shortID) => {
    const client = await service.client();
    await client.post('/Item', { shortID });
    // The sender would remove a segment that is only dots from the path.
    const path = shortID === '..' ? '%2E%2E%2F' : encodeURIComponent(shortID);
    const answer = await client.delete(`/Item/${path}`);
    if (shortID === '..') expect(answer.status).toBe(404);
    else expectAnswer(answer, 200, { shortID, status: 'discontinued' });
  },
);

test('404: no item with that ShortID', async () => {
  const client = await service.client();
  const shortID = await service.item();
  for (const name of [uniqueName('NO'), shortID.toLowerCase(), `${shortID}%20`, 'x'.repeat(500)]) {
    expectAnswer(await client.delete(`/Item/${name}`), 404, noItem);
  }
});

test.each(['A%00', '%00', '%zz', '%', '%C3', '%ED%A0%80'])(
  '404: the path /Item/%s, which no item can have',
  async (name) => {
    const client = await service.client();
    const answer = await client.delete(`/Item/${name}`);
    expect(answer.status).toBe(404);
    expect(answer.body.error).toBe('not_found');
  },
);

test('404: the number of an item is not its ShortID', async () => {
  const client = await service.client();
  const shortID = await service.item();
  const { partNo } = (await client.get(`/Item?key=${shortID}&type=id`)).body;
  expectAnswer(await client.delete(`/Item/${partNo}`), 404, noItem);
});
