import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { expectAnswer, invalid } from '../harness/contract/answers.ts';
import { useStock } from '../harness/contract/item-stock.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { uniqueName } from '../harness/service/service.ts';

const { test } = useStock();

/** The ShortIDs of all items found, in the list's order, over pages of three. */
async function found(client: ApiClient, search: string, path = '/Item', more = ''): Promise<string[]> {
  const names: string[] = [];
  for (let page = 1; ; page++) {
    const query = `search=${encodeURIComponent(search)}&pageSize=3&page=${page}${more}`;
    const { status, body, text } = await client.get(`${path}?${query}`);
    expect(status, text).toBe(200);
    names.push(...body.value.map(({ shortID }: { shortID: string }) => shortID));
    if (body.hasMore) continue;
    expect(body.totalCount).toBe(names.length);
    return names;
  }
}

/** An item that is found by nothing else. */
async function add(client: ApiClient, shortID: string, description = '', aliases: readonly string[] = []) {
  const { status, body, text } = await client.post('/Item', { shortID, description });
  expect(status, text).toBe(201);
  for (const alias of aliases) {
    const path = `/Item/${body.partNo}/Aliases/${encodeURIComponent(alias)}`;
    expect((await client.put(path, undefined)).status).toBe(200);
  }
  return shortID;
}

test('200: items whose ShortID, description or alias contains the text, each once, in the order of the list', async ({
  client,
}) => {
  const mark = uniqueName('mark').toLowerCase();
  const [b, c, a] = [
    await add(client, `b-${uniqueName('I')}`, `The ${mark} of it`),
    await add(client, `c-${uniqueName('I')}`, '', [`${mark}1`, `x${mark}2`]),
    await add(client, `a-${mark}-7`, mark, [`alias ${mark}`]),
  ];
  await add(client, uniqueName('other'), 'nothing of the kind');
  for (const search of [mark, mark.toUpperCase(), mark.slice(1)])
    expect(await found(client, search)).toEqual([a, b, c]);
  expect(await found(client, `${mark}-7`)).toEqual([a]);
  expect(await found(client, `${mark}1`)).toEqual([c]);
  // Not across fields, and not text by text.
  expect(await found(client, `${mark} ${mark}`)).toEqual([]);
  expect(await found(client, mark, '/Item', '&sort=shortID&direction=desc')).toEqual([c, b, a]);
  await client.delete(`/Item/${b}`);
  expect(await found(client, mark)).toEqual([a, c]);
  expect(await found(client, mark, '/Item/All')).toEqual([a, b, c]);
});

describe('200: in every language, whatever the case', () => {
  test.for<[name: string, description: string, searches: string[], not: string[]]>([
    ['German', 'Weiße Großmuffe', ['weiße', 'WEISSE', 'ẞE GROSS', 'großmuffe', 'ßm'], ['weise']],
    ['composed', 'Caf\u00e9 cr\u00e8me', ['cafe\u0301', 'CAF\u00c9 CRE\u0300ME'], ['cafe c']],
    ['decomposed', 'Cafe\u0301 creme', ['caf\u00e9', 'CAFE\u0301'], ['cafe c']],
    ['Greek', 'Σωλήνας ΟΔΟΣ', ['σωλήνασ', 'οδος', 'ΣΩΛΉΝΑΣ', 'οδοσ'], ['σωληνας']],
    ['Cyrillic', 'Труба стальная', ['ТРУБА', 'сталь', 'ба с'], ['трубы']],
    ['Chinese', '不锈钢螺栓', ['螺栓', '钢', '不锈钢螺栓'], ['栓螺']],
    ['Japanese', 'ステンレスボルト', ['ボルト', 'ス', 'レスボ'], ['ホルト']],
    ['Arabic', 'أنبوب فولاذ', ['فولاذ', 'بوب'], ['حديد']],
    ['emoji', 'Fragile 🍷🍷 glass', ['🍷', '🍷🍷', '🍷 G'], ['🍺']],
  ])('%s', async ([name, description, searches, not], { client }) => {
    const shortID = await add(client, uniqueName(name), description, [`${uniqueName('of')} ${description}`]);
    for (const search of searches) expect(await found(client, search), search).toContain(shortID);
    for (const search of not) expect(await found(client, search), search).not.toContain(shortID);
  });
});

