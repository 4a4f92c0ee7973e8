import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addressOf,
  ensureLogins,
  excessRightsOf,
  type Login,
  type Part,
  parts,
} from '@inventory/db/access/logins';
import { migrate } from '@inventory/db/migrate/migrate';
import { startPostgres } from '@inventory/local/postgres/postgres';
import { removePostgresHome } from '@inventory/local/postgres/postgres-home';
import { connect, type Sql } from '@inventory/postgres/pool';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { addressFor } from '../harness/as-part.ts';
import { databaseOf } from '../harness/global-setup.ts';
import { ownSettings } from '../harness/service/own-settings.ts';

// The rights of each part of the service, by column where they do not cover the whole table. There are no
// others.
const itemColumns =
  'category, sub_category, units, uom, description, dflt_owner, discontinued, modified, put_up';
const rights: Record<Part, Record<string, string>> = {
  api: {
    select: `alias_gtin audit_drift backup_record change client client_secret client_warehouse database_identity envelope_key
      idempotency_key item item_alias item_arrival item_block level_arrival level_set list_arrival list_count
      lot low_level reason reason_enforcement schema_compatibility schema_version scope_change security_group signing_key stock_entry
      stock_level stock_transaction verifying_key warehouse webhook`,
    insert: `change(available, change_no, kind, minimum, part_no, wid) item_arrival
      idempotency_key(asked_at, client_id, key_digest, refused_at)
      item(${itemColumns}, created, created_by, part_no, short_id) level_arrival low_level signing_key(kid, private_jwk)
      stock_level(minimum, part_no, used, wid) stock_transaction(request_id, status)
      verifying_key(kid, public_jwk, signs_from)`,
    update: `idempotency_key(refused_at) item(${itemColumns}, described) stock_level(minimum, modified, used)`,
    delete: 'item_alias low_level signing_key',
  },
  worker: {
    select: `alias_gtin audit_drift audit_progress change client client_warehouse database_identity envelope_key idempotency_key
      item item_alias item_arrival item_block level_arrival level_set list_arrival list_count lot low_level reason
      reason_enforcement schema_compatibility schema_version scope_change security_group stock_entry stock_level stock_transaction
      warehouse webhook webhook_delivery webhook_message webhook_secret`,
    insert: `audit_drift(check_name, expected, found, part_no, rec_no, wid) change idempotency_key item_block
      level_arrival level_set list_arrival list_count lot low_level stock_entry stock_level(part_no, wid)
      stock_transaction webhook_delivery(answer, at, attempt, change_count, message_id, outcome, took_ms, webhook_id)
      webhook_message`,
    update: `audit_drift(expected, found, last_seen)
      audit_progress(due, level_after_part_no, level_after_wid, lot_after, lot_until, pass_finished, pass_started)
      idempotency_key(asked_at, fingerprint, refused_at, request_id) item_block level_set
      list_count lot(active, gross_weight, hold, hold_reason, modified, net_weight, rfid_tag, shipped, spot, units)
      stock_level(in_stock, modified, on_hold, used)
      webhook(after_no, attempts, changes_max, disabled, disabled_why, failing_since, last_attempt, last_outcome,
        lease, leased_until, next_attempt, scope, test_asked)`,
    delete: 'audit_drift item_arrival level_arrival list_arrival low_level webhook_delivery webhook_message',
  },
  operator: {
    select: `alias_gtin audit_drift audit_progress backup_record change client client_secret client_warehouse corrected_time
      database_identity envelope_key(created, kid) feed_place former_client idempotency_key item item_alias item_arrival
      item_block level_arrival level_set list_arrival list_count lot low_level reason reason_enforcement retention retention_clock schema_compatibility
      schema_version scope_change security_group signing_key(kid) stock_entry stock_level stock_transaction verifying_key warehouse
      webhook webhook_delivery webhook_message(webhook_id) webhook_secret(created, ends, webhook_id)`,
    insert: `backup_record(bytes, made_by, server, taken_at) change client client_secret client_warehouse
      envelope_key(created) former_client(client_id) item(${itemColumns}, created, created_by, short_id)
      item_alias item_arrival level_arrival low_level reason reason_enforcement scope_change security_group
      signing_key(kid, private_jwk) stock_level(asn, committed, minimum, on_order, packed, part_no, used, wid)
      stock_transaction(at, body, client_id, kind, request_id, result, status)
      verifying_key(kid, public_jwk, signs_from) warehouse
      webhook(after_no, allow_private, client_id, database_id, kinds, scope, url) webhook_secret(secret, webhook_id)`,
    update: `client(disabled, group_id, operations_per_minute, rate_limit, read_only, tokens_from)
      item(${itemColumns}, described) item_alias(units) lot(hold, hold_reason, modified) reason(name, operations)
      stock_level(asn, committed, minimum, modified, on_hold, on_order, packed, used)
      verifying_key(retired, signs_from, withdrawn) warehouse(name, renamed)
      webhook(after_no, attempts, database_id, disabled, disabled_why, failing_since, lease, next_attempt, scope,
        test_asked) webhook_secret(ends)`,
    delete:
      'client client_secret client_warehouse item_alias low_level reason reason_enforcement signing_key webhook webhook_message webhook_secret',
  },
};

