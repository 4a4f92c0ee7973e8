import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { useService } from '../harness/service/service.ts';

const service = useService();

/** The raw answer, not decoded. */
async function getRaw(path: string, acceptEncoding: string | undefined, method: 'GET' | 'HEAD' = 'GET') {
  const { token } = await service.client();
  const headers = { authorization: `Bearer ${token}` };
  const answer = await request(service.baseUrl + path, {
    method,
    headers: acceptEncoding === undefined ? headers : { ...headers, 'accept-encoding': acceptEncoding },
  });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  return { status: answer.statusCode, headers: answer.headers, bytes };
}

test('200: a large page is compressed for a caller that accepts gzip, with the same content', async () => {
  await service.sql`
    insert into item (short_id, description, created_by)
    select 'BIG-' || n, repeat('é', 100), 'tests' from generate_series(1, 250) as n`;
  const plain = await getRaw('/Item?pageSize=250', undefined);
  expect(plain.status).toBe(200);
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(JSON.parse(plain.bytes.toString()).value).toHaveLength(250);

  const small = await getRaw('/Item?pageSize=250', 'gzip');
  expect(small.headers['content-encoding']).toBe('gzip');
  expect(small.headers['content-type']).toBe(plain.headers['content-type']);
  expect(small.headers['content-length']).toBe(String(small.bytes.length));
  expect(gunzipSync(small.bytes).equals(plain.bytes)).toBe(true);
  for (const { headers } of [plain, small]) expect(headers.vary).toBe('Accept-Encoding');

  for (const refusing of ['identity', 'br', 'gzip;q=0', '']) {
    const answer = await getRaw('/Item?pageSize=250', refusing);
    expect(answer.headers['content-encoding'], refusing).toBeUndefined();
    expect(answer.bytes.equals(plain.bytes), refusing).toBe(true);
  }
  const head = await getRaw('/Item?pageSize=250', 'gzip', 'HEAD');
  expect({ status: head.status, length: head.bytes.length }).toEqual({ status: 200, length: 0 });
});

test('200: a small page is not compressed', async () => {
  const answer = await getRaw('/Item?pageSize=1', 'gzip');
  expect(answer.headers['content-encoding']).toBeUndefined();
  expect(answer.headers.vary).toBeUndefined();
});
