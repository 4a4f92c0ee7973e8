import { startServer } from '@inventory/api/server';
import { createSigningKey } from '@inventory/auth/token';
import { deleteRetiredHalves, rotateSigningKey, withdrawSigningKey } from '@inventory/db/access/signing-keys';
import { createLog } from '@inventory/process/log/log';
import { expect, test } from 'vitest';
import { meanwhile } from '../harness/meanwhile.ts';
import { askToken, createApiClient, send } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';
import { kidOf } from '../harness/service/tokens.ts';
import { untilRightsHold } from '../harness/watch/rights-hold.ts';

const service = useService({ apis: 2, workers: 0 });

type Secret = { clientId: string; secret: string };

async function fetchToken(client: Secret, baseUrl = service.baseUrl): Promise<string> {
  const answer = await askToken(baseUrl, client);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.access_token;
}

/** A process that starts after the others. */
const startLate = () => startServer({ ...service.env, PORT: '0' }, createLog('api'));

/** The answer of each process to a token. */
const statuses = (token: string) =>
  Promise.all(
    service.baseUrls.map(async (baseUrl) => (await createApiClient(baseUrl, '', token).get('/Item')).status),
  );

/** The keys whose private halves are in the database. */
const halves = async () =>
  (await service.sql<{ kid: string }[]>`select kid from signing_key`).map(({ kid }) => kid);

test('an expired secret is refused exactly as a wrong one is', async () => {
  const client = await service.client();
  await fetchToken(client);
  await service.sql`update client_secret set expires = now() - interval '1 second' where client_id = ${client.clientId}`;
  const ask = async (secret: string) => {
    const answer = await send(service.baseUrl, 'POST', '/Token', {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: `grant_type=client_credentials&client_id=${client.clientId}&client_secret=${secret}`,
    });
    const { 'x-request-id': _id, date: _date, ...headers } = Object.fromEntries(answer.headers);
    return { status: answer.status, text: answer.text, headers };
  };
  const expired = await ask(client.secret);
  expect(expired.status).toBe(401);
  expect(expired).toEqual(await ask('wrong'));
  // Keys fetched while it lived end by themselves.
  expect(await statuses(client.token)).toEqual([200, 200]);
});

/** Once workers have seen the time pass until now. */
async function removeRetiredHalves() {
  await service.sql`update retention_clock set reached = clock_timestamp()`;
  await deleteRetiredHalves(service.sql);
}

test('no request fails while the key is changed, and a token of the new key is good everywhere at once', async () => {
  const client = await service.client();
  const kids = new Set<string>();
  const failed: number[] = [];
  let turns = 0;
  let isOver = false;
  const callers = meanwhile(
    Promise.all(
      [0, 1].map(async (index) => {
        while (!isOver) {
          // Made by one process, used with the other.
          const token = await fetchToken(client, service.baseUrls[index]);
          const other = createApiClient(service.baseUrls[1 - index]!, client.clientId, token);
          const { status } = await other.get('/Item');
          if (status !== 200) failed.push(status);
          kids.add(kidOf(token));
          turns += 1;
        }
      }),
    ),
  );
  await expect.poll(() => kids.size).toBe(1);
  const [before] = await halves();
  const key = await createSigningKey();
  await rotateSigningKey(service.sql, key);
  expect(await halves()).toHaveLength(2);
  // The minute is over, except for a second.
  await service.sql`
    update verifying_key
    set signs_from = clock_timestamp() + interval '1 second'
    where kid = ${key.kid}`;
  await service.sql`
    update verifying_key
    set retired = (select signs_from from verifying_key where kid = ${key.kid})
    where kid = ${before!}`;
  expect(await statuses(client.token)).toEqual([200, 200]);
  await expect.poll(() => kids.has(key.kid)).toBe(true);
  await removeRetiredHalves();
  expect(await halves()).toEqual([key.kid]);
  const turnsThen = turns;
  await expect.poll(() => turns).toBeGreaterThan(turnsThen + 20);
  isOver = true;
  await callers;
  expect(failed).toEqual([]);
  expect([...kids]).toEqual([before, key.kid]);
  // Its tokens live on, and a process that starts now knows the key.
  expect(await statuses(client.token)).toEqual([200, 200]);
  const late = await startLate();
  const lateUrl = `http://127.0.0.1:${late.port}/api/v1`;
  expect((await createApiClient(lateUrl, '', client.token).get('/Item')).status).toBe(200);
  expect(kidOf(await fetchToken(client, lateUrl))).toBe(key.kid);
  await late.stop();
});