/** The same lists, in order. */
function expectedOf(part: Part): Record<string, string[]> {
  const inOrder = (columns: string | undefined) =>
    columns === undefined ? '' : `(${columns.split(/,\s*/).sort().join(', ')})`;
  return Object.fromEntries(
    Object.entries(rights[part]).map(([right, tables]) => [
      right,
      [...tables.matchAll(/(\w+)(?:\(([^)]*)\))?/g)]
        .map(([, table, columns]) => table + inOrder(columns))
        .sort(),
    ]),
  );
}

const forbidden = '42501';
const ledger = ['stock_entry', 'stock_transaction'];
const names = [1, 2].map(() => `inventory_rights_${randomBytes(6).toString('hex')}`);
const server = connect(inject('databaseUrl'), { name: 'tests', connectionsMax: 1 });
let owner: Sql;
const logins = {} as Record<Part, Sql>;

beforeAll(async () => {
  // Not copies, because rights on a database are not copied with it. Two at once, as two databases of one
  // server may be migrated.
  for (const name of names) await server.unsafe(`create database ${name}`);
  const urls = names.map((name) => databaseOf(inject('databaseUrl'), name));
  const owners = urls.map((url) => connect(url, { name: 'tests', connectionsMax: 2 }));
  await Promise.all(owners.map((sql) => migrate(sql)));
  await owners[1]!.end();
  owner = owners[0]!;
  for (const part of parts)
    logins[part] = connect(addressFor(part, urls[0]!), { name: 'tests', connectionsMax: 1 });
  await owner`
    insert into stock_transaction (request_id, client_id, kind, body, status, result)
    values (gen_random_uuid(), 'c', 'receive', '{}', 'applied', '{}')`;
  await owner`insert into warehouse (wid, name) values (1, 'Main')`;
  await owner`insert into item (short_id, created_by) values ('I', 'tests')`;
  await owner`insert into stock_level (part_no, wid, in_stock, used) values (1, 1, 1, true)`;
  await owner`insert into lot (rec_no, part_no, wid, units, received, modified) values (1, 1, 1, 1, now(), now())`;
  await owner`insert into stock_entry values (1, 1, 1, 1, 1, '', 1, 1)`;
});

afterAll(async () => {
  for (const sql of [...Object.values(logins), owner]) await sql?.end({ timeout: 5 });
  for (const name of names) await server.unsafe(`drop database if exists ${name} with (force)`);
  await server.end();
});

/** The code of the error that a statement fails with, or null. Rolls everything back. */
async function codeOf(sql: Sql, statement: string): Promise<string | null> {
  const rollBack = new Error('for no reason');
  return sql
    .begin(async (tx) => {
      await tx.unsafe(statement);
      throw rollBack;
    })
    .then(
      () => null,
      (error) => (error === rollBack ? null : String(error.code)),
    );
}

const statements: { name: string; of: (table: string, column: string) => string; isWhole?: boolean }[] = [
  { name: 'select', of: (table, column) => `explain select ${column} from ${table}` },
  { name: 'insert', of: (table, column) => `explain insert into ${table} (${column}) values (default)` },
  { name: 'update', of: (table, column) => `explain update ${table} set ${column} = default` },
  { name: 'delete', of: (table) => `explain delete from ${table}`, isWhole: true },
  { name: 'truncate', of: (table) => `truncate ${table}`, isWhole: true },
];

