import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, inject, test } from 'vitest';
import { startProbedApi } from '../harness/probed-api.ts';
import { connectRaw } from '../harness/raw-http.ts';
import { useService } from '../harness/service.ts';

const env = { QUEUE_PREFIX: `test-${randomBytes(6).toString('hex')}` };
const service = useService({ env });

test('413: a compressed body that is too large, and cut as well', async () => {
  // An api of its own: a request that ends the process is to end that one.
  const api = await startProbedApi({
    DATABASE_URL: service.databaseUrl,
    REDIS_URL: inject('redisUrl'),
    ...env,
  });
  const zipped = gzipSync(Buffer.alloc(100_000, 'a'), { level: 1 });
  const { token } = await service.client({ baseUrl: api.baseUrl });
  const connection = connectRaw(api.port);
  const to = {
    '/Item': ['Content-Type: application/json', `Authorization: Bearer ${token}`],
    // For this one nobody needs to be known.
    '/Token': ['Content-Type: application/x-www-form-urlencoded'],
  };
  for (const [path, headers] of Object.entries(to)) {
    for (const encoding of ['gzip', 'deflate']) {
      for (let cut = 1; cut < 12; cut++) {
        const bytes = zipped.subarray(0, -cut);
        const coded = [`Content-Encoding: ${encoding}`, `Content-Length: ${bytes.length}`, 'Host: x'];
        const head = [`POST /api/v1${path} HTTP/1.1`, ...headers, ...coded].join('\r\n');
        const answer = await connection.send([`${head}\r\n\r\n`, bytes]);
        expect(answer?.status).toBe(413);
      }
    }
  }
  connection.close();
  await api.stop();
});
