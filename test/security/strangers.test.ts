import { once } from 'node:events';
import { createSecret, digestSecret } from '@inventory/auth/secret';
import { expect, onTestFinished, test } from 'vitest';
import { inChunks } from '../harness/contract/answers.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { openRaw } from '../harness/network/raw-connection.ts';
import { askToken, untilAnswered } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { forgeToken } from '../harness/service/tokens.ts';

// The budget of answers at once to callers at one address that have no right token, see docs/decisions/0012.
const atOnce = 2500;
const connections = 200;
const pipelined = 25;
const inRound = 20;
const roundsMax = 3;

const service = useService({ apis: 2, env: { TRUST_PROXY: '1' } });

/** Sends a request from an address. */
function from(address: string, path: string, headers: Record<string, string> = {}, at = 0) {
  return untilAnswered(async () => {
    const response = await fetch(service.baseUrls[at] + path, {
      headers: { 'X-Forwarded-For': address, ...headers },
    });
    await response.arrayBuffer();
    return { status: response.status };
  });
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

const portOf = (at: number) => Number(new URL(service.baseUrls[at]!).port);
const garbageFrom = (address: string) =>
  `GET /api/v1/Item HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\nAuthorization: Bearer garbage\r\n\r\n`;

/** Uses up what an address is answered at once by a process. */
async function useUp(address: string, at: number) {
  const connection = openRaw(portOf(at));
  for (let sent = 0; sent < atOnce; sent += pipelined) {
    connection.write(garbageFrom(address).repeat(pipelined));
    for (let index = 0; index < pipelined; index++) expect((await connection.next())?.status).toBe(401);
  }
  connection.socket.destroy();
}

/**
 * Sends on so many connections, on each as soon as the one before is answered, until it is stopped. Without
 * turns as many would be answered for each other request: all that came before it.
 *
 * A new budget may begin meanwhile, of the address or of all of them. Then the address gets 2,500 answers at
 * once, 125 for each of twenty others, and no more for two minutes: the next round shows whether it waits.
 */
function hammer(sendOne: (index: number) => Promise<{ status: number }>) {
  let answered = 0;
  let stopped = false;
  // Also where the test fails: it would be in the way of the next.
  onTestFinished(() => {
    stopped = true;
  });
  const statuses = new Set<number>();
  const done = meanwhile(
    Promise.all(
      Array.from({ length: connections }, async (_, index) => {
        while (!stopped) {
          statuses.add((await sendOne(index)).status);
          answered += 1;
        }
      }),
    ),
  );
  return {
    /** Fails when others wait for all that came before them, in each round of twenty. */
    async expectOthersFirst(other: (index: number) => Promise<void>): Promise<void> {
      const forEach: number[] = [];
      for (let round = 0; round < roundsMax; round++) {
        const before = answered;
        for (let index = 0; index < inRound; index++) await other(round * inRound + index);
        const ofOne = (answered - before) / inRound;
        if (ofOne < connections / 2) return;
        forEach.push(ofOne);
      }
      expect.fail(`answered meanwhile, for each of the others: ${forEach.join(', ')}`);
    },
    async stop(): Promise<Set<number>> {
      stopped = true;
      await done;
      return statuses;
    },
  };
}

function askTokenFrom(address: string, clientId: string, secret: string, at = 0) {
  const headers = { 'X-Forwarded-For': address };
  return askToken(service.baseUrls[at]!, { clientId, secret }, headers);
}

/** Adds many clients at once, each with a secret of its own. */
async function addFleet(count: number): Promise<{ clientId: string; secret: string }[]> {
  const fleet = Array.from({ length: count }, () => ({
    clientId: uniqueName('fleet'),
    secret: createSecret(),
  }));
  const ids = fleet.map(({ clientId }) => clientId);
  const digests = fleet.map(({ secret }) => digestSecret(secret).toString('hex'));
  const like = (await service.client()).clientId;
  await service.sql`
    insert into client (client_id, group_id, rate_limit)
    select fleet.client_id, like_client.group_id, 100
    from unnest(${ids}::text[]) as fleet (client_id)
    cross join (select group_id from client where client_id = ${like}) as like_client`;
  await service.sql`
    insert into client_secret (client_id, digest)
    select client_id, decode(digest, 'hex')
    from unnest(${ids}::text[], ${digests}::text[]) as fleet (client_id, digest)`;
  return fleet;
}

test('401 waits its turn when its address has had too many; right tokens and secrets from there do not, nor anybody elsewhere', async () => {
  const address = '203.0.113.1';
  const client = await service.client();
  await useUp(address, 0);
  const refused = hammer(() => from(address, '/Item', bearer('garbage')));
  // Of each by itself: one that waited behind them all would not show among others that did not.
  const others: (() => Promise<void>)[] = [
    async () => expect((await from(address, '/Item', bearer(client.token))).status).toBe(200),
    async () => expect((await askTokenFrom(address, client.clientId, client.secret)).status).toBe(200),
    async () => expect((await from('203.0.113.2', '/Item', bearer('garbage'))).status).toBe(401),
  ];
  for (const other of others) await refused.expectOthersFirst(other);
  expect(await refused.stop()).toEqual(new Set([401]));

  // Callers that go away before their turn harm nobody: some end their connection, some break it.
  const leaving = Array.from({ length: connections }, () => openRaw(portOf(0)));
  await Promise.all(leaving.map(({ socket }) => once(socket, 'connect')));
  for (const each of leaving) each.write(garbageFrom(address));
  for (const [index, { socket }] of leaving.entries())
    index % 2 === 0 ? socket.destroy() : socket.resetAndDestroy();
  await Promise.all(leaving.map((each) => each.outcome()));
  expect((await from(address, '/Item', bearer('garbage'))).status).toBe(401);
  expect((await from(address, '/Item', bearer(client.token))).status).toBe(200);
});

test('200 for each right secret and each right token of a fleet behind one address, while stale and forged ones there hammer both processes', async () => {
  const address = '203.0.113.7';
  const fleet = await addFleet(20 + roundsMax * inRound + 200);
  const stale = fleet.slice(0, 20);
  const newcomers = fleet.slice(20, -200);
  // Each of them verifies a signature in two processes, beside as many wrong ones: so many show it.
  const asking = fleet.slice(-200);
  const { token } = await service.client();
  for (const at of [0, 1]) await useUp(address, at);
  const forged = Array.from({ length: connections }, () => forgeToken(token));
  const tokenOf = async ({ clientId, secret }: (typeof fleet)[number], at: number) => {
    const answer = await askTokenFrom(address, clientId, secret, at);
    expect(answer.status).toBe(200);
    return answer.body.access_token as string;
  };
  const unseen = await inChunks(newcomers.length, 20, (index) => tokenOf(newcomers[index]!, 0));
  const hammers = [0, 1].map((at) => hammer((index) => from(address, '/Item', bearer(forged[index]!), at)));
  const wrong = await inChunks(100, 20, (index) =>
    askTokenFrom(address, stale[index % stale.length]!.clientId, 'stale', index % 2),
  );
  expect(new Set(wrong.map(({ status }) => status))).toEqual(new Set([401, 429]));

  const answers = await inChunks(asking.length, 40, async (index) => {
    const fresh = await tokenOf(asking[index]!, index % 2);
    // The other process has never seen this token: it must verify it.
    return (await from(address, '/Item?pageSize=1', bearer(fresh), (index + 1) % 2)).status;
  });
  expect(answers.filter((status) => status !== 200)).toEqual([]);
  await hammers[1]!.expectOthersFirst(async (index) => {
    expect((await from(address, '/Item', bearer(unseen[index]!), 1)).status).toBe(200);
  });
  for (const each of hammers) expect(await each.stop()).toEqual(new Set([401]));
});

test('the documents: an address that reads them without end waits, everybody else does not', async () => {
  const address = '203.0.113.30';
  const bundle = '/docs/swagger-ui-bundle.js';
  const first = await fetch(service.baseUrls[0] + bundle, { headers: { 'X-Forwarded-For': address } });
  const etag = first.headers.get('ETag')!;
  await first.arrayBuffer();
  // Each costs as much as dozens of small answers.
  await inChunks(50, 10, () => from(address, bundle, { 'Accept-Encoding': 'identity' }));
  const again = { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' };
  const greedy = hammer(() => from(address, bundle, again));
  await greedy.expectOthersFirst(async () => {
    expect((await from('203.0.113.31', '/docs')).status).toBe(200);
  });
  expect(await greedy.stop()).toEqual(new Set([304]));
});