/** A right on a table, with its columns where it is not on all, found by trying; null when there is none. */
async function rightOn(sql: Sql, { of }: (typeof statements)[number], table: string, columns: string[]) {
  const allowed: string[] = [];
  for (const column of columns)
    if ((await codeOf(sql, of(table, column))) !== forbidden) allowed.push(column);
  if (allowed.length === columns.length) return table;
  return allowed.length === 0 ? null : `${table}(${allowed.join(', ')})`;
}

describe.each(parts)('the %s', (part) => {
  test('has exactly these rights on each table', async () => {
    const tables = await owner<{ name: string; columns: string[] }[]>`
      select table_name as name, array_agg(column_name::text order by column_name::text collate "C") as columns
      from information_schema.columns
      join information_schema.tables using (table_schema, table_name)
      where table_schema = 'public'
      group by table_name`;
    expect(tables.length).toBeGreaterThan(20);
    const found: Record<string, string[]> = {};
    for (const statement of statements) {
      const held: string[] = [];
      for (const { name, columns } of tables) {
        const tried = statement.isWhole ? columns.slice(0, 1) : columns;
        const right = await rightOn(logins[part], statement, name, tried);
        if (right !== null) held.push(right);
      }
      if (held.length > 0) found[statement.name] = held.sort();
    }
    expect(found).toEqual(expectedOf(part));
  });

  test.each([
    ...['create table t ()', 'create temporary table t ()', 'create schema s', 'create role r'],
    'create function f() returns integer language sql return 1',
    ...["copy (select 1) to program 'true'", "copy (select 1) to '/tmp/inventory-rights'"],
    ...["select pg_read_file('postgresql.conf')", "select lo_import('/etc/hostname')"],
    ...['lo_create(0)', 'lo_creat(-1)', "lo_from_bytea(0, 'x')", 'lo_open(1, 131072)', 'lo_unlink(1)'].map(
      (call) => `select ${call}`,
    ),
    ...['alter table stock_entry disable trigger all', 'drop table stock_entry'],
    ...['drop trigger stock_entry_append_only on stock_entry', 'set session_replication_role = replica'],
    'set role pg_execute_server_program',
    ...'recount_lists recount_items collect_levels'.split(' ').map((name) => `select ${name}()`),
  ])('may not: %s', async (statement) => {
    expect(await codeOf(logins[part], statement)).toBe(forbidden);
  });

  test('may not create a database or change the settings of the server', async () => {
    // Neither runs inside a transaction.
    for (const statement of [`create database ${names[0]}_too`, 'alter system reset work_mem'])
      await expect(logins[part].unsafe(statement)).rejects.toMatchObject({ code: forbidden });
  });

  test('is neither superuser nor owner, and may create neither roles nor databases', async () => {
    const [role] = await logins[part]`
      select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls from pg_roles where rolname = current_user`;
    expect(Object.values(role!)).toEqual(Array(5).fill(false));
    expect(await excessRightsOf(logins[part])).toBeNull();
    expect(await excessRightsOf(owner)).toBe('a superuser');
  });
});

test('the worker may add the lines of a transaction when it writes it, and no others', async () => {
  const line = (transactionNo: string, lineNo: number) =>
    `insert into stock_entry (transaction_no, line, rec_no, part_no, wid, spot, delta, balance)
    select ${transactionNo}, ${lineNo}, 1, 1, 1, '', 1, 1`;
  const transaction = `
    insert into stock_transaction (transaction_no, request_id, client_id, kind, body, status, result)
    values (9, gen_random_uuid(), 'c', 'receive', '{}', 'applied', '{}')`;
  const together = `with claimed as (${transaction} returning transaction_no) ${line('9', 1)} from lot`;
  expect(await codeOf(logins.worker, together)).toBeNull();
  expect(await codeOf(logins.worker, `${transaction}; ${line('9', 1)}; ${line('9', 2)}`)).toBeNull();
  expect(await codeOf(logins.worker, line('1', 2))).toBe('23001');
  // There is no such transaction.
  expect(await codeOf(logins.worker, line('77', 1))).toBe('23001');
  // Also beside lines that it may write.
  expect(
    await codeOf(logins.worker, `${transaction}; ${line('9', 1)} union all select 1, 2, 1, 1, 1, '', 1, 1`),
  ).toBe('23001');
  expect(await codeOf(logins.api, line('1', 2))).toBe(forbidden);
});

async function expectLogin(login: Login) {
  const sql = connect(addressOf(inject('databaseUrl'), login), { name: 'tests', connectionsMax: 1 });
  expect(await sql`select current_user as name`).toEqual([{ name: login.name }]);
  await sql.end();
}