test('401: a token of a key whose last token has ended; 200 until then', async () => {
  const client = await service.client();
  const kid = kidOf(client.token);
  await rotateSigningKey(service.sql, await createSigningKey());
  const retire = (secondsAgo: number) => service.sql`
    update verifying_key
    set signs_from = case when kid = ${kid} then now() - interval '1 day' else now() - interval '1 hour' end,
      retired = case when kid = ${kid} then now() - ${secondsAgo}::integer * interval '1 second' end
    where withdrawn is null and (kid = ${kid} or retired is null)`;
  await retire(3500);
  await untilRightsHold();
  expect(await statuses(client.token)).toEqual([200, 200]);
  await retire(3700);
  await untilRightsHold();
  expect(await statuses(client.token)).toEqual([401, 401]);
  expect(await statuses(await fetchToken(client))).toEqual([200, 200]);
});

test('401 within a second on every process: a token of a key that was withdrawn; the next key is good everywhere', async () => {
  const client = await service.client();
  // Each process has verified it, and caches that.
  expect(await statuses(client.token)).toEqual([200, 200]);
  const kid = kidOf(client.token);
  expect(await withdrawSigningKey(service.sql, kid, await createSigningKey())).toMatch(/withdrawn|succeeded/);
  expect(await halves()).not.toContain(kid);
  await untilRightsHold();
  expect(await statuses(client.token)).toEqual([401, 401]);
  for (let turn = 0; turn < 10; turn++) {
    const token = await fetchToken(client, service.baseUrls[turn % 2]);
    expect(kidOf(token)).not.toBe(kid);
    expect(await statuses(token)).toEqual([200, 200]);
  }
});

test('200: a token of a key that was made a moment ago, on a process that has just read the keys', async () => {
  const client = await service.client();
  for (let turn = 0; turn < 5; turn++) {
    const keys = await service.sql<{ kid: string }[]>`select kid from verifying_key where withdrawn is null`;
    for (const { kid } of keys) await withdrawSigningKey(service.sql, kid, await createSigningKey());
    // The other process reads the keys now, the first one later.
    const [first, other] = service.baseUrls;
    let token = await fetchToken(client, first);
    // For at most half a second it signs by the keys it read before.
    while (keys.some(({ kid }) => kid === kidOf(token))) token = await fetchToken(client, first);
    expect((await createApiClient(other!, '', token).get('/Item')).status).toBe(200);
  }
});

test('the private half of a retired key is gone from the database, and no other', async () => {
  const client = await service.client();
  const kid = kidOf(client.token);
  await rotateSigningKey(service.sql, await createSigningKey());
  await deleteRetiredHalves(service.sql);
  expect(await halves()).toContain(kid);
  await service.sql`update verifying_key set retired = clock_timestamp() where kid = ${kid}`;
  await removeRetiredHalves();
  expect(await halves()).not.toContain(kid);
  const ended = await createSigningKey();
  await service.sql`
    insert into verifying_key (kid, public_jwk, signs_from, retired)
    values (${ended.kid}, ${JSON.stringify(ended.publicJwk)}::text::json, now() - interval '2 days', now() - interval '1 day')`;
  await service.sql`
    insert into signing_key (kid, private_jwk)
    values (${ended.kid}, ${JSON.stringify(ended.privateJwk)}::text::json)`;
  const late = await startLate();
  await expect.poll(halves).not.toContain(ended.kid);
  await late.stop();
  const [stored] = await service.sql`select public_jwk ->> 'd' as d from verifying_key where kid = ${kid}`;
  expect(stored).toEqual({ d: null });
});
