import type { StdioOptions } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { openSync, readdirSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { makeChecks } from '@inventory/admin/doctor/check';
import { machineChecks } from '@inventory/admin/doctor/machine-checks';
import { startServer } from '@inventory/api/server';
import { addressOf } from '@inventory/db/access/logins';
import { findImbalances } from '@inventory/db/audit/audit';
import { writeBackup } from '@inventory/db/backup/backup';
import { openBackup } from '@inventory/db/backup/backup-file';
import { readIdentity } from '@inventory/db/backup/identity';
import { migrationLockKey } from '@inventory/db/migrate/migrate';
import { connect } from '@inventory/postgres/pool';
import { createLog } from '@inventory/process/log/log';
import { startWorker } from '@inventory/worker/worker';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { addressFor, asPart } from '../harness/as-part.ts';
import { createFolder, useFolder } from '../harness/folders.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { openStretch } from '../harness/network/through.ts';
import { expectWaiting } from '../harness/queue/batches.ts';
import {
  createEmptyDatabase,
  createUnusedDatabase,
  describeRows,
  describeSchema,
  streamOf,
  unpackBackup,
} from '../harness/servers/backups.ts';
import { connectAs } from '../harness/servers/database.ts';
import { type ApiAnswer, type ApiClient, askToken, createApiClient } from '../harness/service/api-client.ts';
import { runHere, startCommand as start } from '../harness/service/command-line.ts';
import { toExamined } from '../harness/service/doctor.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';
import { readMetrics } from '../harness/watch/metrics.ts';

const command = (args: readonly string[], databaseUrl: string) =>
  runHere(args, { DATABASE_URL: databaseUrl });
/** In a process of its own: to be interrupted, or with files as its input and output. */
const startCommand = (args: readonly string[], databaseUrl: string, stdio: StdioOptions = 'pipe') =>
  start(args, { DATABASE_URL: databaseUrl }, { stdio });

const service = useService();

const asOperator = () => addressFor('operator', service.databaseUrl);
const backup = (path: string) => command(['backup', path], asOperator());
const refused = (line: string, code = 1) => ({ code, stderr: `error: ${line}\n` });

/** A backup of the service's current stock, in its own folder. */
async function makeBackup(folder = createFolder()): Promise<string> {
  const path = join(folder, 'stock.inventory');
  const { code, stderr } = await backup(path);
  expect(code, stderr).toBe(0);
  return path;
}

/**
 * Enough keys that their table is copied in several pieces. They are removed with the test, because no other
 * needs them.
 */
async function addManyKeys(count: number) {
  const clientId = uniqueName('many');
  await service.sql`
    insert into idempotency_key (client_id, key_digest, asked_at, refused_at)
    select ${clientId}, sha256(n::text::bytea), now(), now()
    from generate_series(1, ${count}::integer) as n`;
  onTestFinished(async () => {
    await service.sql`delete from idempotency_key where client_id = ${clientId}`;
  });
}

/** Waits until the worker has nothing left to fold: rows folded between two looks would differ. */
async function untilFolded() {
  const unfolded = async () => {
    const [row] = await service.sql<{ any: boolean }[]>`
      select exists (select from list_arrival) or exists (select from item_arrival)
        or exists (select from level_arrival) as any`;
    return row!.any;
  };
  await expect.poll(unfolded).toBe(false);
}

type Acknowledged = { path: string; body: object; key: string; answer: ApiAnswer };

/**
 * Receives, moves and issues, each with a key, until told to stop; keeps every request that was answered yes.
 */
function work(client: ApiClient, items: readonly string[]) {
  const acknowledged: Acknowledged[] = [];
  let stopped = false;
  const call = async (path: string, body: object) => {
    const key = randomUUID();
    const answer = await client.post(path, body, { 'Idempotency-Key': key });
    if (answer.status < 300) acknowledged.push({ path, body, key, answer });
  };
  const caller = async (nth: number) => {
    for (let turn = nth; !stopped; turn++) {
      const itemID = items[turn % items.length]!;
      const common = { itemID, wid: 1 + (turn % 2), reasonCode: 1 };
      await call('/Inventory/Receive', { ...common, units: 3 });
      await call('/Inventory/Move', { ...common, units: 1, toSpot: `S-${turn % 5}` });
      await call('/Inventory/Issue', { ...common, units: 1 });
    }
  };
  const callers = meanwhile(Promise.all(Array.from({ length: 12 }, (_, nth) => caller(nth))));
  return {
    acknowledged,
    async stop() {
      stopped = true;
      await callers;
    },
  };
}

describe('a backup under load', () => {
  test('restored into an empty database, it has everything acknowledged before it began, and the service works on there', async () => {
    const client = await service.client();
    const items = await Promise.all(Array.from({ length: 4 }, () => service.item()));
    const { cursor } = (await client.get('/Me')).body;
    const load = work(client, items);
    await expect.poll(() => load.acknowledged.length).toBeGreaterThan(60);
    const before = load.acknowledged.slice();
    const path = join(createFolder(), 'stock.inventory');
    // Its own process: it works beside the callers.
    expect(await startCommand(['backup', path], asOperator()).ended).toMatchObject({ code: 0 });
    // It kept nobody from working.
    const during = load.acknowledged.length - before.length;
    await expect.poll(() => load.acknowledged.length).toBeGreaterThan(before.length + during + 20);
    await load.stop();
    expect(during).toBeGreaterThan(20);

    const empty = await createEmptyDatabase();
    const restored = await command(['restore', path], empty.url);
    expect(restored.code, restored.stderr).toBe(0);
    expect(restored.stdout.trim().split('\n').at(-1)).toBe('all is well');
    const rows = await empty.sql<{ transaction_no: number; result: string }[]>`
      select transaction_no, result::text as result
      from stock_transaction
      where status = 'applied'`;
    const there = new Map(rows.map((row) => [row.transaction_no, row.result]));
    const lost = before.filter(({ answer }) => there.get(answer.body.transactionNo) !== answer.text);
    expect(lost).toEqual([]);
    expect(await describeSchema(empty.sql)).toEqual(await describeSchema(service.sql));
    expect((await readIdentity(empty.sql)).id).not.toBe((await readIdentity(service.sql)).id);

    const again = await serve(empty.url);
    const { status, body } = await askToken(again, { clientId: client.clientId, secret: client.secret });
    expect(status).toBe(200);
    // No backup holds the keys that signed it.
    expect((await createApiClient(again, client.clientId, client.token).get('/Item')).status).toBe(401);
    const back = createApiClient(again, client.clientId, body.access_token);
    for (const { path: call, body: asked, key, answer } of before.slice(-20)) {
      const resent = await back.post(call, asked, { 'Idempotency-Key': key });
      expect([resent.status, resent.text]).toEqual([answer.status, answer.text]);
      expect(resent.headers.get('Idempotent-Replayed')).toBe('true');
    }
    const highest = (name: 'recNo' | 'transactionNo') =>
      Math.max(...load.acknowledged.map(({ answer }) => answer.body[name] as number));
    const receipt = { itemID: items[0], units: 1, wid: 1, reasonCode: 1 };
    const next = await back.post('/Inventory/Receive', receipt);
    expect(next.status).toBe(201);
    // Above the numbers given out after the backup, too.
    expect(next.body.recNo).toBeGreaterThan(highest('recNo'));
    expect(next.body.transactionNo).toBeGreaterThan(highest('transactionNo'));
    // Nobody trusts a copy from before, and a new one is whole.
    expect((await back.get(`/Changes?after=${cursor}`)).status).toBe(409);
    const told: number[] = [];
    for (let after = '', hasMore = true; hasMore; ) {
      const page = (await back.get(`/Changes?limit=1000${after}`)).body;
      for (const { type, transactionNo } of page.value) if (type === 'stock') told.push(transactionNo);
      after = `&after=${page.nextCursor}`;
      hasMore = page.hasMore;
    }
    const [listed] = await empty.sql<{ numbers: number[] }[]>`
      select array_agg(transaction_no order by transaction_no) as numbers
      from stock_transaction
      where wid = any(array[1, 2])`;
    expect(told).toEqual(listed!.numbers.map(Number));
    expect(await findImbalances(empty.sql)).toEqual([]);
  });
});

/** Runs the service on another database until the test ends; returns the address of its api. */
async function serve(databaseUrl: string): Promise<string> {
  const env = { ...service.env, DATABASE_URL: databaseUrl, QUEUE_PREFIX: uniqueName('restored') };
  const api = await startServer(asPart('api', env), createLog('api'));
  const worker = await startWorker(asPart('worker', env), createLog('worker'));
  onTestFinished(async () => {
    await worker.stop();
    await api.stop();
  });
  return `http://127.0.0.1:${api.port}/api/v1`;
}

describe('backup', () => {
  test('is of one moment: it has every row of every table, none written while it copies, and restore returns exactly these', async () => {
    const client = await service.client();
    const item = await service.item({ description: 'tab\t, \\. and\nnew line, \\N, ünïcode 😀' });
    await receiveLot(client, item, 12.000001, { remark: '\\.', serial: 'x\\' });
    await addManyKeys(80_000);
    await untilFolded();
    const sql = connectAs('operator', service.databaseUrl);
    const written: Buffer[] = [];
    let goOn!: () => void;
    const stands = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let begin!: () => void;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    // It reads nothing at first: the copy is held at the keys, before it reaches stock and ledger.
    const output = new Writable({
      write(piece: Buffer, _encoding, done) {
        written.push(piece);
        begin();
        stands.then(() => done());
      },
    });
    const before = await describeRows(service.sql);
    const { signal } = new AbortController();
    const copying = meanwhile(writeBackup(sql, output, { connections: 1, report: () => {}, signal }));
    await begun;
    await receiveLot(client, item, 1);
    goOn();
    const { rows } = await copying;
    expect(rows).toEqual(Object.fromEntries(Object.entries(before).map(([name, { rows }]) => [name, rows])));
    const path = join(createFolder(), 'moment');
    await writeFile(path, Buffer.concat(written));
    const { url, sql: restored } = await createUnusedDatabase();
    expect(await command(['restore', path, '--exact-numbers'], url)).toMatchObject({ code: 0 });
    expect(await describeRows(restored)).toEqual(before);
    // No number is given out again.
    const numbers = `select last_value from lot_rec_no_seq`;
    expect(await restored.unsafe(numbers)).toEqual(await service.sql.unsafe(numbers));
  });

  test('is a file for its owner alone, holds no key that signs, and describes its content', async () => {
    const path = await makeBackup();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const text = await unpackBackup(path);
    const [keys] = await service.sql<{ d: string; secret: string; kid: string }[]>`
      select private_jwk->>'d' as d, encode(secret, 'hex') as secret, signing_key.kid from signing_key, envelope_key`;
    expect(text).toContain('COPY "client_secret" (');
    for (const hidden of [...Object.values(keys!), 'signing_key', 'envelope_key'])
      expect(text).not.toContain(hidden);
    const { stdout, code } = await command(['restore', '--check', path], 'postgres://127.0.0.1:1/none');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^a complete backup of 20\d\d-.*Z, schema \d+: \d+ lots and \d+ transactions\n$/);
  });

  test('to standard output is the same file', async () => {
    const path = join(createFolder(), 'piped');
    const file = openSync(path, 'wx', 0o600);
    const { ended } = startCommand(['backup', '-'], asOperator(), ['ignore', file, 'pipe']);
    expect(await ended).toMatchObject({ code: 0 });
    const checked = async (each: string) =>
      (await command(['restore', '--check', each], '')).stdout.replace(/ of \S+,/, '');
    expect(await checked(path)).toBe(await checked(await makeBackup()));
  });

  test('never overwrites a file, and ends with 1 when it cannot be written', async () => {
    const path = join(createFolder(), 'there');
    await writeFile(path, 'precious');
    expect(await backup(path)).toMatchObject(
      refused(`${path} already exists: choose another name for the backup`),
    );
    expect(await readFile(path, 'utf8')).toBe('precious');
    const nowhere = join(path, 'below-a-file');
    expect(await backup(nowhere)).toMatchObject(
      refused(`${nowhere} cannot be written (ENOTDIR): no backup was made`),
    );
  });

  test.each([
    ['', []],
    [' on a file system without hard links', ['test/admin/without-links.ts']],
  ])(
    'never replaces a file that came while it copied%s, and otherwise has its name',
    async (_where, imports) => {
      const folder = createFolder();
      const path = join(folder, 'there');
      const env = { DATABASE_URL: asOperator() };
      const begun = await service.sql.begin(async (tx) => {
        await tx`lock table warehouse in access exclusive mode`;
        const { ended } = start(['backup', path], env, { imports });
        await expectWaiting(service.sql, 1);
        await writeFile(path, 'precious');
        return { ended };
      });
      expect(await begun.ended).toMatchObject(
        refused(`${path} already exists: choose another name for the backup`),
      );
      expect(await readFile(path, 'utf8')).toBe('precious');
      const free = join(folder, 'free');
      expect(await start(['backup', free], env, { imports }).ended).toMatchObject({ code: 0 });
      expect(await command(['restore', '--check', free], '')).toMatchObject({ code: 0 });
      expect(readdirSync(folder)).toEqual(['free', 'there']);
    },
  );

  test.runIf(process.platform === 'linux')('onto a full disk ends with 1 and says so', async () => {
    const { ended } = startCommand(['backup', '-'], asOperator(), [
      'ignore',
      openSync('/dev/full', 'w'),
      'pipe',
    ]);
    expect(await ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('error: standard output: no room (ENOSPC): no backup was made\n'),
    });
  });

  test('broken off leaves no file', async () => {
    const folder = createFolder();
    const running = await service.sql.begin(async (tx) => {
      await tx`lock table warehouse in access exclusive mode`;
      const begun = startCommand(['backup', join(folder, 'stock')], asOperator());
      await expectWaiting(service.sql, 1);
      begun.child.kill('SIGINT');
      return { ended: await begun.ended };
    });
    expect(running.ended).toMatchObject(refused('interrupted: no backup was made'));
    expect(readdirSync(folder)).toEqual([]);
  });

  test('during a migration is refused', async () => {
    const path = join(createFolder(), 'stock');
    const migrating = await service.sql.reserve();
    await migrating`select pg_advisory_lock(${migrationLockKey}::bigint)`;
    const ended = await backup(path);
    await migrating`select pg_advisory_unlock(${migrationLockKey}::bigint)`;
    migrating.release();
    expect(ended).toMatchObject(refused('a migration is under way: try again when it is done'));
  });

  test('through a pooler is refused: its lock would stay there, and no migration would begin any more', async () => {
    // A pooler numbers its connections itself.
    const renumber = () => {
      let isDone = false;
      return (answer: Buffer) => {
        const at = isDone ? -1 : answer.indexOf('K\0\0\0\x0c', 0, 'latin1');
        if (at < 0) return answer;
        isDone = true;
        const changed = Buffer.from(answer);
        changed.writeInt32BE(changed.readInt32BE(at + 5) + 1, at + 5);
        return changed;
      };
    };
    const pooler = await openStretch(asOperator(), { createRewrite: renumber });
    onTestFinished(() => pooler.close());
    const folder = createFolder();
    expect(await command(['backup', join(folder, 'stock')], pooler.url)).toMatchObject({
      ...{ code: 1, stdout: '' },
      stderr: expect.stringMatching(/^error: DATABASE_URL leads through a pooler, .*\n$/),
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('restore', () => {
  const folder = useFolder();
  let path: string;
  let whole: Buffer;
  beforeAll(async () => {
    await receiveLot(await service.client(), await service.item(), 1);
    path = await makeBackup(folder);
    whole = await readFile(path);
  });

  test('of a file with any byte changed, or cut off anywhere, is refused', async () => {
    const text = async (bytes: Buffer) => {
      const { header, blocks, end } = await openBackup(streamOf(bytes));
      const rows: string[] = [];
      for await (const block of blocks) rows.push(`${block.table} ${block.columns} ${block.rows}`);
      return JSON.stringify([header, rows, end()]);
    };
    const expected = await text(whole);
    const seen = new Set<string>();
    for (let nth = 0; nth < 40; nth++) {
      const at = Math.floor((nth / 40) * whole.length);
      const changed = Buffer.from(whole);
      changed[at]! ^= 1 << (nth % 8);
      for (const bytes of [changed, whole.subarray(0, at)]) {
        const read = await text(bytes).catch((error) => error as Error);
        // Some bits of gzip's own carry nothing.
        if (bytes === changed && read === expected) continue;
        expect(read).toBeInstanceOf(Error);
        seen.add((read as Error).message);
      }
    }
    expect([...seen].sort()).toEqual([
      'the backup is damaged or incomplete',
      'this is not a backup of the service',
    ]);
    await expect(text(Buffer.concat([whole, whole]))).rejects.toThrow('damaged');
  });

  test('of a file changed in its text, or cut off between two blocks, is refused', async () => {
    const text = await unpackBackup(path);
    const read = async (changed: string) => {
      const { blocks } = await openBackup(streamOf(gzipSync(changed)));
      for await (const _block of blocks);
    };
    await read(text);
    const lines = text.split('\n');
    const damaged = 'the backup is damaged or incomplete';
    await expect(read(text.replace('Overflow', 'Overfull'))).rejects.toThrow(damaged);
    await expect(read(`${lines.slice(0, -2).join('\n')}\n`)).rejects.toThrow(damaged);
    await expect(read(text.replace(/COPY "warehouse" .*?\n\\\.\n/s, ''))).rejects.toThrow(damaged);
    await expect(read(`${text}${lines.at(-2)}\n`)).rejects.toThrow(damaged);
  });

  test('of a file that is cut off, or ended by a signal in the middle has restored nothing, and can be run again, also by an owner who is no superuser and may not create roles', async () => {
    const { url: superuser, sql } = await createEmptyDatabase();
    const owner = { name: uniqueName('modest').replaceAll('-', '_'), password: 'modest' };
    await sql.unsafe(`create role ${owner.name} login password '${owner.password}'`);
    await sql.unsafe(`alter database ${new URL(superuser).pathname.slice(1)} owner to ${owner.name}`);
    onTestFinished(async () => {
      await service.sql.unsafe(`drop owned by ${owner.name}`).catch(() => {});
    });
    const url = addressOf(superuser, owner);
    const cutOff = join(createFolder(), 'cut-off');
    await writeFile(cutOff, whole.subarray(0, -20));
    expect(await command(['restore', cutOff], url)).toMatchObject(
      refused('the backup is damaged or incomplete'),
    );
    expect(await countRows(sql)).toBe(0);
    expect((await command(['restore', '--check', cutOff], url)).code).toBe(1);

    const copying = async () => {
      const open = await sql`
        select from pg_stat_activity
        where datname = current_database() and state like 'idle in transaction%' and query like 'copy %'`;
      return open.length;
    };
    for (const signal of ['SIGINT', 'SIGKILL'] as const) {
      // The one before may still be ending.
      await expect.poll(copying).toBe(0);
      const { child, ended } = startCommand(['restore', '-'], url);
      // All but the end: the restore waits in its transaction, with all rows.
      child.stdin!.write(whole.subarray(0, -20));
      await expect.poll(copying).toBe(1);
      child.kill(signal);
      const told = await ended;
      if (signal === 'SIGINT') expect(told).toMatchObject(refused('interrupted: nothing was restored'));
      await expect.poll(() => countRows(sql)).toBe(0);
    }
    const again = startCommand(['restore', '-'], url);
    again.child.stdin!.end(whole);
    expect(await again.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/\nall is well\n$/) });
    expect(await countRows(sql)).toBe(await countRows(service.sql));
    // The record of the backup it comes from, and no other.
    const records =
      await sql`select taken_at as "takenAt", server, bytes, made_by as "madeBy" from backup_record`;
    const { takenAt } = (await openBackup(streamOf(whole))).header;
    const { id } = await readIdentity(service.sql);
    expect([...records]).toEqual([
      { takenAt: new Date(takenAt), server: `database ${id}`, bytes: null, madeBy: 'restore' },
    ]);
  });

  test('that fails after its rows are restored says so, and does not claim that nothing was done', async () => {
    // Broken off after the tables were created, it goes on from there.
    const { url, sql } = await createUnusedDatabase();
    await sql.unsafe(`
      create function refuse_note() returns trigger language plpgsql as $$
      begin raise disk_full using message = 'could not extend file'; end $$;
      create trigger refuse_note before insert on backup_record execute function refuse_note()`);
    expect(await command(['restore', path], url)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^error: all rows were restored, but a later step failed \(.*\): run `.*inventory migrate`, then `.*inventory audit`\n$/,
      ),
    });
    expect(await countRows(sql)).toBeGreaterThan(0);
  });

  test('into a database that is not empty, or of another version, or by the operator, is refused', async () => {
    expect(await command(['restore', path], service.databaseUrl)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^error: the database is not empty \(change, client, .*warehouse\): restore into .*\n$/,
      ),
    });
    const other = await createUnusedDatabase();
    expect(await command(['restore', path], addressFor('operator', other.url))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: permission denied for .*the tables' owner for .*restore/),
    });
    await other.sql`insert into schema_version (version, name, checksum) values (9001, 'later', '')`;
    expect(await command(['restore', path], other.url)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^error: the database's schema is 9001 and the backup's \d+: restore into a new/,
      ),
    });
    const foreign = await createEmptyDatabase();
    await foreign.sql`create table theirs ()`;
    expect(await command(['restore', path], foreign.url)).toMatchObject(
      refused('the database holds tables of something else (theirs): give the service its own database'),
    );
    const nothing = join(createFolder(), 'nothing');
    expect(await command(['restore', nothing], other.url)).toMatchObject(
      refused(`${nothing} cannot be read (ENOENT)`, 2),
    );
    await writeFile(nothing, 'a letter');
    expect(await command(['restore', nothing], other.url)).toMatchObject(
      refused('this is not a backup of the service'),
    );
  });
});

