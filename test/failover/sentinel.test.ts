import { connectConsumer, connectOnce } from '@inventory/redis/redis';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { startProxy } from '../faults/proxy.ts';
import { asPart } from '../harness/as-part.ts';
import { findRefused, redisLogins } from '../harness/servers/logins.ts';
import { startLoad } from '../harness/servers/redis-load.ts';
import {
  findServerProgram,
  masterName,
  roleOf,
  type SentinelTrio,
  startSentinelTrio,
  until,
} from '../harness/servers/redis-servers.ts';
import { expectAllWell } from '../harness/service/all-well.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const { program, reason } = await findServerProgram();
const logins = redisLogins(inject('logins'));

describe.skipIf(program === null)(
  `Redis that Sentinels watch${reason === '' ? '' : ` (not here: ${reason})`}`,
  () => {
    let trio: SentinelTrio;
    const prefix = uniqueName('sentinel');
    const env = { REDIS_URL: '', QUEUE_PREFIX: prefix, QUEUE_SHARDS: '3' };
    const warnings: string[] = [];
    const noteWarning = ({ name }: Error) => void warnings.push(name);
    // Starts before the service that uses it.
    beforeAll(async () => {
      process.on('warning', noteWarning);
      trio = await startSentinelTrio(program!, logins, { isQuick: true });
      env.REDIS_URL = trio.url;
    });
    // Ends after the service that uses it: hooks run in reverse.
    afterAll(() => {
      process.off('warning', noteWarning);
      return trio?.stop();
    });
    const service = useService({ apis: 2, workers: 2, env });

    async function untilPromoted(before: number, ask?: () => Promise<unknown>): Promise<number> {
      const isPromoted = async () => {
        const master = await trio.findMaster();
        return master !== null && master.port !== before;
      };
      await until('another master', isPromoted, ask);
      return performance.now();
    }

    test('nothing lost, nothing applied twice, and every answer clear when the master is killed and when it is replaced', async () => {
      const load = await startLoad(service, 6);
      await load.untilBack(performance.now());
      // The Sentinel asked first says nothing: each of these connections spends most of its time waiting for
      // it, and continues when it is told of the new master.
      const proxy = await startProxy(trio.sentinels[0]!.port);
      onTestFinished(() => proxy.close());
      const { almighty } = logins;
      const through = `redis+sentinel://${almighty.user}:${almighty.password}@127.0.0.1:${proxy.port}/stock`;
      const connections = Array.from({ length: 12 }, () => connectConsumer(through, prefix, () => {}));
      onTestFinished(() => connections.forEach((each) => void each.disconnect()));
      await Promise.all(connections.map((each) => each.ping()));

      const killed = (await trio.findMaster())!;
      proxy.setState('stalled');
      killed.signal('SIGKILL');
      let promotedAt = await untilPromoted(killed.port);
      const pings = connections.map((each) => each.ping().catch((error: Error) => error.message));
      await load.untilBack(promotedAt);
      expect(await Promise.all(pings)).toEqual(Array(12).fill('PONG'));
      for (const each of connections) each.disconnect();
      console.log(`killed: back ${Math.round(performance.now() - promotedAt)} ms after the promotion`);

      await killed.startAgain();
      await until('the killed master follows', async () => (await roleOf(killed)) === 'slave');
      const replaced = (await trio.findMaster())!;
      // As before maintenance: the old master lives, and refuses writes from now on.
      promotedAt = await untilPromoted(replaced.port, () =>
        trio.sentinels[0]!.redis.call('SENTINEL', 'FAILOVER', masterName),
      );
      await load.untilBack(promotedAt);
      console.log(`replaced: back ${Math.round(performance.now() - promotedAt)} ms after the promotion`);

      await load.stopAndCompare();
    });

    test('doctor and status find no problem, whichever server is the master', async () => {
      const operator = asPart('operator', { ...env, DATABASE_URL: service.databaseUrl });
      const foundBy = await expectAllWell(operator);
      expect(foundBy('redis')).toMatch(/\(Sentinels of stock\)$/);
    });

    test('an error names what is wrong with the address, without the password', async () => {
      const whyNot = async (address: string) => {
        const { redis, why } = connectOnce(address, 15_000);
        onTestFinished(() => redis.disconnect());
        return redis.connect().then(() => 'nothing', why);
      };
      const { user, password } = logins.almighty;
      expect(await whyNot(trio.url.replace('//', `//${user}:${password}@`))).toBe('nothing');
      expect(await whyNot(trio.url.replace('//', `//${user}:hidden@`))).toBe('WRONGPASS');
      expect(await whyNot(trio.url.replace('/stock', '/stick'))).toBe(
        'a Sentinel does not know the master that REDIS_URL names',
      );
    });

    test('the service lacks no right on any server', async () => {
      for (const { redis } of trio.servers) expect(await findRefused(redis, inject('logins'))).toEqual([]);
    });

    test('writes are back while the master and one Sentinel are frozen', async () => {
      const load = await startLoad(service, 3);
      await load.untilBack(performance.now());
      const still = [(await trio.findMaster())!, trio.sentinels[0]!];
      for (const each of still) each.signal('SIGSTOP');
      const promotedAt = await untilPromoted(still[0]!.port);
      await load.untilBack(promotedAt);
      console.log(`frozen: back ${Math.round(performance.now() - promotedAt)} ms after the promotion`);
      for (const each of still) each.signal('SIGCONT');
      // Nor does the old master interfere when it wakes and still calls itself the master.
      await until('the frozen master follows', async () => (await roleOf(still[0]!)) === 'slave');
      await load.untilBack(performance.now());
      await load.stopAndCompare();
    });

    test('failovers leave no listeners behind: Node warns of none', () => {
      expect(warnings).not.toContain('MaxListenersExceededWarning');
    });
  },
);
