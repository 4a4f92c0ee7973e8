import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { createListTurns, type ListTurnsOptions, type TurnKind } from '@inventory/api/lists/list-turns';
import { describe, expect, onTestFinished, test } from 'vitest';
import { meanwhile } from '../harness/meanwhile.ts';
import { turn } from '../harness/queue/submitter.ts';
import type { ApiAnswer, ApiClient } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const patient = { until: Number.POSITIVE_INFINITY, hasGone: () => false };

/** Turns without a time limit unless asked for, and the lists that have begun, in order. */
function openTurns(options: Partial<ListTurnsOptions> = {}) {
  const turns = createListTurns({
    perClient: 3,
    kinds: {
      cheap: { perClient: 3, total: Number.POSITIVE_INFINITY },
      costly: { perClient: 1, total: 2 },
      streamed: { perClient: 1, total: 4 },
    },
    waitMs: 60_000,
    waitingPerClient: 100,
    waitingTotal: 1000,
    ...options,
  });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    turns,
    begun,
    async ask(name: string, kind: TurnKind, wait = patient) {
      const end = await turns.take(name[0]!, kind, wait);
      begun.push(name);
      ends.set(name, end);
    },
    async end(name: string) {
      ends.get(name)!();
      await turn();
    },
  };
}

describe('turns of lists', () => {
  test('a client has one costly list under way and the process two; other clients go between those of one client', async () => {
    const { ask, begun, end } = openTurns();
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1', 'd1']) void meanwhile(ask(name, 'costly'));
    await turn();
    expect(begun).toEqual(['a1', 'b1']);
    await end('a1');
    expect(begun).toEqual(['a1', 'b1', 'a2']);
    await end('a2');
    expect(begun).toEqual(['a1', 'b1', 'a2', 'c1']);
    await end('c1');
    await end('b1');
    expect(begun).toEqual(['a1', 'b1', 'a2', 'c1', 'd1', 'b2']);
    await end('d1');
    expect(begun).toEqual(['a1', 'b1', 'a2', 'c1', 'd1', 'b2', 'a3']);
  });

  test('cheap lists of a client pass its costly and streamed ones, waiting or under way', async () => {
    const { ask, begun } = openTurns();
    for (const name of ['a1', 'a2']) void meanwhile(ask(name, 'costly'));
    for (const name of ['a3', 'a4']) void meanwhile(ask(name, 'streamed'));
    void meanwhile(ask('a5', 'cheap'));
    await turn();
    expect(begun).toEqual(['a1', 'a3', 'a5']);
  });

  test('503: a list that waited too long, one whose caller leaves, and one beyond the limit', async () => {
    const { turns, ask, end, begun } = openTurns({ waitingPerClient: 2 });
    await ask('a1', 'costly');
    let goes = () => {};
    const onGone = (tell: () => void) => {
      goes = tell;
      return () => {};
    };
    const gone = turns.take('a', 'costly', { ...patient, onGone });
    const late = turns.take('a', 'costly', { ...patient, until: performance.now() + 50 });
    const oneTooMany = turns.take('a', 'costly', patient);
    await expect(oneTooMany).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '5' } });
    await expect(late).rejects.toMatchObject({ status: 503 });
    goes();
    expect(turns.waitingCount()).toBe(0);
    await expect(gone).rejects.toMatchObject({ status: 503 });
    await end('a1');
    await ask('a2', 'costly');
    expect(begun).toEqual(['a1', 'a2']);
  });
});

const service = useService({ hears503: true, env: { INTERNAL_PORT: '0' } });
const costlyPath = '/Inventory/StockLevels?sort=inStock';

/**
 * Locks a table while `work` runs: lists of levels wait for theirs until `letGo`; those of items and lots do
 * not.
 */
async function whileHeld(table: 'stock_level' | 'item', work: (letGo: () => Promise<void>) => Promise<void>) {
  const holder = await service.sql.reserve();
  try {
    await holder`begin`;
    await holder`lock table ${holder(table)} in access exclusive mode`;
    await work(async () => {
      await holder`rollback`;
    });
  } finally {
    // Before the checks that follow each test.
    await holder`rollback`;
    holder.release();
  }
}

/** The answer to a client that asks for an item while the items are locked. */
async function whileItemsAreHeld(askForItem: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
  let answer: ApiAnswer | undefined;
  await whileHeld('item', async () => {
    answer = await askForItem();
  });
  return answer!;
}

