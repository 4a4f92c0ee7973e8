import { afterAll, beforeAll, expect, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { askToken, createApiClient } from '../harness/service/api-client.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { useService } from '../harness/service/service.ts';

// Two api processes and a worker, each with a wrong clock, beside processes whose clocks are right.
const service = useService({ workers: 0 });
const apis: Started[] = [];
let worker: Started;
const shiftsMs = [30_000, -30_000];

beforeAll(async () => {
  const start = (app: 'api' | 'worker', shiftMs: number) =>
    startProcess(
      `apps/${app}/src/main.ts`,
      { ...asPart(app, service.env), CLOCK_SHIFT_MS: String(shiftMs) },
      { imports: ['test/harness/servers/shifted-clock.ts'] },
    );
  worker = await start('worker', -30_000);
  for (const shiftMs of shiftsMs) apis.push(await start('api', shiftMs));
});
afterAll(async () => {
  for (const each of [...apis, worker]) await each?.stop();
});

test('a token of any process is valid for an hour, and every process accepts it', async () => {
  const { clientId, secret } = await service.client();
  const baseUrls = apis.map(({ port }) => `http://127.0.0.1:${port}/api/v1`);
  for (const from of baseUrls) {
    const askedAt = Date.now() / 1000;
    const { body } = await askToken(from, { clientId, secret });
    const { iat, exp } = JSON.parse(
      Buffer.from(body.access_token.split('.')[1], 'base64url').toString('utf8'),
    );
    expect(exp - iat).toBe(3600);
    // To within half of the largest error of a clock here.
    expect(Math.abs(iat - askedAt)).toBeLessThan(15);
    for (const at of baseUrls) {
      const client = createApiClient(at, clientId, body.access_token);
      expect((await client.get('/Inventory')).status).toBe(200);
    }
  }
});
