import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecret, digestSecret } from '@inventory/auth/secret';
import { connect } from '@inventory/db/client';
import { addClient } from '@inventory/db/clients';
import { migrate } from '@inventory/db/migrate';
import { addWarehouse } from '@inventory/db/warehouses';
import { startStack } from '@inventory/local/stack';

import { runLoad } from './load.ts';
import { startProcess } from '../harness/processes.ts';

const stack = await startStack({
  folder: join(import.meta.dirname, '../../.local/bench'),
  throwAway: true,
  report: console.log,
});
const sql = connect(stack.databaseUrl, { name: 'bench' });
await migrate(sql);
await addWarehouse(sql, { wid: 1, name: 'Main' });
await addWarehouse(sql, { wid: 2, name: 'Other' });
await sql`insert into item (short_id, created_by) select 'I' || n, 'x' from generate_series(0, 999) n`;
const secret = createSecret();
await addClient(sql, {
  clientId: 'bench',
  permissions: [11, 15, 88, 95, 116],
  wids: [1, 2],
  readOnly: false,
  rateLimit: 100000000,
  secretDigest: digestSecret(secret),
});
const env = { DATABASE_URL: stack.databaseUrl, REDIS_URL: stack.redisUrl, PORT: '0', LOG_LEVEL: 'info' };
const way = process.argv[2] ?? 'ours';
Object.assign(env, {
  WAY: way,
  QUEUE_PREFIX: `b-${way}`,
  ...(way === 'single'
    ? { ENVELOPE_MAX: '1', BATCH_MAX: '1', ENVELOPES_IN_FLIGHT: '128', WORKER_CONCURRENCY: '8' }
    : {}),
});
const worker = await startProcess(
  way === 'waiting' ? 'test/bench/waiting-worker.ts' : 'apps/worker/src/main.ts',
  env,
);
const api = await startProcess(
  way === 'plain' || way === 'waiting' ? 'test/bench/other-server.ts' : 'apps/api/src/main.ts',
  env,
);
const origin = `http://127.0.0.1:${api.port}`;
const token = (
  (await (
    await fetch(`${origin}/api/v1/Token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: 'bench',
        client_secret: secret,
      }),
    })
  ).json()) as any
).access_token;
let n = 0;
const receive = (item: () => string) => () => ({
  path: '/Inventory/Receive',
  body: { itemID: item(), units: 10, wid: 1, reasonCode: 1, spot: 'A' },
});
const mix = (item: () => string) => () => {
  n++;
  const k = n % 3;
  const itemID = item();
  if (k === 0)
    return { path: '/Inventory/Receive', body: { itemID, units: 10, wid: 1, reasonCode: 1, spot: 'A' } };
  if (k === 1)
    return { path: '/Inventory/Move', body: { itemID, units: 2, wid: 1, fromSpot: 'A', toSpot: 'B' } };
  return { path: '/Inventory/Issue', body: { itemID, units: 3, wid: 1, reasonCode: 2 } };
};
const spread = () => `I${Math.floor(Math.random() * 1000)}`;
for (const [name, next, callers] of [
  ['receive spread', receive(spread), 128],
  ['receive one', receive(() => 'I1'), 128],
  ['mix spread', mix(spread), 128],
  ['mix one', mix(() => 'I2'), 128],
  ['receive one caller', receive(spread), 1],
  ['mix 32', mix(spread), 32],
] as const) {
  const names = { api: new RegExp(`^${api.child.pid}$`) };
  void names;
  const cpuOf = (pid: number) => {
    const t = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const f = t.slice(t.lastIndexOf(')') + 2).split(' ');
    return (Number(f[11]) + Number(f[12])) * 10;
  };
  const pgPid = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../.local/bench/postgres.pid'), 'utf8'),
  ).pid;
  const redisPid = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../.local/bench/redis.pid'), 'utf8'),
  ).pid;
  const pgAll = () => {
    let sum = 0;
    for (const pid of readFileSync(`/proc/${pgPid}/task/${pgPid}/children`, 'utf8').trim().split(' '))
      sum += cpuOf(Number(pid));
    return sum;
  };
  const snap = () => ({
    api: cpuOf(api.child.pid!),
    worker: cpuOf(worker.child.pid!),
    pg: pgAll(),
    redis: cpuOf(redisPid),
    load: process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000,
  });
  const xb = (await sql`select xact_commit from pg_stat_database where datname = current_database()`)[0]!
    .xact_commit;
  const before = snap();
  const r = await runLoad({ origin, token, callers, seconds: 4, warmUpSeconds: 0, next });
  const after = snap();
  await new Promise((r) => setTimeout(r, 1200));
  const xa = (await sql`select xact_commit from pg_stat_database where datname = current_database()`)[0]!
    .xact_commit;
  const per = Object.fromEntries(
    Object.entries(after).map(([k, v]) => [k, Math.round(((v - (before as any)[k]) / r.succeeded) * 1000)]),
  );
  console.log(
    name,
    callers,
    Math.round(r.rate),
    'p50',
    r.p50Ms.toFixed(1),
    'p99',
    r.p99Ms.toFixed(1),
    JSON.stringify(r.statuses),
    'requests/tx',
    (r.succeeded / (xa - xb)).toFixed(1),
    'us CPU/request',
    JSON.stringify(per),
  );
}
if (process.argv[3] === 'wait') await new Promise((r) => setTimeout(r, 1e9));
await api.stop();
await worker.stop();
await sql.end();
await stack.stop();