const running = async () => {
  const rows = await service.sql`
    select
    from pg_stat_activity
    where datname = current_database() and application_name = 'inventory-costly-lists' and state = 'active'`;
  return rows.length;
};
const untilRunning = (count: number) => expect.poll(running).toBe(count);

/** Sends a list on its own connection, which can be closed. */
async function ask(client: ApiClient, path: string): Promise<Socket> {
  const { hostname, port, pathname } = new URL(service.baseUrl);
  const socket = connectTcp(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(`GET ${pathname}${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${client.token}\r\n\r\n`);
  onTestFinished(() => {
    socket.destroy();
  });
  return socket;
}

/** Cheap calls: lists, a write and an item. */
async function askCheaply(client: ApiClient): Promise<number[]> {
  const shortID = uniqueName('ITEM');
  const answers = [
    await client.get('/Inventory'),
    await client.get('/Item?pageSize=5'),
    await client.post('/Item', { shortID }),
    await client.get(`/Item?key=${shortID}&type=id`),
  ];
  return answers.map(({ status }) => status);
}

describe('a streamed category', () => {
  const category = 77;
  const path = `/Item?Category=${category}`;
  // More than fits into the connection of a caller that does not read.
  const fill = () => service.sql`
    insert into item (short_id, description, category, created_by)
    select 'STREAM-' || n, repeat('x', 2400), ${category}, 'tests' from generate_series(1, 10000) as n
    on conflict do nothing`;
  const streaming = async () => {
    const [row] = await service.sql<{ count: number }[]>`
      select count(*)::integer as count
      from pg_stat_activity
      where datname = current_database() and application_name = 'inventory-streamed-lists' and state <> 'idle'`;
    return row!.count;
  };
  const waitingTurns = async () => {
    const text = await (await fetch(`http://127.0.0.1:${service.internalPort}/metrics`)).text();
    return Number(/^inventory_api_postgres_waiting\{kind="turns"\} (\d+)$/m.exec(text)?.[1]);
  };

  // Both are tried again: a list that waits six seconds for its turn is refused.
  test('waits for its client’s costly list, so that the two do not keep both processors busy', {
    retry: 3,
  }, async () => {
    await fill();
    const client = await service.client();
    await whileHeld('stock_level', async (letGo) => {
      const costly = meanwhile(client.get(costlyPath));
      await untilRunning(1);
      await ask(client, path);
      await expect.poll(async () => (await waitingTurns()) + (await streaming())).toBe(1);
      expect(await streaming()).toBe(0);
      await letGo();
      expect((await costly).status).toBe(200);
      await expect.poll(streaming).toBe(1);
    });
  });

  test('holds up its client’s costly lists only while it is busy: its reader may be slow', {
    retry: 3,
  }, async () => {
    await fill();
    const client = await service.client();
    await ask(client, path);
    await expect.poll(streaming).toBe(1);
    expect((await client.get(costlyPath)).status).toBe(200);
    expect(await streaming()).toBe(1);
  });
});

describe('costly lists', () => {
  test('two at once in Postgres, one of a client; cheap lists, items, writes and tokens are served beside them', async () => {
    const clients = await Promise.all([service.client(), service.client(), service.client()]);
    await whileHeld('stock_level', async (letGo) => {
      const askCostly = async (client: ApiClient) => {
        for (let count = 0; count < 3; count++) await ask(client, costlyPath);
      };
      const [first, ...others] = clients;
      await askCostly(first!);
      await untilRunning(1);
      // A second one has time to begin while others are served.
      expect(await askCheaply(first!)).toEqual([200, 200, 201, 200]);
      expect(await running()).toBe(1);
      for (const client of others) await askCostly(client);
      await untilRunning(2);
      for (const client of clients) expect(await askCheaply(client)).toEqual([200, 200, 201, 200]);
      await service.client();
      expect(await running()).toBe(2);
      await letGo();
      await untilRunning(0);
    });
  });

  test('a list whose caller leaves ends in Postgres, and its turn with it', async () => {
    const client = await service.client();
    await whileHeld('stock_level', async (letGo) => {
      const socket = await ask(client, costlyPath);
      await untilRunning(1);
      socket.destroy();
      await untilRunning(0);
      const next = meanwhile(client.get(costlyPath));
      await untilRunning(1);
      await letGo();
      expect((await next).status).toBe(200);
    });
  });

  test('503 with Retry-After: a list that waits too long for its turn, a list that Postgres ends, and a single item', async () => {
    const client = await service.client();
    await whileHeld('stock_level', async () => {
      const itemEnded = meanwhile(whileItemsAreHeld(() => client.get('/Item/1')));
      const first = meanwhile(client.get(costlyPath));
      await untilRunning(1);
      const second = await client.get(costlyPath);
      const item = await itemEnded;
      for (const answer of [second, await first, item]) {
        expect(answer.status).toBe(503);
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(answer.body).toEqual({
          statusCode: 503,
          error: 'internal_error',
          message: expect.stringContaining('nothing was applied'),
        });
      }
      await untilRunning(0);
    });
  });
});

describe('which lists are costly', () => {
  const cheapPaths = [
    ...['/Inventory', '/Inventory?inStock=true&sort=received', '/Inventory/1?page=7'],
    ...['/Inventory/StockLevels?sort=partNo&direction=DESC', '/Item', '/Item/All?sort=shortID'],
    ...['/Inventory/StockLevels/1', '/Inventory/Transactions', '/Item?page=900&pageSize=250'],
    // Filters with an index that leave few.
    ...['itemID=NONE', 'spot=NONE', 'serial=NONE&sort=description', 'hold=true'].map(
      (filter) => `/Inventory?${filter}`,
    ),
    ...['/Inventory', '/Item'].map((path) => `${path}?modifiedSince=2999-01-01`),
    '/Inventory/StockLevels?itemID=MANY&view=full',
  ];
  const costlyPaths = [
    ...['/Inventory?sort=description', '/Inventory?sort=recNo', '/Inventory?hold=false', '/Inventory?spot='],
    ...['/Inventory/StockLevels?sort=available', '/Item?sort=description', '/Item/All?sort=created'],
    // Filters with an index that leave many.
    ...['itemID=MANY', 'spot=MANY', 'serial=MANY', 'modifiedSince=2000-01-01'].map(
      (filter) => `/Inventory?${filter}`,
    ),
    '/Item?modifiedSince=2000-01-01',
    // Over many levels, however few of them have changed.
    '/Inventory/StockLevels?modifiedSince=2999-01-01',
  ];

  test('lists that read everything, and lists with many matches', async () => {
    await service.sql.begin(async (tx) => {
      // Stock without a ledger, removed before the ledger is checked.
      await tx`insert into item (short_id, created_by) values ('MANY', 'tests')`;
      await tx`
        insert into item (short_id, created_by)
        select 'MANY-' || n, 'tests'
        from generate_series(1, 3000) as n`;
      await tx`
        insert into stock_level (part_no, wid, in_stock, used)
        select part_no, 1, case when short_id = 'MANY' then 3000 else 0 end, true
        from item
        where short_id like 'MANY%'`;
      await tx`
        insert into lot (part_no, wid, spot, serial, units, received, modified, active)
        select part_no, 1, 'MANY', 'MANY', 1, now(), now(), true
        from item
        cross join generate_series(1, 3000)
        where short_id = 'MANY'`;
      // Lots without a ledger count as changed only by what they show.
      await tx`update warehouse set renamed = now() where wid = 1`;
    });
    try {
      const client = await service.client();
      const costly = [];
      for (const path of [...cheapPaths, ...costlyPaths]) {
        const before = await lastCostlyAt();
        expect((await client.get(path)).status, path).toBe(200);
        if ((await lastCostlyAt()) > before) costly.push(path);
      }
      expect(costly).toEqual(costlyPaths);
    } finally {
      await service.sql.begin(async (tx) => {
        await tx`update warehouse set renamed = null`;
        await tx`delete from lot where serial = 'MANY'`;
        await tx`delete from stock_level where part_no in (select part_no from item where short_id like 'MANY%')`;
        await tx`delete from item where short_id like 'MANY%'`;
        await tx`select recount_items(), recount_lists(), collect_levels()`;
      });
    }
  });

  /** When the last costly list began, by its connection, in microseconds. */
  async function lastCostlyAt(): Promise<number> {
    const [row] = await service.sql<{ at: number }[]>`
      select coalesce(extract(epoch from max(query_start)) * 1000000, 0)::bigint as at
      from pg_stat_activity
      where datname = current_database() and application_name = 'inventory-costly-lists'`;
    return row!.at;
  }
});