describe('restored', () => {
  test('gives a database restored by other tools a new identity, and numbers above all that were given out', async () => {
    const { url, sql } = await createUnusedDatabase();
    const before = await readIdentity(sql);
    const numbers = () =>
      sql`select (select last_value from lot_rec_no_seq) as lots, (select last_value from item_part_no_seq) as items,
        (select kid from envelope_key) as envelopes`;
    await sql`select setval('lot_rec_no_seq', 5000), setval('item_part_no_seq', 2147483000)`;
    const to = new Date(Date.now() - 3_600_000);
    const { code, stdout } = await command(['restored', '--to', to.toISOString()], url);
    expect(code).toBe(0);
    const after = await readIdentity(sql);
    expect(stdout).toContain(`the database is now ${after.id}\n`);
    expect(after.id).not.toBe(before.id);
    expect(after.restoredTo).toEqual(to);
    const [next] = await numbers();
    expect(next!.lots).toBeGreaterThan(5000 + 3600 * 20_000);
    // There are not enough of these: half of the rest stays.
    expect(next).toMatchObject({ items: 2147483323, envelopes: 2 });
    for (const wrong of ['2999-01-01T00:00:00Z', 'yesterday', '2026-01-01'])
      expect(await command(['restored', '--to', wrong], url)).toMatchObject({ code: 2, stdout: '' });
  });

  test('refuses tables of another version before it changes anything', async () => {
    const { url, sql } = await createUnusedDatabase();
    await sql`delete from schema_version where version > 2`;
    const before = await readIdentity(sql);
    const answer = await command(['restored', '--to', '2026-01-01T00:00:00Z'], url);
    expect(answer).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('schema is 2') });
    expect(await readIdentity(sql)).toEqual(before);
  });

  test('refuses a database that the service is connected to, and leaves its numbers alone; --yes overrides', async () => {
    const { url, sql } = await createUnusedDatabase();
    const state = async () => ({
      identity: await readIdentity(sql),
      numbers: [...(await sql`select last_value from lot_rec_no_seq`)],
      envelopes: [...(await sql`select kid from envelope_key`)],
    });
    const before = await state();
    const names = ['inventory-worker', 'inventory-admin', 'inventory-items', 'inventory-items', 'psql'];
    for (const name of names) {
      const connected = connect(url, { name, connectionsMax: 1 });
      onTestFinished(() => connected.end({ timeout: 5 }));
      await connected`select`;
    }
    const to = new Date(Date.now() - 3_600_000).toISOString();
    expect(await command(['restored', '--to', to], url)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'error: the service is connected to this database (inventory-items, inventory-worker): stop every api and worker first; ' +
        '--yes skips numbers anyway, and they never come back\n',
    });
    expect(await state()).toEqual(before);
    expect(await command(['restored', '--to', to, '--yes'], url)).toMatchObject({ code: 0, stderr: '' });
    expect((await state()).identity.id).not.toBe(before.identity.id);
  });
});

