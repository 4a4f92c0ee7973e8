import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { type ApiClient, createApiClient } from '../harness/service/api-client.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { useService } from '../harness/service/service.ts';
import { readMetrics } from '../harness/watch/metrics.ts';

// Rounds of three measurements each: without the flood, with it, without it. On a busy machine a round may
// say nothing; the real cost of the flood shows in the best round.
const rounds = 8;
const requests = 100;
// Fewer than the strangers' limit of an address.
const connections = 200;
const slowerMax = 3;

const service = useService({ workers: 0 });
let api: Started;
let client: ApiClient;

beforeAll(async () => {
  const { clientId, token } = await service.client({ permissions: [11], warehouses: [], readOnly: true });
  const env = { ...asPart('api', service.env), INTERNAL_PORT: '0', CONNECTIONS_PER_ADDRESS_MAX: '250' };
  api = await startProcess('apps/api/src/main.ts', env);
  client = createApiClient(`http://127.0.0.1:${api.port}/api/v1`, clientId, token);
});
afterAll(() => api?.stop());

/** The time within which 95 % of a lone caller's requests are answered, milliseconds. */
async function measure(): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < requests; count++) {
    const startedAt = performance.now();
    expect((await client.get('/Item?pageSize=1')).status).toBe(200);
    times.push(performance.now() - startedAt);
  }
  return times.sort((a, b) => a - b)[Math.floor(requests * 0.95)]!;
}

const strangersWaiting = async () =>
  (await readMetrics(api.internalPort)).value('inventory_api_strangers_waiting') ?? 0;

/** Tokens like ours in all but the key that signed them. */
function forgedTokens(): string[] {
  const own = generateKeyPairSync('ed25519');
  const [header, claims = ''] = client.token.split('.');
  const read = JSON.parse(Buffer.from(claims, 'base64url').toString());
  return Array.from({ length: 200 }, () => {
    const changed = Buffer.from(JSON.stringify({ ...read, jti: randomUUID() })).toString('base64url');
    const input = `${header}.${changed}`;
    return `${input}.${sign(null, Buffer.from(input), own.privateKey).toString('base64url')}`;
  });
}

test.each([
  ['no tokens at all', () => ['garbage']],
  ['forged tokens', forgedTokens],
])(
  'a caller with a valid token waits at most three times as long beside a flood of %s from its own address',
  async (_what, tokens) => {
    const ratios: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const before = await measure();
      const flooder = await startProcess('test/harness/network/flooder.ts', {
        FLOOD_URL: `http://127.0.0.1:${api.port}/api/v1/Item`,
        FLOOD_TOKENS: JSON.stringify(tokens()),
        FLOOD_CONNECTIONS: String(connections),
      });
      let beside: number;
      try {
        // The budget for immediate answers to its address is used up.
        await expect.poll(strangersWaiting).toBeGreaterThan(connections / 2);
        beside = await measure();
      } finally {
        flooder.child.kill('SIGKILL');
        await flooder.exited;
      }
      await expect.poll(strangersWaiting).toBe(0);
      ratios.push(beside / Math.max(before, await measure()));
      if (ratios.at(-1)! <= slowerMax) break;
    }
    expect(Math.min(...ratios), `of ${ratios}`).toBeLessThanOrEqual(slowerMax);
  },
);
