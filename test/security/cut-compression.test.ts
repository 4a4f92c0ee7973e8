import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { connectRaw } from '../harness/network/raw-http.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();

test('415: a compressed body that is cut, which is not read; the process goes on', async () => {
  const { token } = await service.client();
  const connection = connectRaw(Number(new URL(service.baseUrl).port));
  const zipped = gzipSync(Buffer.alloc(100_000, 'a'));
  const authorization = `Authorization: Bearer ${token}`;
  const to = {
    '/Item': ['Content-Type: application/json', authorization],
    '/Inventory/Batch': ['Content-Type: application/json', authorization],
    // For this one nobody needs to be known.
    '/Token': ['Content-Type: application/x-www-form-urlencoded'],
  };
  for (const [path, headers] of Object.entries(to)) {
    for (const encoding of ['gzip', 'deflate', 'br']) {
      for (const cut of [0, 1, 5, zipped.length]) {
        const bytes = zipped.subarray(0, zipped.length - cut);
        const coded = [`Content-Encoding: ${encoding}`, `Content-Length: ${bytes.length}`, 'Host: x'];
        const head = [`POST /api/v1${path} HTTP/1.1`, ...headers, ...coded].join('\r\n');
        const answer = await connection.send([`${head}\r\n\r\n`, bytes]);
        expect({ status: answer?.status, body: answer?.body }).toEqual({
          status: 415,
          body: { statusCode: 415, error: 'bad_request', message: 'The body must not be compressed.' },
        });
        expect(answer?.headers.get('accept-encoding')).toBe('identity');
      }
    }
  }
  const read = await connection.send([`GET /api/v1/Item HTTP/1.1\r\nHost: x\r\n${authorization}\r\n\r\n`]);
  expect(read?.status).toBe(200);
  connection.close();
});