describe('the record of backups', () => {
  const records = () =>
    service.sql<{ takenAt: Date; server: string; bytes: string | null; madeBy: string }[]>`
      select taken_at as "takenAt", server, bytes, made_by as "madeBy"
      from backup_record
      order by taken_at`;
  const told = async () => {
    const on = { sql: service.sql, redis: null, apis: [], prefix: '', disk: null };
    return toExamined(await makeChecks(on, machineChecks)).checks.backup;
  };
  const where = () => {
    const { host, pathname } = new URL(service.databaseUrl);
    return host + pathname;
  };

  test('a backup is recorded with its moment, server and size; doctor and the metrics show its age', async () => {
    await service.sql`delete from backup_record`;
    expect(await told()).toMatchObject({
      state: 'unknown',
      found: 'this database has no record of a backup',
    });
    const api = async () => {
      const env: Record<string, string> = { ...service.env, INTERNAL_PORT: '0' };
      const running = await startServer(asPart('api', env), createLog('api'));
      onTestFinished(() => running.stop());
      return () => readMetrics(running.internalPort!);
    };
    const before = await api();
    // Asked at its start, which is later than that of the test.
    await expect.poll(async () => (await before()).value('inventory_api_postgres_up')).toBe(1);
    expect((await before()).text).not.toMatch(/^inventory_api_backup_age_seconds\{/m);

    const path = await makeBackup();
    const [record, ...others] = await records();
    expect(others).toEqual([]);
    expect(record).toMatchObject({ server: where(), madeBy: 'inventory' });
    expect(Number(record!.bytes)).toBe((await stat(path)).size);
    expect(await told()).toMatchObject({
      state: 'ok',
      found: expect.stringMatching(/^0\.\d hours old, by inventory, of .*, \d/),
    });
    await service.sql`update backup_record set taken_at = clock_timestamp() - interval '27 hours'`;
    expect(await told()).toMatchObject({ state: 'warn', found: expect.stringMatching(/^27\.0 hours old/) });
    const after = await api();
    const age = async () => (await after()).value('inventory_api_backup_age_seconds{by="inventory"}');
    await expect.poll(age).toBeGreaterThanOrEqual(27 * 3600);
    const first = (await age())!;
    expect(first).toBeLessThan(28 * 3600);
    await expect.poll(age).toBeGreaterThan(first);
  });

  test('backed-up records a backup made by other tools, once, and none from the future', async () => {
    await service.sql`delete from backup_record`;
    const at = new Date(Date.now() - 3_600_000);
    const note = (...more: string[]) => command(['backed-up', '--by', 'pgbackrest', ...more], asOperator());
    for (let turn = 0; turn < 2; turn++)
      expect(await note('--at', at.toISOString())).toEqual({
        code: 0,
        stdout: `recorded a backup of ${at.toISOString()}\n`,
        stderr: '',
      });
    expect(await records()).toEqual([{ takenAt: at, server: where(), bytes: null, madeBy: 'pgbackrest' }]);
    expect(await note()).toMatchObject({ code: 0 });
    expect(await records()).toHaveLength(2);
    expect(await told()).toMatchObject({ state: 'ok', found: expect.stringContaining('by pgbackrest, of ') });
    expect(await note('--at', '2999-01-01T00:00:00Z')).toMatchObject({ code: 2, stdout: '' });
    expect(await records()).toHaveLength(2);
  });

  test('is recorded when the address names several servers', async () => {
    const { host } = new URL(asOperator());
    const several = `${host},localhost:${host.split(':')[1]}`;
    const { stderr } = await command(['backed-up', '--by', 'several'], asOperator().replace(host, several));
    expect(stderr).toBe('');
    const noted = (await records()).find(({ madeBy }) => madeBy === 'several');
    expect(noted?.server).toBe(where().replace(host, several.replace(',', ', ')));
  });
});

/** Rows that somebody would miss. */
async function countRows(sql: ReturnType<typeof connect>): Promise<number> {
  const [tables] = await sql<{ there: boolean }[]>`select to_regclass('client') is not null as there`;
  if (!tables!.there) return 0;
  const [row] = await sql<{ rows: number }[]>`
    select (select count(*) from client) + (select count(*) from item) + (select count(*) from stock_transaction) as rows`;
  return Number(row!.rows);
}
