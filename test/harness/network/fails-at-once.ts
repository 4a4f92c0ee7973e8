import dns from 'node:dns';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

// A process in which every connection, look-up and request fails in the same turn in which it began: as on a
// machine that has lost its route and its name server. It tries each place of our code that begins one, and
// prints for each how it ended; `uncaught` would have ended a process of the service.

const unreachable = -101;
// biome-ignore lint/suspicious/noExplicitAny: no type describes the inside of Node.
const { TCP } = (process as any).binding('tcp_wrap');
TCP.prototype.connect = () => unreachable;
TCP.prototype.connect6 = () => unreachable;
const failure = () => Object.assign(new Error('queryA ECONNREFUSED'), { code: 'ECONNREFUSED' });
const lookUp = dns.lookup;
// Servers look their own addresses up as well.
dns.lookup = ((host: string, options: dns.LookupOptions, done: (error: Error | null) => void) =>
  isIP(host) === 0 ? done(failure()) : lookUp(host, options, done)) as never;
for (const name of ['resolve4', 'resolve6'] as const)
  dns.promises.Resolver.prototype[name] = (() => Promise.reject(failure())) as never;
syncBuiltinESMExports();

let current = '';
const outcomes: Record<string, string> = {};
process.on('uncaughtException', (error) => {
  outcomes[current] = `uncaught: ${error.message}`;
});

const [byAddress, byName] = ['203.0.113.1:1', 'receiver.invalid:1'];
const folder = mkdtempSync(join(tmpdir(), 'fails-at-once-'));

async function send(url: string, isKnown: boolean): Promise<string> {
  const { sendMessage } = await import('@inventory/webhooks/send-message');
  const { createWebhookSecret } = await import('@inventory/webhooks/secret');
  const known = async () => [
    { address: 'fd00::1', family: 6 },
    { address: '10.0.0.1', family: 4 },
  ];
  const message = { messageId: 'msg_1', body: '{}' };
  const sent = await sendMessage(message, {
    ...{ url, allowPrivate: true, secrets: [createWebhookSecret()], at: Date.now() },
    ...(isKnown && { lookUp: known }),
  });
  return sent.outcome;
}

async function ask(url: string): Promise<string> {
  const { connect } = await import('@inventory/postgres/pool');
  const sql = connect(url, { name: 'inventory-test', connectionsMax: 1 });
  const asked = sql`select 1`.then(
    () => 'answered',
    ({ code }) => String(code),
  );
  const outcome = await Promise.race([asked, wait(1000).then(() => 'goes on')]);
  void sql.end({ timeout: 0 }).catch(() => {});
  return outcome;
}

/** Connections to Redis, of which two go on for ever. */
async function reach(url: string): Promise<string> {
  const { connectConsumer, connectOnce, connectProducer } = await import('@inventory/redis/redis');
  let errors = 0;
  const tell = () => {
    errors += 1;
  };
  const connections = [connectProducer(url, tell), connectConsumer(url, '{key}', tell)];
  const { redis } = connectOnce(url, 500);
  await refusalOf(redis.connect());
  await wait(500);
  for (const each of [...connections, redis]) each.disconnect();
  return errors > 0 ? 'told' : 'not told';
}

function refusalOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'answered',
    () => 'refused',
  );
}

// By name, each with its outcome. The code that they try is loaded after the changes above.
const tries: Record<string, () => Promise<unknown>> = {
  'a message to an address': () => send(`https://[2600::1]:1/`, false),
  'a message to a name': () => send(`http://${byName}/`, true),
  'a message to a name, encrypted': () => send(`https://${byName}/`, true),
  'a message to a name without name servers': () => send(`https://${byName}/`, false),
  'Postgres by address': () => ask(`postgres://inventory@${byAddress}/inventory`),
  'Postgres by name': () => ask(`postgres://inventory@${byName}/inventory`),
  'Postgres on several hosts': () => ask(`postgres://inventory@${byAddress},${byName}/inventory`),
  'Redis by address': () => reach(`redis://${byAddress}`),
  'Redis by name': () => reach(`redis://${byName}`),
  'Redis by Sentinels': () => reach(`redis+sentinel://${byAddress},${byName}/mymaster`),
  'Redis Cluster': () => reach(`redis+cluster://${byAddress},${byName}`),
  async 'the node of a Redis Cluster'() {
    const { connectorOf } = await import('@inventory/redis/slot-connector');
    for (const host of ['203.0.113.1', 'redis.invalid']) {
      for (const login of [{}, { tls: {} }]) {
        const owner = { host, port: 1 };
        const Connector = connectorOf({ hosts: [owner], login }, 'key');
        // Its question to a node would fail first.
        const connector = new Connector();
        Object.defineProperty(connector, 'findOwner', { value: async () => owner });
        await connector.connect(() => {});
        await wait(50);
      }
    }
    return 'a socket';
  },
  async 'a Redis of this machine'() {
    const program = join(folder, 'redis-server');
    writeFileSync(program, '#!/bin/sh\nif [ "$1" = --version ]; then echo v=7; else sleep 2; fi\n');
    chmodSync(program, 0o755);
    process.env.PATH = `${folder}:${process.env.PATH}`;
    const { startRedis } = await import('@inventory/local/redis/redis');
    const started = startRedis({
      ...{ folder, rememberedPort: undefined, throwAway: true, queuePrefix: 'none' },
      ...{ report: () => {}, signal: AbortSignal.timeout(60_000) },
    });
    return refusalOf(started);
  },
  async 'the api of this machine'() {
    const { waitForAnswer } = await import('@inventory/admin/start/banner');
    const ends = new AbortController();
    const waits = [byAddress, byName].map((place) =>
      refusalOf(waitForAnswer(`http://${place}`, ends.signal)),
    );
    await wait(500);
    ends.abort();
    return [...new Set(await Promise.all(waits))].join();
  },
  async 'the clock of an api'() {
    const { machineChecks } = await import('@inventory/admin/doctor/machine-checks');
    const clocks = machineChecks.find(({ id }) => id === 'clocks')!;
    const apis = [`http://${byAddress}`, `http://${byName}`];
    return (await clocks.look({ sql: null, redis: null, apis, prefix: '', disk: null })).found;
  },
  async 'the certificate of an address'() {
    const { readCertificateEnd } = await import('@inventory/process/certificate-end');
    const reads = [byAddress, byName].map((place) => refusalOf(readCertificateEnd(`https://${place}`)));
    return [...new Set(await Promise.all(reads))].join();
  },
  async 'a call of the client'() {
    const { InventoryClient } = await import('@inventory/client');
    const client = new InventoryClient({
      ...{ baseUrl: `http://${byName}/api/v1`, clientId: 'demo', clientSecret: 'none', timeoutMs: 1000 },
    });
    return refusalOf(client.receive({ itemID: 'A', units: 1, wid: 1, reasonCode: 1 }));
  },
};

for (const [name, begin] of Object.entries(tries)) {
  current = name;
  const outcome = await begin().catch((error: Error) => `thrown: ${error.message}`);
  // An error of the next turns is of this one, too.
  await wait(50);
  outcomes[name] ??= String(outcome);
}
rmSync(folder, { recursive: true, force: true });
process.stdout.write(JSON.stringify(outcomes), () => process.exit(0));