test('200: no character has a special meaning', async ({ client }) => {
  const mark = uniqueName('M');
  const texts = [
    '100%',
    '100x',
    'a_b',
    'axb',
    'a\\b',
    'a\\\\b',
    "it's",
    'tab\tline\nend',
    '(x)',
    '[x]',
    '^x$',
    'x y',
  ];
  for (const [index, text] of texts.entries()) await add(client, `${mark}-${index}`, `${mark}${text}${mark}`);
  for (const [index, text] of texts.entries())
    expect(await found(client, `${mark}${text}${mark}`), text).toEqual([`${mark}-${index}`]);
  expect(await found(client, `${mark}100%`)).toEqual([`${mark}-0`]);
  expect(await found(client, `${mark}a_`)).toEqual([`${mark}-2`]);
  for (const special of ['%', '_', '%%%', '\\']) {
    const descriptions = (await client.get(`/Item?search=${encodeURIComponent(special)}&pageSize=250`)).body
      .value;
    for (const { shortID, description } of descriptions) expect(shortID + description).toContain(special);
  }
});

test('200: texts of one to three characters, with exact totals', async ({ client }) => {
  const names: string[] = [];
  for (const text of ['q', 'Q', 'qx', 'xQX', 'xx']) names.push(await add(client, uniqueName('1'), text));
  const among = async (search: string) =>
    (await found(client, search)).filter((name) => names.includes(name)).map((name) => names.indexOf(name));
  expect(await among('q')).toEqual([0, 1, 2, 3]);
  expect(await among('QX')).toEqual([2, 3]);
  expect(await among('xqx')).toEqual([3]);
  expect(await among('qq')).toEqual([]);
});

test('200: an empty text is in every item; 400: a text longer than any', async ({ client }) => {
  await add(client, uniqueName('I'));
  expect((await client.get('/Item?search=')).text).toBe((await client.get('/Item')).text);
  const said = { search: 'must be at most 500 characters long.' };
  expectAnswer(await client.get(`/Item?search=${'x'.repeat(501)}`), 400, invalid(said));
  expectAnswer(await client.get(`/Item/All?search=${'ä'.repeat(501)}`), 400, invalid(said));
  expect(await found(client, 'ä'.repeat(500))).toEqual([]);
});

test('200: of the changes alone, and in any order', async ({ client }) => {
  const mark = uniqueName('mark');
  const names: string[] = [];
  for (const text of ['c', 'a', 'b'])
    names.push(await add(client, `${text}-${uniqueName('I')}`, `${mark} ${text}`));
  const [c, a, b] = names as [string, string, string];
  const { modified } = (await client.get(`/Item?key=${a}&type=id`)).body;
  expect(await found(client, mark, '/Item', '&sort=description&direction=desc')).toEqual([c, b, a]);
  expect(await found(client, mark, '/Item', `&modifiedSince=${modified}`)).toEqual([a, b]);
  expect(await found(client, mark, '/Item/All', `&sort=partNo&modifiedSince=${modified}`)).toEqual([a, b]);
});

test('200: an item is found by its new description and its new alias at once, and no longer by the old ones', async ({
  client,
}) => {
  const [before, after, alias] = [uniqueName('before'), uniqueName('after'), uniqueName('alias')];
  const shortID = await add(client, uniqueName('I'), before, [alias]);
  expect([await found(client, before), await found(client, alias)]).toEqual([[shortID], [shortID]]);
  await client.put('/Item', { shortID, description: after });
  const { partNo } = (await client.get(`/Item?key=${shortID}&type=id`)).body;
  await client.delete(`/Item/${partNo}/Aliases/${alias}`);
  expect([await found(client, before), await found(client, alias)]).toEqual([[], []]);
  expect(await found(client, after)).toEqual([shortID]);
});

test('200: any catalog and any text, as a program would compare them', async ({ client }) => {
  const fold = (text: string) => text.normalize('NFC').toLowerCase().toUpperCase().normalize('NFC');
  const letter = fc.constantFrom(...'aAbBßẞsSéE\u0301äÄσςΣж日本 %_\\-.0');
  const text = fc.string({ unit: letter, minLength: 1, maxLength: 8 });
  const item = fc.record({ description: text, alias: fc.option(text) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(item, { minLength: 1, maxLength: 6 }),
      fc.array(text, { minLength: 8, maxLength: 8 }),
      async (items, texts) => {
        const mark = uniqueName('P');
        const made = [];
        for (const [index, { description, alias }] of items.entries()) {
          const aliases = alias === null ? [] : [`${alias}${uniqueName('=')}`];
          made.push({
            shortID: await add(client, `${mark}${index}`, description, aliases),
            fields: [description, ...aliases],
          });
        }
        for (const search of texts) {
          const expected = made.filter(({ shortID, fields }) =>
            [shortID, ...fields].some((field) => fold(field).includes(fold(search))),
          );
          const names = (await found(client, search, '/Item', '&sort=partNo')).filter((name) =>
            name.startsWith(mark),
          );
          expect(names, search).toEqual(expected.map(({ shortID }) => shortID));
        }
      },
    ),
    { numRuns: 8 },
  );
});
