import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { useService } from '../harness/service/service.ts';

const service = useService();

/** The raw answer, not decoded. */
async function getRaw(path: string, accept?: string, method: 'GET' | 'HEAD' = 'GET') {
  const { token } = await service.client();
  const headers = {
    authorization: `Bearer ${token}`,
    ...(accept !== undefined && { 'accept-encoding': accept }),
  };
  const answer = await request(service.baseUrl + path, { method, headers });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  return { status: answer.statusCode, headers: answer.headers, bytes };
}

test('200: a large page is compressed for a caller that accepts gzip, with the same content', async () => {
  await service.sql`
    insert into item (short_id, description, created_by)
    select 'BIG-' || n, repeat('é', 100), 'tests' from generate_series(1, 250) as n`;
  const page = '/Item?pageSize=250';
  const plain = await getRaw(page);
  expect(JSON.parse(plain.bytes.toString()).value).toHaveLength(250);
  const small = await getRaw(page, 'gzip');
  expect(small.headers).toMatchObject({
    'content-encoding': 'gzip',
    'content-type': plain.headers['content-type'],
    'content-length': String(small.bytes.length),
  });
  expect(gunzipSync(small.bytes).equals(plain.bytes)).toBe(true);
  for (const { headers } of [plain, small]) expect(headers.vary).toBe('Accept-Encoding');
  for (const refusing of [undefined, 'identity', 'br', 'gzip;q=0', '']) {
    const answer = await getRaw(page, refusing);
    expect(answer.headers['content-encoding'], refusing).toBeUndefined();
    expect(answer.bytes.equals(plain.bytes), refusing).toBe(true);
  }
  const head = await getRaw(page, 'gzip', 'HEAD');
  expect([head.status, head.bytes.length]).toEqual([200, 0]);
});

test('200: a small page is not compressed', async () => {
  const { headers } = await getRaw('/Item?pageSize=1', 'gzip');
  expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined]);
});