test('a login gets in with its password, which no statement contains', async () => {
  const login = {
    part: 'operator' as const,
    name: `${names[0]}_login`,
    password: `a "secret" ß %25 ${names[0]}`,
  };
  const statements: string[] = [];
  const watched = new Proxy(server, {
    get: (target, name) =>
      name === 'unsafe'
        ? (text: string) => {
            statements.push(text);
            return target.unsafe(text);
          }
        : Reflect.get(target, name),
  });
  onTestFinished(async () => void (await server.unsafe(`drop role if exists ${login.name}`)));
  await ensureLogins(watched, [login]);
  await expectLogin(login);
  expect(statements).toHaveLength(3);
  expect(statements.join()).not.toContain('secret');
});

test('a login works when several processes create it at the same moment', async () => {
  const login = { part: 'operator' as const, name: `${names[0]}_shared`, password: 'shared' };
  const makers = Array.from({ length: 8 }, () => connect(inject('databaseUrl'), { name: 'tests' }));
  onTestFinished(async () => {
    await Promise.all(makers.map((sql) => sql.end()));
    await server.unsafe(`drop role if exists ${login.name}`);
  });
  for (let round = 0; round < 5; round++) await Promise.all(makers.map((sql) => ensureLogins(sql, [login])));
  await expectLogin(login);
});

test('every part that makes changes may read their moment and ask how far changes are known, and only the api up to when', async () => {
  const codes = async (statement: string) =>
    Object.fromEntries(
      await Promise.all(parts.map(async (part) => [part, await codeOf(logins[part], statement)])),
    );
  expect(await codes('select change_moment()')).toEqual({ api: null, worker: null, operator: null });
  expect(await codes('select feed_position()')).toEqual({ api: null, worker: null, operator: null });
  const until = await codes('select changes_known_until(0)');
  expect(until).toEqual({ api: null, worker: forbidden, operator: forbidden });
  // Only workers move the retention on, which removes rows for good.
  expect(await codes('select move_retention(null, false)')).toEqual({
    api: forbidden,
    worker: null,
    operator: forbidden,
  });
  expect(await codes('select correct_times()')).toEqual({
    api: forbidden,
    worker: null,
    operator: forbidden,
  });
  expect(await codes("select setval('change_floor_seq', 1)")).toEqual({
    ...{ api: forbidden, worker: forbidden, operator: forbidden },
  });
});

// The parts have no right to it.
test.each(
  ledger.flatMap((table) => [
    `update ${table} set transaction_no = transaction_no`,
    `delete from ${table}`,
    `truncate ${table} cascade`,
  ]),
)('refused even to the owner: %s', async (statement) => {
  // restrict_violation: by trigger, whatever the rights.
  expect(await codeOf(owner, statement)).toBe('23001');
  for (const table of ledger) expect((await owner.unsafe(`select from ${table}`)).length).toBe(1);
});

test('an owner who may not create roles is told what a superuser must run, and migrates after that, even with rights revoked from public', async () => {
  // Its own server: the others already have the roles.
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'own-postgres-')));
  const settings = ownSettings(folder);
  await chmod(folder, 0o755);
  const { url, stop } = await startPostgres(settings);
  onTestFinished(async () => {
    await stop();
    await removePostgresHome(folder);
    await rm(folder, { recursive: true });
  });
  const admin = connect(url, { name: 'tests', connectionsMax: 1 });
  await admin.unsafe("create role modest login password 'modest'");
  await admin.unsafe('create database modest owner modest');
  const modest = connect(addressOf(databaseOf(url, 'modest'), { name: 'modest', password: 'modest' }), {
    name: 'tests',
    connectionsMax: 2,
  });
  const statements =
    'create role inventory_api nologin; create role inventory_operator nologin; create role inventory_worker nologin;';
  await expect(migrate(modest)).rejects.toThrow(
    `modest may not create roles: let a role that may do so run \`${statements}\`, then migrate again`,
  );
  await admin.unsafe(statements);
  // As hardening guides advise. Then the owner, who may not revoke it, has no right to it either.
  const there = connect(databaseOf(url, 'modest'), { name: 'tests', connectionsMax: 1 });
  await there.unsafe('revoke execute on function lo_create(oid), lo_creat(integer) from public');
  await there.end();
  await migrate(modest);
  expect(await excessRightsOf(modest)).toBe("the tables' owner");
  await modest.end();
  await admin.end();
});
